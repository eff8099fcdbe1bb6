/** Mail with real SMTP servers, and as files in a folder. */
import assert from 'node:assert/strict'
import { readFile, readdir, stat } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openMailer, startMailServer } from '../../../test/fixtures/mail.ts'
import type { MailMessage } from './mailer.ts'

const message: MailMessage = {
  id: '01978f6e-0000-7000-8000-000000000001',
  to: 'asha@udsm.ac.tz',
  subject: 'Weka nenosiri jipya – Malipo',
  text: 'Habari Asha,\n\nYour code is 4f9c81d2.\n.\nA line with one dot above.\n',
  sentAt: new Date('2026-01-25T09:30:00.000Z'),
}
const to = (address: string): MailMessage => ({ ...message, to: address })

test('a server accepts a mail to one person, and a repeat has the same Message-ID', async (t) => {
  const server = await startMailServer(t)
  const mailer = await openMailer(t, { smtpUrl: server.url })
  assert.deepEqual(await mailer.send(message), { kind: 'sent' })
  assert.deepEqual(await mailer.send(message), { kind: 'sent' })
  const [first, second] = server.accepted
  assert.deepEqual([first!.from, first!.to], ['no-reply@malipo.example', ['asha@udsm.ac.tz']])
  const { source } = first!
  assert.match(source, /^Message-ID: <01978f6e-0000-7000-8000-000000000001@malipo\.example>\r$/im)
  assert.match(source, /^Date: Sun, 25 Jan 2026 09:30:00 \+0000\r$/im)
  assert.match(source, /^From: Malipo <no-reply@malipo\.example>\r$/im)
  assert.match(source, /^To: asha@udsm\.ac\.tz\r$/im)
  assert.match(source, /^Auto-Submitted: auto-generated\r$/im)
  assert.match(source, /Your code is 4f9c81d2\.\r\n\.\r\nA line/)
  assert.match(second!.source, /^Message-ID: <01978f6e-0000-7000-8000-000000000001@malipo\.example>\r$/im)
})

test('only an answer of the server about the mailbox itself is final', async (t) => {
  const server = await startMailServer(t)
  const mailer = await openMailer(t, { smtpUrl: server.url })
  assert.deepEqual(await mailer.send(to('unknown@udsm.ac.tz')), { kind: 'refused', errorCode: 'smtp_550' })
  assert.deepEqual(await mailer.send(to('stranger@udsm.ac.tz')), { kind: 'later', errorCode: 'smtp_554' })
  assert.deepEqual(await mailer.send(to('later@udsm.ac.tz')), { kind: 'later', errorCode: 'smtp_451' })
  assert.deepEqual(await mailer.send(to('drop@udsm.ac.tz')), { kind: 'later', errorCode: 'econnection' })
  assert.deepEqual(await mailer.send(to('asha@udsm.ac.tz')), { kind: 'sent' }, 'the mailer goes on after each of them')
  assert.equal(server.accepted.length, 1)

  const unwanted = await startMailServer(t, {
    onMailFrom: (_address, _session, done) => done(Object.assign(new Error('5.1.8 bad sender'), { responseCode: 550 })),
  })
  const unwantedMailer = await openMailer(t, { smtpUrl: unwanted.url })
  assert.deepEqual(await unwantedMailer.send(message), { kind: 'later', errorCode: 'smtp_550' })
})

test('a server that hangs is cut off at the deadline, and delays no other mail', async (t) => {
  const server = await startMailServer(t)
  const mailer = await openMailer(t, { smtpUrl: server.url, deadlineMs: 700 })
  const startedAt = performance.now()
  const outcomes = await Promise.all([mailer.send(to('hang@udsm.ac.tz')), mailer.send(message)])
  assert.deepEqual(outcomes, [{ kind: 'later', errorCode: 'timeout' }, { kind: 'sent' }])
  assert.ok(performance.now() - startedAt < 3_000)
})

