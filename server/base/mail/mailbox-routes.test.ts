/** The mailbox page shows the sent mails, and no mail can run anything on it. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createHttp } from '../../platform/http/http.ts'
import { createLog } from '../../platform/process/log.ts'
import { openMailer } from '../../../test/fixtures/mail.ts'
import { mailboxRoutes } from './mailbox-routes.ts'

const urls = { api: 'http://127.0.0.1:3000' }

function idOf(number: number): string {
  return `01978f6e-0000-7000-8000-${String(number).padStart(12, '0')}`
}

async function startMailbox(t: TestContext) {
  const mailer = await openMailer(t)
  const http = await createHttp({
    log: createLog({ level: 'silent', role: 'test' }),
    security: { note: () => undefined },
    trustedProxies: 0,
    dashboardOrigins: [],
    isPublicPath: () => false,
    swahiliOf: () => undefined,
    bodyLimitBytes: 1024,
    maxEventLoopDelayMs: 60_000,
    docUrl: 'http://127.0.0.1:3000/docs/errors',
    isDraining: () => false,
  })
  t.after(() => http.close())
  const { folder, deadlineMs } = mailer
  const pace = { deadlineMs, connections: 20, perMinute: undefined }
  const mail = { smtpUrl: undefined, from: 'Malipo <no-reply@malipo.example>', folder, ...pace }
  await mailboxRoutes(http, { config: { mode: 'local', mail, urls } })
  return { mailer, http, mail, look: () => http.inject({ url: '/local/mail' }) }
}

test('an empty mailbox says so', async (t) => {
  const { look } = await startMailbox(t)
  const page = await look()
  assert.equal(page.statusCode, 200)
  assert.match(page.body, /The mailbox is empty/)
})

test('mails are shown newest first, complete, and cannot affect the page', async (t) => {
  const { mailer, look } = await startMailbox(t)
  const sentAt = new Date('2026-01-25T09:30:00.000Z')
  await mailer.send({ id: idOf(1), to: 'asha@udsm.ac.tz', subject: 'First', text: 'Your code is 4f9c81d2.\n\nGoodbye', sentAt })
  const evil = `<script>alert('1')</script>"&</pre>`
  await mailer.send({ id: idOf(2), to: `<b>@udsm.ac.tz`, subject: `Second ${evil}`, text: evil, sentAt })
  const page = await look()
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(page.headers['cache-control'], 'no-store')
  const escaped = '&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;&lt;/pre&gt;'
  assert.ok(page.body.includes(`<h2>Second ${escaped}</h2><p>To &lt;b&gt;@udsm.ac.tz</p>`))
  assert.ok(page.body.includes(`<pre>${escaped}</pre>`))
  assert.doesNotMatch(page.body, /<script|<b>/)
  assert.ok(page.body.includes('<pre>Your code is 4f9c81d2.\n\nGoodbye</pre>'))
  assert.ok(page.body.includes('2026-01-25 09:30:00 UTC'))
  assert.ok(page.body.indexOf('Second') < page.body.indexOf('First'))

  const [, style] = /<style>(.*?)<\/style>/s.exec(page.body)!
  assert.equal(
    page.headers['content-security-policy'],
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style!).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
  )
})

test('a hundred mails are shown, and an incomplete file is not', async (t) => {
  const { mailer, mail, look } = await startMailbox(t)
  const sentAt = new Date('2026-01-25T09:30:00.000Z')
  for (let number = 1; number <= 103; number += 1) {
    await mailer.send({ id: idOf(number), to: 'asha@udsm.ac.tz', subject: `Number ${number}.`, text: 'Hello', sentAt })
  }
  await mkdir(mail.folder, { recursive: true })
  await writeFile(join(mail.folder, `${idOf(104)}.json.abc.unfinished`), '{"to":')
  const { body } = await look()
  const numbers = [...body.matchAll(/Number (\d+)\./g)].map(([, number]) => Number(number))
  assert.deepEqual(
    numbers,
    Array.from({ length: 100 }, (_, index) => 103 - index),
  )
})

test('the mailbox answers only under a name of this machine', async (t) => {
  const { http } = await startMailbox(t)
  const statusOf = async (host: string) => (await http.inject({ url: '/local/mail', headers: { host } })).statusCode
  for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST'])
    assert.equal(await statusOf(host), 200, host)
  for (const host of [
    'evil.example.com:3000',
    'localhost.evil.example.com',
    '127.0.0.1.evil.example',
    'x@localhost.evil',
    '0.0.0.0',
  ]) {
    assert.equal(await statusOf(host), 404, host)
  }
})

test('there is no mailbox in production, or when mail is really sent', async (t) => {
  const { http, mail } = await startMailbox(t)
  await assert.rejects(mailboxRoutes(http, { config: { mode: 'production', mail, urls } }), /Broken assumption/)
  const smtpUrl = 'smtp://127.0.0.1:25'
  await assert.rejects(mailboxRoutes(http, { config: { mode: 'local', mail: { ...mail, smtpUrl }, urls } }), /Broken assumption/)
})
