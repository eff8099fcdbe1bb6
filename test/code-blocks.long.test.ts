/** The documentation's commands, word for word, that no other test runs: test/code-blocks.ts says which test runs which. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { codeBlocksOf, runnable } from './code-blocks.ts'
import { eventually, freePorts, startTestApp } from './app.ts'
import { businessFacts } from './onboarding.ts'

const root = join(import.meta.dirname, '..')

type Shell = { output: string; code: number | null }

function runShell(script: string, env: Record<string, string>, cwd = root): Promise<Shell> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  return new Promise((resolve) => shell.once('close', (code) => resolve({ output, code })))
}

/** The shell after the quick start: its functions, a key and a page. */
async function shellOfQuickStart(t: TestContext) {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key } = await app.key(student)
  const { slug } = await app.page(student, { amount: null, allow_custom_amount: true })
  const functions = codeBlocksOf('docs/quick-start.md')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^(?:json|post)\(\)/.test(line))
  assert.equal(functions.length, 2)
  const env = { BASE: app.config.urls.api, KEY: key, SLUG: slug }
  return { app, env, preamble: `${functions.join('\n')}\n`, key }
}

const blockOf = (file: string, language = 'sh'): string => {
  const [block, ...more] = codeBlocksOf(file).filter((one) => one.language === language)
  assert.ok(block && more.length === 0, `${file} has one block of ${language}`)
  return runnable(block)
}

test('the commands of the concepts do what the surrounding text says', async (t) => {
  const { app, env, preamble } = await shellOfQuickStart(t)
  const once = await runShell(preamble + blockOf('docs/concepts/idempotency.md'), env)
  assert.deepEqual(once, { output: 'one payment\n', code: 0 })
  await eventually('the payment is in the wallet', async () => {
    const { output, code } = await runShell(preamble + blockOf('docs/concepts/reconciliation.md'), env)
    assert.equal(code, 0, output)
    const [header, line, ...more] = output.trim().split('\n')
    assert.ok(header!.includes('balance_after') && more.length === 0, output)
    return line?.includes('pay_')
  })
  assert.equal((await app.truth()).charges.length, 1)
})

test('the command of the guide to payment requests makes one', async (t) => {
  const { env, preamble } = await shellOfQuickStart(t)
  const made = await runShell(preamble + blockOf('docs/guides/payment-requests.md'), env)
  assert.deepEqual(made, { output: 'open\n', code: 0 })
})

test('the command of the guide to payout batches uploads one', async (t) => {
  const { env, preamble } = await shellOfQuickStart(t)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-guide-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const made = await runShell(preamble + blockOf('docs/guides/payout-batches.md'), env, folder)
  assert.deepEqual(made, { output: 'draft\n', code: 0 })
})

test('the commands of the guide to webhooks create one with a session, and print its secret', async (t) => {
  const { app, env, preamble } = await shellOfQuickStart(t)
  const person = {
    full_name: 'Neema Joseph',
    student_id: 'T-1',
    institution: 'UDSM',
    email: 'neema@example.com',
    phone_number: '0754000111',
    password: 'karibu-malipo-2026',
  }
  const { access_token: token, sandbox } = (await app.call('POST', '/v1/auth/register', { body: person })).body.data
  // The test app of the business is the newest of the person's apps.
  assert.equal((await app.call('POST', '/v1/businesses', { token, body: businessFacts })).status, 201)
  const [create] = codeBlocksOf('docs/guides/webhooks.md').filter(({ language }) => language === 'sh')
  const hook = 'http://127.0.0.1:4000/webhooks/malipo'
  const script = create!.text
    .replace('you@example.com', person.email)
    .replace('your password', person.password)
    .replace('https://shop.example.co.tz/webhooks/malipo', hook)
  const { output, code } = await runShell(preamble + script, env)
  assert.equal(code, 0, output)
  const { data } = (await app.call('GET', `/developers/apps/${sandbox.app_id}/webhook`, { token })).body
  assert.deepEqual([data.url, data.events], [hook, ['*']])
  assert.match(output, /^whsec_\S+\n$/)
})

/** A program that runs until the test ends, in a folder of its own. */
function startProgram(t: TestContext, args: string[], folder: string, env: Record<string, string>) {
  const child = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'], ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { output: () => output, ended }
}

