/** A mail is stored if and only if its transaction commits. It is sealed, and no input can add headers to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import { startMailFixture } from '../../../test/fixtures/mail.ts'
import { enqueueMail } from './mail.ts'

const code = '4f9c-SECRET-81d2'
const mail = { to: 'asha@udsm.ac.tz', kind: 'password_reset', subject: `Code ${code}`, text: `Your code is ${code}.\n` }

test('a mail is sealed in the database, and a transaction that fails removes it', async (t) => {
  const app = await startMailFixture(t)
  const { db } = app
  await enqueueMail(app, db, mail)
  await assert.rejects(
    db.tx(async (tx) => {
      await enqueueMail(app, tx, mail)
      throw new Error('the transaction fails')
    }),
  )
  const rows = await db.rows<{ whole: string; state: string; recipient: string }>(sql`
    select mails::text as whole, state, recipient from mails`)
  assert.deepEqual(
    rows.map(({ state, recipient }) => [state, recipient]),
    [['due', 'asha@udsm.ac.tz']],
  )
  assert.doesNotMatch(rows[0]!.whole, /SECRET/)
})

test('no address and no subject can add a header or a recipient', async (t) => {
  const app = await startMailFixture(t)
  const { db } = app
  for (const to of [
    'asha@udsm.ac.tz\r\nBcc: eve@example.com',
    'asha@udsm.ac.tz\nBcc: eve@example.com',
    'asha@udsm.ac.tz, eve@example.com',
    'asha@udsm.ac.tz eve@example.com',
    'Asha <asha@udsm.ac.tz>',
    '"a,eve@example.com"@udsm.ac.tz',
    'asha@udsm.ac.tz\0',
    'asha',
    `${'a'.repeat(250)}@udsm.ac.tz`,
  ]) {
    await assert.rejects(enqueueMail(app, db, { ...mail, to }), /Broken assumption: a mail goes to one bare address/)
  }
  for (const subject of ['', 'Code\r\nBcc: eve@example.com', 'Code\nX: y', 'Code\0', 'Code\u2028X: y', 'x'.repeat(201)]) {
    await assert.rejects(enqueueMail(app, db, { ...mail, subject }), /Broken assumption: the subject/)
  }
  await assert.rejects(enqueueMail(app, db, { ...mail, text: 'x'.repeat(20_001) }), /Broken assumption: the text/)
  assert.deepEqual(await db.rows(sql`select id from mails`), [])
})

test('the database itself refuses a finished mail with content, and two addresses in one', async (t) => {
  const app = await startMailFixture(t)
  const { db } = app
  await enqueueMail(app, db, mail)
  const broken = {
    mails_content_while_due: sql`update mails set state = 'sent', next_attempt_at = null, finished_at = clock_now()`,
    mails_recipient_is_one_address: sql`update mails set recipient = 'asha@udsm.ac.tz, eve@example.com'`,
    mails_six_attempts: sql`update mails set attempts = 7`,
    mails_failed_has_error: sql`
      update mails set state = 'failed', sealed_content = null, next_attempt_at = null, finished_at = clock_now()`,
  }
  for (const [constraint, statement] of Object.entries(broken)) {
    await assert.rejects(db.rows(statement), { constraint })
  }
})