test('a server that sends an endless answer slowly is cut off at the deadline', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).write('220 slow\r\n')
    const timer = setInterval(() => socket.write('250-still there\r\n'), 50)
    socket.on('close', () => clearInterval(timer)).resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const mailer = await openMailer(t, { smtpUrl: `smtp://127.0.0.1:${port}`, deadlineMs: 500 })
  const startedAt = performance.now()
  const outcome = await Promise.race([mailer.send(message), sleep(3_000, 'still waiting', { ref: false })])
  assert.deepEqual(outcome, { kind: 'later', errorCode: 'timeout' })
  assert.ok(performance.now() - startedAt < 2_000)
})

test('a mail is retried later when the server cannot be reached', async (t) => {
  const mailer = await openMailer(t, { smtpUrl: 'smtp://127.0.0.1:9' })
  assert.deepEqual(await mailer.send(message), { kind: 'later', errorCode: 'esocket' })
})

test('no mail leaves the machine unencrypted, or to a server that cannot prove its name', async (t) => {
  // 0.0.0.0 leads to this machine too, and is not one of the exempt names.
  const clear = await startMailServer(t)
  const unproven = await startMailServer(t, { disabledCommands: ['AUTH'] })
  const secure = await startMailServer(t, { secure: true })
  for (const [server, smtpUrl] of [
    [clear, `smtp://0.0.0.0:${clear.port}`],
    [unproven, `smtp://0.0.0.0:${unproven.port}`],
    [secure, `smtps://127.0.0.1:${secure.port}`],
  ] as const) {
    const mailer = await openMailer(t, { smtpUrl })
    const outcome = await mailer.send(message)
    assert.equal(outcome.kind, 'later', smtpUrl)
    assert.match(outcome.errorCode, /tls|socket|smtp_50/, smtpUrl)
    assert.deepEqual(server.accepted, [])
  }
})

test('the server gets the user and password of the address', async (t) => {
  let shown: unknown
  const server = await startMailServer(t, {
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      shown = [username, password]
      done(null, { user: username })
    },
  })
  const mailer = await openMailer(t, { smtpUrl: `smtp://post%40malipo:p%3Aw%2F@127.0.0.1:${server.port}` })
  assert.deepEqual(await mailer.send(message), { kind: 'sent' })
  assert.deepEqual(shown, ['post@malipo', 'p:w/'])
})

test('without a server each mail is a real message in a file and its facts in another, readable by the owner only', async (t) => {
  const mailer = await openMailer(t)
  assert.deepEqual(await mailer.send(message), { kind: 'sent' })
  assert.deepEqual(await mailer.send(message), { kind: 'sent' }, 'a repeat replaces its files')
  assert.deepEqual((await readdir(mailer.folder)).sort(), [`${message.id}.eml`, `${message.id}.json`])
  const read = (ending: string) => readFile(join(mailer.folder, `${message.id}.${ending}`), 'utf8')
  const source = await read('eml')
  assert.match(source, /^Message-ID: <01978f6e-0000-7000-8000-000000000001@malipo\.example>\r$/im)
  assert.match(source, /^Subject: =\?UTF-8\?.*\?=\r$/im)
  assert.match(source, /\r\n\r\nHabari Asha,\r\n\r\nYour code is 4f9c81d2\.\r\n/)
  const { to: recipient, subject, text } = message
  assert.deepEqual(JSON.parse(await read('json')), { to: recipient, subject, text, sent_at: '2026-01-25T09:30:00.000Z' })
  assert.equal((await stat(mailer.folder)).mode & 0o777, 0o700)
  for (const ending of ['eml', 'json']) {
    assert.equal((await stat(join(mailer.folder, `${message.id}.${ending}`))).mode & 0o777, 0o600)
  }
})

test('a mail is retried later when the folder is not writable', async (t) => {
  const mailer = await openMailer(t, { folder: '/dev/null/mail' })
  assert.deepEqual(await mailer.send(message), { kind: 'later', errorCode: 'enotdir' })
})
