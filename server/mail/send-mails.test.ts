/** Every mail is sent, once if no process dies, and its content is erased afterwards. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from '../platform/db/db.ts'
import { openMailer, startMailServer, startMailFixture, type MailFixture } from './mail-fixture.ts'
import { enqueueMail } from './mail.ts'
import { claimMails } from './mail.sql.ts'
import type { Mailer, MailMessage, MailOutcome } from './mailer.ts'
import { sendMails } from './send-mails.ts'

const text = 'Your code is 4f9c-SECRET-81d2.'

function enqueue(world: MailFixture, to: string): Promise<void> {
  return enqueueMail(world, world.db, { to, kind: 'password_reset', subject: 'A new password: SECRET', text })
}

/** A mailer with the answers of the test. */
function scripted(send: (message: MailMessage) => Promise<MailOutcome>): Mailer {
  return { deadlineMs: 5_000, send, close: () => undefined }
}

async function startWithServer(t: TestContext) {
  const world = await startMailFixture(t)
  const server = await startMailServer(t)
  const mailer = await openMailer(t, { smtpUrl: server.url })
  return { world, server, mailer, deps: { ...world, mailer } }
}

test('a due mail is sent, and its content is erased', async (t) => {
  const { world, server, deps } = await startWithServer(t)
  assert.equal(await sendMails(deps, 10), 0)
  await enqueue(world, 'asha@udsm.ac.tz')
  assert.equal(await sendMails(deps, 10), 1)
  assert.equal(await sendMails(deps, 10), 0)
  assert.deepEqual(
    server.accepted.map(({ to }) => to),
    [['asha@udsm.ac.tz']],
  )
  assert.match(server.accepted[0]!.source, /4f9c-SECRET-81d2/)
  const [mail] = await world.mails()
  const { id: _, ...facts } = mail!
  assert.deepEqual(facts, {
    kind: 'password_reset',
    recipient: 'asha@udsm.ac.tz',
    state: 'sent',
    attempts: 1,
    lastErrorCode: null,
    secondsLeft: null,
    hasContent: false,
    isClaimed: false,
    isFinished: true,
  })
})

test('a mail to a refused address is given up at once, and its content is erased', async (t) => {
  const { world, deps } = await startWithServer(t)
  await enqueue(world, 'unknown@udsm.ac.tz')
  await sendMails(deps, 10)
  const [mail] = await world.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode, mail!.hasContent], ['failed', 1, 'smtp_550', false])
})

test('a deferred mail is retried after 1 minute, 5, 30, 2 hours and 8, and then given up', async (t) => {
  const { world, server, deps } = await startWithServer(t)
  await enqueue(world, 'later@udsm.ac.tz')
  let elapsed = 0
  for (const [index, delay] of [60, 300, 1800, 7200, 28_800].entries()) {
    assert.equal(await sendMails(deps, 10), 1)
    const [mail] = await world.mails()
    const { state, attempts, lastErrorCode, hasContent, isClaimed } = mail!
    assert.deepEqual([state, attempts, lastErrorCode, hasContent, isClaimed], ['due', index + 1, 'smtp_451', true, false])
    assert.ok(Math.abs(mail!.secondsLeft! - delay) < 5, `${mail!.secondsLeft} seconds before attempt ${index + 2}`)
    assert.equal(await sendMails(deps, 10), 0, 'nothing before its time')
    elapsed += delay
    await world.moveClock(elapsed)
  }
  assert.equal(await sendMails(deps, 10), 1)
  const [mail] = await world.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode, mail!.hasContent], ['failed', 6, 'smtp_451', false])
  assert.deepEqual(server.accepted, [])
})

test('a deferred mail arrives when the server works again', async (t) => {
  const { world, server, mailer, deps } = await startWithServer(t)
  await enqueue(world, 'asha@udsm.ac.tz')
  await sendMails({ ...deps, mailer: scripted(async () => ({ kind: 'later', errorCode: 'smtp_421' })) }, 10)
  await world.moveClock(61)
  await sendMails({ ...deps, mailer }, 10)
  const [mail] = await world.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode, server.accepted.length], ['sent', 2, null, 1])
})

test('parallel workers send each mail once', async (t) => {
  const { world, server, deps } = await startWithServer(t)
  const recipients = Array.from({ length: 40 }, (_, number) => `student${number}@udsm.ac.tz`)
  await Promise.all(recipients.map((to) => enqueue(world, to)))
  const work = async () => {
    while ((await sendMails(deps, 4)) > 0);
  }
  await Promise.all([work(), work(), work()])
  assert.deepEqual(server.accepted.flatMap(({ to }) => to).sort(), recipients.sort())
  const mails = await world.mails()
  assert.ok(mails.every(({ state, attempts }) => state === 'sent' && attempts === 1))
})