test('the shop of the page for running it yourself goes on after a request that breaks off', async (t) => {
  const [port] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-guide-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'shop.mjs'), blockOf('docs/operations/quick-start.md', 'js').replace('4000', String(port)))
  const shop = startProgram(t, ['shop.mjs'], folder, { SECRET: 'x' })
  const status = () =>
    fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{}' }).then(
      (answer) => answer.status,
      () => undefined,
    )
  await eventually('the shop is open', async () => (await status()) === 400)
  const socket = connect(port!, '127.0.0.1')
  await new Promise<void>((resolve) => {
    socket.write('POST /hook HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\n{', () => resolve())
  })
  socket.destroy()
  await eventually('the shop says what happened', () => shop.output().includes('aborted'))
  assert.equal(await status(), 400, shop.output())
})

test('the shop of the example says when its port is taken, and ends with an error', async (t) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, resolve))
  t.after(() => taken.close())
  const folder = mkdtempSync(join(tmpdir(), 'malipo-shop-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const url = `http://127.0.0.1:${(taken.address() as AddressInfo).port}`
  const names = ['MALIPO_URL', 'MALIPO_API_KEY', 'MALIPO_WEBHOOK_SECRET', 'ADMIN_PASSWORD', 'SHOP_URL']
  const env = Object.fromEntries(names.map((name) => [name, url]))
  const shop = startProgram(t, [join(root, 'examples/shop-node/shop.mjs')], folder, env)
  assert.equal(await shop.ended, 1)
  assert.match(shop.output(), /EADDRINUSE/)
  assert.doesNotMatch(shop.output(), /The shop is open/)
})

/** The installed `malipo`, and a merchant's server that keeps the webhooks it receives. */
async function commandLine(t: TestContext) {
  const { app, key } = await shellOfQuickStart(t)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-guide-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'malipo'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'scripts/malipo.ts')}" "$@"\n`)
  chmodSync(join(folder, 'malipo'), 0o755)
  const received: string[] = []
  const shop = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume().once('end', () => response.end())
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  t.after(() => shop.close())
  const port = (shop.address() as AddressInfo).port
  const env = {
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
    HOME: folder,
    MALIPO_BASE_URL: app.config.urls.api,
  }
  /** Runs one line in a shell and types the answers to its prompts. */
  async function line(words: string, typed = ''): Promise<string> {
    const { output, code } = await runShell(`${words.replace('localhost:4000', `127.0.0.1:${port}`)} <<< '${typed}'`, env, folder)
    assert.equal(code, 0, `${words}: ${output}`)
    return output
  }
  /** Runs a command that continues until the test ends. */
  function begin(words: string): () => string {
    const child = spawn('bash', ['-c', `exec ${words.replace('localhost:4000', `127.0.0.1:${port}`)}`], { cwd: folder, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
    t.after(() => child.kill('SIGKILL'))
    return () => output
  }
  return { key, folder, received, line, begin }
}

test('the commands of the guide to webhooks and of the command line bring events to a laptop', async (t) => {
  const { key, folder, received, line, begin } = await commandLine(t)
  const [, laptop] = codeBlocksOf('docs/guides/webhooks.md').filter(({ language }) => language === 'sh')
  const lines = laptop!.text
    .trim()
    .split('\n')
    .map((one) => one.split(/\s{2,}#/)[0]!.trim())
  const [login, listen, trigger, simulate, resend, ...more] = lines
  assert.deepEqual(
    [login, listen, trigger, simulate, resend].map((one) => one!.split(' ')[1]),
    ['login', 'listen', 'trigger', 'simulate', 'events'],
  )
  assert.deepEqual(more, [])
  await line(login!, key)
  const listening = begin(listen!)
  await eventually('it says which secret it signs with', () => /whsec_/.test(listening()))
  const eventId = /evt_\w{26}/.exec(await line(trigger!))![0]
  await eventually('the webhook arrives', () => received.includes(eventId))
  assert.match(await line(simulate!), /insufficient_funds/)
  const before = received.length
  await line(resend!.replace('evt_…', eventId))
  assert.equal(received.length, before + 1)

  // The README of the command line has the same first lines, and one that starts a server with the secret.
  const [first, second] = codeBlocksOf('cli/README.md').map(runnable)
  assert.deepEqual(first!.trim().split('\n'), [login, listen])
  writeFileSync(join(folder, 'server.js'), 'console.log(process.env.MALIPO_WEBHOOK_SECRET)\n')
  assert.ok(listening().includes((await line(second!.trim())).trim()))
})
