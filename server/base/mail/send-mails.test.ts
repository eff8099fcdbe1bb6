/** Every mail is sent, once if no process dies, and its content is erased afterwards. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, startTestApp } from '../../../test/app.ts'
import { startShop } from '../../../test/webhook-shop.ts'
import { sql } from '../../platform/db/db.ts'
import {
  openMailer,
  sendMails,
  startMailServer,
  startMailFixture,
  type MailFixture,
  type MailServer,
} from '../../../test/fixtures/mail.ts'
import { enqueueMail, enqueueMails } from './mail.ts'
import { claimMails, readOldestMails } from './mail.sql.ts'
import type { Mailer, MailMessage, MailOutcome } from './mailer.ts'
import { startMails } from './send-mails.ts'

const text = 'Your code is 4f9c-SECRET-81d2.'

function enqueue(app: MailFixture, to: string): Promise<void> {
  return enqueueMail(app, app.db, { to, kind: 'password_reset', subject: 'A new password: SECRET', text })
}

/** A mailer with the answers of the test. */
function scripted(send: (message: MailMessage) => Promise<MailOutcome>): Mailer {
  return { deadlineMs: 5_000, send, close: () => undefined }
}

async function startWithServer(t: TestContext, options: Parameters<typeof startMailServer>[1] = {}) {
  const app = await startMailFixture(t)
  const server = await startMailServer(t, options)
  const mailer = await openMailer(t, { smtpUrl: server.url })
  return { app, server, mailer, deps: { ...app, mailer } }
}

test('a due mail is sent, and its content is erased', async (t) => {
  const { app, server, deps } = await startWithServer(t)
  assert.equal(await sendMails(deps, 10), 0)
  await enqueue(app, 'asha@udsm.ac.tz')
  assert.equal(await sendMails(deps, 10), 1)
  assert.equal(await sendMails(deps, 10), 0)
  assert.deepEqual(
    server.accepted.map(({ to }) => to),
    [['asha@udsm.ac.tz']],
  )
  assert.match(server.accepted[0]!.source, /4f9c-SECRET-81d2/)
  const [mail] = await app.mails()
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
  const { app, deps } = await startWithServer(t)
  await enqueue(app, 'unknown@udsm.ac.tz')
  await sendMails(deps, 10)
  const [mail] = await app.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode, mail!.hasContent], ['failed', 1, 'smtp_550', false])
})

test('a deferred mail is retried after 1 minute, 5, 30, 2 hours and 8, and then given up', async (t) => {
  const { app, server, deps } = await startWithServer(t)
  await enqueue(app, 'later@udsm.ac.tz')
  let elapsed = 0
  for (const [index, delay] of [60, 300, 1800, 7200, 28_800].entries()) {
    assert.equal(await sendMails(deps, 10), 1)
    const [mail] = await app.mails()
    const { state, attempts, lastErrorCode, hasContent, isClaimed } = mail!
    assert.deepEqual([state, attempts, lastErrorCode, hasContent, isClaimed], ['due', index + 1, 'smtp_451', true, false])
    assert.ok(Math.abs(mail!.secondsLeft! - delay) < 5, `${mail!.secondsLeft} seconds before attempt ${index + 2}`)
    assert.equal(await sendMails(deps, 10), 0, 'nothing before its time')
    elapsed += delay
    await app.moveClock(elapsed)
  }
  assert.equal(await sendMails(deps, 10), 1)
  const [mail] = await app.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode, mail!.hasContent], ['failed', 6, 'smtp_451', false])
  assert.deepEqual(server.accepted, [])
})

test('a deferred mail arrives when the server works again', async (t) => {
  const { app, server, mailer, deps } = await startWithServer(t)
  await enqueue(app, 'asha@udsm.ac.tz')
  await sendMails({ ...deps, mailer: scripted(async () => ({ kind: 'later', errorCode: 'smtp_421' })) }, 10)
  await app.moveClock(61)
  await sendMails({ ...deps, mailer }, 10)
  const [mail] = await app.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode, server.accepted.length], ['sent', 2, null, 1])
})

/** The addresses to which a server has accepted mail. */
const arrivedAt = ({ accepted }: MailServer): string[] => accepted.flatMap(({ to }) => to)

const receiptsTo = (app: MailFixture, addresses: string[]): Promise<void> =>
  enqueueMails(
    app,
    app.db,
    addresses.map((to) => ({ to, kind: 'receipt', subject: 'Receipt', text: 'Paid.', isBulk: true })),
  )

