/** A mail is stored if and only if its transaction commits. It is sealed, and no input can add headers to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Tx } from '../../platform/db/db.ts'
import { startMailFixture } from '../../../test/fixtures/mail.ts'
import { collectMail, enqueueMail, openContent } from './mail.ts'
import { claimMails, recordVerdicts } from './mail.sql.ts'

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

test('a text that comes while the mail before it is being sent is in the next mail', async (t) => {
  const app = await startMailFixture(t)
  const { db, owner } = app
  const collect = (tx: Tx, text: string) => collectMail(app, tx, { ...mail, text }, text)
  await db.tx((tx) => collect(tx, 'first'))
  const claimed = await db.tx(async (early) => {
    // The time of a transaction is that of its first statement: for this one the mail is not due yet.
    await early.rows(sql`select pg_sleep(0.01)`)
    await owner.rows(sql`update mails set next_attempt_at = clock_now()`)
    await owner.rows(sql`select pg_sleep(0.01)`)
    const [claim] = await claimMails(owner, { limit: 1, isBulk: false, leaseSeconds: 25 })
    await collect(early, 'second')
    return claim!
  })
  assert.equal(openContent(app.sealer, claimed.id, claimed.sealedContent).text, 'first')
  await recordVerdicts(db, [{ ...claimed, state: 'sent', errorCode: null, delaySeconds: null }])
  const waiting = await db.rows<{ id: string; sealedContent: string }>(sql`
    select id, sealed_content from mails where state = 'due'`)
  assert.deepEqual(
    waiting.map(({ id, sealedContent }) => openContent(app.sealer, id, sealedContent).text),
    ['second'],
  )
})