test('a mail whose worker died is claimed again when the lease expires, with the same Message-ID', async (t) => {
  const { world, server, deps } = await startWithServer(t)
  await enqueue(world, 'asha@udsm.ac.tz')
  const [claimed] = await claimMails(world.db, 10, 25)
  assert.equal(await sendMails(deps, 10), 0)
  await world.moveClock(24)
  assert.equal(await sendMails(deps, 10), 0)
  await world.moveClock(26)
  assert.equal(await sendMails(deps, 10), 1)
  assert.match(server.accepted[0]!.source, new RegExp(`^Message-ID: <${claimed!.id}@`, 'im'))
  assert.equal((await world.mails())[0]!.state, 'sent')
})

test('a worker that comes back after its lease changes nothing', async (t) => {
  const { world, deps } = await startWithServer(t)
  await enqueue(world, 'asha@udsm.ac.tz')
  const isSending = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<MailOutcome>()
  const slow = scripted(() => {
    isSending.resolve()
    return answer.promise
  })
  const late = sendMails({ ...deps, mailer: slow }, 10)
  await isSending.promise
  await world.moveClock(16)
  const meanwhile = scripted(async () => ({ kind: 'later', errorCode: 'smtp_451' }))
  assert.equal(await sendMails({ ...deps, mailer: meanwhile }, 10), 1)
  answer.resolve({ kind: 'refused', errorCode: 'smtp_550' })
  await late
  const [mail] = await world.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode], ['due', 1, 'smtp_451'])
  assert.ok(world.lines.some((line) => line.includes('mail.lease_lost')))
})

test('no transaction is open and no row locked while the worker waits for a server', async (t) => {
  const { world, deps } = await startWithServer(t)
  await enqueue(world, 'asha@udsm.ac.tz')
  const looking = scripted(async () => {
    await world.owner.rows(sql`select id from mails for update nowait`)
    const open = await world.owner.rows(sql`
      select pid from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`)
    assert.deepEqual(open, [])
    return { kind: 'sent' }
  })
  await sendMails({ ...deps, mailer: looking }, 10)
  assert.equal((await world.mails())[0]!.state, 'sent')
})

test('a mail that cannot be opened waits for operators and delays no other', async (t) => {
  const { world, server, deps } = await startWithServer(t)
  await enqueue(world, 'asha@udsm.ac.tz')
  await enqueue(world, 'juma@udsm.ac.tz')
  // The content of one mail cannot be opened in the row of the other.
  await world.owner.rows(sql`
    update mails m set sealed_content = o.sealed_content from mails o where m.recipient like 'asha%' and o.recipient like 'juma%'`)
  assert.equal(await sendMails(deps, 10), 2)
  const byRecipient = Object.fromEntries((await world.mails()).map((mail) => [mail.recipient, mail]))
  assert.equal(byRecipient['juma@udsm.ac.tz']!.state, 'sent')
  assert.deepEqual([byRecipient['asha@udsm.ac.tz']!.state, byRecipient['asha@udsm.ac.tz']!.lastErrorCode], ['due', 'unreadable'])
  assert.equal(server.accepted.length, 1)
})

test('no address, subject or text reaches the log', async (t) => {
  const { world, mailer, deps } = await startWithServer(t)
  for (const name of ['asha', 'unknown', 'stranger', 'later', 'drop']) {
    await enqueue(world, `${name}@udsm.ac.tz`)
    await sendMails({ ...deps, mailer }, 10)
  }
  assert.equal(world.lines.length, 5)
  assert.doesNotMatch(world.lines.join(), /SECRET|@|udsm|asha|new password/i)
  assert.match(world.lines[1]!, /"mail_id":"[0-9a-f-]{36}","kind":"password_reset","attempts":1,"error_code":"smtp_550"/)
})

test('the workers are notified of a mail when its transaction commits', async (t) => {
  const world = await startMailFixture(t)
  const client = await world.owner.pool.connect()
  const notified = Promise.withResolvers<string>()
  client.on('notification', ({ channel }) => notified.resolve(channel))
  await client.query('listen mails_due')
  await enqueue(world, 'asha@udsm.ac.tz')
  assert.equal(await notified.promise, 'mails_due')
  client.release()
})