test('a code arrives within seconds while 500 receipts wait', async (t) => {
  const { app, server, deps } = await startWithServer(t, { accepts: () => sleep(100) })
  await receiptsTo(
    app,
    Array.from({ length: 500 }, (_, number) => `payer${number}@udsm.ac.tz`),
  )
  const mails = startMails(deps)
  await eventually('receipts are being sent', async () => server.accepted.length >= 20)
  const startedAt = performance.now()
  await enqueue(app, 'asha@udsm.ac.tz')
  mails.wake()
  await eventually('the code arrives', async () => arrivedAt(server).includes('asha@udsm.ac.tz'))
  assert.ok(performance.now() - startedAt < 3_000)
  assert.ok(server.accepted.length < 450, 'most receipts were still waiting')
  const [urgent, bulk] = await readOldestMails(app.db)
  assert.ok(urgent!.seconds < 3 && bulk!.seconds > 0)
  await eventually('all receipts arrive', async () => arrivedAt(server).length === 501)
  await mails.stop()
  assert.equal(new Set(arrivedAt(server)).size, 501)
})

test('receipts whose server hangs do not delay a code', async (t) => {
  const { app, server, deps } = await startWithServer(t)
  await receiptsTo(
    app,
    Array.from({ length: 20 }, () => 'hang@udsm.ac.tz'),
  )
  const mails = startMails(deps)
  await eventually('receipts are in flight', async () => (await app.mails()).filter((mail) => mail.isClaimed).length === 10)
  const startedAt = performance.now()
  await enqueue(app, 'asha@udsm.ac.tz')
  mails.wake()
  await eventually('the code arrives', async () => server.accepted.length === 1)
  assert.ok(performance.now() - startedAt < 3_000)
  await mails.stop()
})

test('no more mails than a minute allows are sent, and a part of them is kept for codes', async (t) => {
  const { app, server, deps } = await startWithServer(t)
  const paced = { ...deps, config: { mail: { connections: 4, perMinute: 10 } } }
  await receiptsTo(
    app,
    Array.from({ length: 20 }, (_, number) => `payer${number}@udsm.ac.tz`),
  )
  // Two workers share the pace.
  const workers = [startMails(paced), startMails(paced)]
  await eventually('the receipts of this minute are sent', async () => server.accepted.length === 8)
  for (const name of ['asha', 'juma', 'neema']) await enqueue(app, `${name}@udsm.ac.tz`)
  workers.forEach((worker) => worker.wake())
  await eventually('the codes of this minute are sent', async () => server.accepted.length === 10)
  await Promise.all(workers.map((worker) => worker.stop()))
  const waiting = (await app.mails()).filter(({ state }) => state === 'due')
  assert.deepEqual([waiting.length, server.accepted.length], [13, 10])
  assert.ok(waiting.every(({ attempts, isClaimed, secondsLeft }) => attempts === 0 && !isClaimed && secondsLeft! <= 0))
  await app.moveClock(61)
  const later = startMails({ ...deps, config: { mail: { connections: 4, perMinute: 100 } } })
  await eventually('the rest follows in the next minute', async () => server.accepted.length === 23)
  await later.stop()
})

test('a mail server that answers nothing holds up no payment and no webhook', async (t) => {
  const gate = Promise.withResolvers<void>()
  const server = await startMailServer(t, { accepts: () => gate.promise })
  const app = await startTestApp(t, { worker: true, settings: { SMTP_URL: server.url } })
  const { page, received } = await startShop(t, app, (response) => response.end())
  for (let number = 0; number < 12; number += 1) {
    const { body } = await app.checkout(page.slug, { customer_email: `payer${number}@udsm.ac.tz` })
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
  }
  await eventually('the webhooks are delivered', async () => received.length === 12)
  const receipts = () => arrivedAt(server).filter((to) => to.startsWith('payer'))
  assert.deepEqual(receipts(), [])
  gate.resolve()
  await eventually('the receipts arrive', async () => receipts().length === 12)
})

test('parallel workers send each mail once', async (t) => {
  const { app, server, deps } = await startWithServer(t)
  const recipients = Array.from({ length: 40 }, (_, number) => `student${number}@udsm.ac.tz`)
  await Promise.all(recipients.map((to) => enqueue(app, to)))
  const work = async () => {
    while ((await sendMails(deps, 4)) > 0);
  }
  await Promise.all([work(), work(), work()])
  assert.deepEqual(server.accepted.flatMap(({ to }) => to).sort(), recipients.sort())
  const mails = await app.mails()
  assert.ok(mails.every(({ state, attempts }) => state === 'sent' && attempts === 1))
})

