/** The snippets of the guide that integrators copy, and published verifiers, accept our webhooks and refuse a changed one. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { eventually, startTestApp } from './app.ts'

type ReceivedRequest = { body: Buffer; headers: Record<string, string> }

/** A real received webhook, and its secret. */
async function receiveOne(t: TestContext): Promise<ReceivedRequest & { secret: string }> {
  const received: ReceivedRequest[] = []
  const receiver = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      received.push({ body: Buffer.concat(pieces), headers: request.headers as Record<string, string> })
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close())
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { appId } = await app.key(student)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const made = await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  const page = await app.page(student)
  await app.checkout(page.slug)
  const first = await eventually('the webhook arrives', () => received[0])
  return { ...first, secret: made.body.data.secret }
}

const languages: Record<string, { program: string; file: string; run?: string }> = {
  js: { program: 'node', file: 'verify.mjs' },
  python: { program: 'python3', file: 'verify.py' },
  php: { program: 'php', file: 'verify.php' },
  go: { program: 'go', file: 'verify.go', run: 'run' },
}

test('the snippets of the guide distinguish a genuine webhook from a changed one', async (t) => {
  const { body, headers, secret } = await receiveOne(t)
  const guide = readFileSync(join(import.meta.dirname, '../docs/guides/webhooks.md'), 'utf8')
  const folder = mkdtempSync(join(tmpdir(), 'verify-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [language, { program, file, run: verb }] of Object.entries(languages)) {
    const snippet = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)
    assert.ok(snippet, `the guide has a snippet in ${language}`)
    if (spawnSync(program, ['--version']).error) {
      t.diagnostic(`${program} is not installed here: its snippet was not run`)
      continue
    }
    writeFileSync(join(folder, file), snippet[1]!)
    const run = ({ input = body, ...changes }: { input?: Buffer; TIMESTAMP?: string; SECRET?: string }) =>
      spawnSync(program, [...(verb ? [verb] : []), join(folder, file)], {
        input,
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          TIMESTAMP: headers['x-service-timestamp'],
          SIGNATURE: headers['x-service-signature'],
          SECRET: secret,
          ...changes,
        },
      }).status
    assert.equal(run({}), 0, `${language}: genuine`)
    assert.equal(run({ input: Buffer.concat([body, Buffer.from(' ')]) }), 1, `${language}: another body`)
    assert.equal(run({ TIMESTAMP: String(Number(headers['x-service-timestamp']) - 600) }), 1, `${language}: an old one`)
    assert.equal(run({ SECRET: `${secret}x` }), 1, `${language}: another secret`)
  }
})

test('two published verifiers of Standard Webhooks accept our headers [W09]', async (t) => {
  const { body, headers, secret } = await receiveOne(t)
  const changed = body.toString().replace('payment.completed', 'payment.refunded')
  for (const verifier of [new StandardWebhook(secret), new SvixWebhook(secret)]) {
    verifier.verify(body.toString(), headers)
    assert.throws(() => verifier.verify(changed, headers))
  }
})