test('a mail whose worker died is claimed again when the lease expires, with the same Message-ID', async (t) => {
  const { app, server, deps } = await startWithServer(t)
  await enqueue(app, 'asha@udsm.ac.tz')
  const [claimed] = await claimMails(app.db, { limit: 10, isBulk: false, leaseSeconds: 25 })
  assert.equal(await sendMails(deps, 10), 0)
  await app.moveClock(24)
  assert.equal(await sendMails(deps, 10), 0)
  await app.moveClock(26)
  assert.equal(await sendMails(deps, 10), 1)
  assert.match(server.accepted[0]!.source, new RegExp(`^Message-ID: <${claimed!.id}@`, 'im'))
  assert.equal((await app.mails())[0]!.state, 'sent')
})

test('a worker that comes back after its lease changes nothing', async (t) => {
  const { app, deps } = await startWithServer(t)
  await enqueue(app, 'asha@udsm.ac.tz')
  const isSending = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<MailOutcome>()
  const slow = scripted(() => {
    isSending.resolve()
    return answer.promise
  })
  const late = sendMails({ ...deps, mailer: slow }, 10)
  await isSending.promise
  await app.moveClock(16)
  const meanwhile = scripted(async () => ({ kind: 'later', errorCode: 'smtp_451' }))
  assert.equal(await sendMails({ ...deps, mailer: meanwhile }, 10), 1)
  answer.resolve({ kind: 'refused', errorCode: 'smtp_550' })
  await late
  const [mail] = await app.mails()
  assert.deepEqual([mail!.state, mail!.attempts, mail!.lastErrorCode], ['due', 1, 'smtp_451'])
  assert.ok(app.lines.some((line) => line.includes('mail.lease_lost')))
})

test('no transaction is open and no row locked while the worker waits for a server', async (t) => {
  const { app, deps } = await startWithServer(t)
  await enqueue(app, 'asha@udsm.ac.tz')
  const looking = scripted(async () => {
    await app.owner.rows(sql`select id from mails for update nowait`)
    const open = await app.owner.rows(sql`
      select pid from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`)
    assert.deepEqual(open, [])
    return { kind: 'sent' }
  })
  await sendMails({ ...deps, mailer: looking }, 10)
  assert.equal((await app.mails())[0]!.state, 'sent')
})

test('a mail that cannot be opened waits for operators and delays no other', async (t) => {
  const { app, server, deps } = await startWithServer(t)
  await enqueue(app, 'asha@udsm.ac.tz')
  await enqueue(app, 'juma@udsm.ac.tz')
  // The content of one mail cannot be opened in the row of the other.
  await app.owner.rows(sql`
    update mails m set sealed_content = o.sealed_content from mails o where m.recipient like 'asha%' and o.recipient like 'juma%'`)
  assert.equal(await sendMails(deps, 10), 2)
  const byRecipient = Object.fromEntries((await app.mails()).map((mail) => [mail.recipient, mail]))
  assert.equal(byRecipient['juma@udsm.ac.tz']!.state, 'sent')
  assert.deepEqual([byRecipient['asha@udsm.ac.tz']!.state, byRecipient['asha@udsm.ac.tz']!.lastErrorCode], ['due', 'unreadable'])
  assert.equal(server.accepted.length, 1)
})

test('no address, subject or text reaches the log', async (t) => {
  const { app, mailer, deps } = await startWithServer(t)
  for (const name of ['asha', 'unknown', 'stranger', 'later', 'drop']) {
    await enqueue(app, `${name}@udsm.ac.tz`)
    await sendMails({ ...deps, mailer }, 10)
  }
  assert.equal(app.lines.length, 5)
  assert.doesNotMatch(app.lines.join(), /SECRET|@|udsm|asha|new password/i)
  assert.match(app.lines[1]!, /"mail_id":"[0-9a-f-]{36}","kind":"password_reset","attempts":1,"error_code":"smtp_550"/)
})

test('the workers are notified of a mail when its transaction commits', async (t) => {
  const app = await startMailFixture(t)
  const client = await app.owner.pool.connect()
  const notified = Promise.withResolvers<string>()
  client.on('notification', ({ channel }) => notified.resolve(channel))
  await client.query('listen mails_due')
  await enqueue(app, 'asha@udsm.ac.tz')
  assert.equal(await notified.promise, 'mails_due')
  client.release()
})
