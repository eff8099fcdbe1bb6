/**
 * `@malipo/sdk` as an integrator installs it: built, packed, installed in an empty project, and used there against the real
 * service.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { runInNewContext } from 'node:vm'
import { pathToFileURL } from 'node:url'
import type * as sdk from '../sdk/src/malipo.ts'
import type * as sdkTesting from '../sdk/src/testing.ts'
import { eventually, share, startTestApp, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

const root = join(import.meta.dirname, '..')
const source = join(root, 'sdk')

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

const folder = mkdtempSync(join(tmpdir(), 'malipo-sdk-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Installed = { project: string; files: string[] }

let installed: Installed | undefined

/** An empty project with the packed SDK in it; once for this file. */
function install(): Installed {
  if (installed) return installed
  const [packed, project] = [join(folder, 'sdk'), join(folder, 'project')]
  run('npm', ['run', 'build:sdk', '--', '--outDir', join(packed, 'dist')], root)
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(source, file), join(packed, file))
  const [made] = JSON.parse(run('npm', ['pack', '--json'], packed)) as [{ filename: string; files: { path: string }[] }]
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  cpSync(join(packed, made.filename), join(project, made.filename))
  // As the README says it; the package has no dependencies, so nothing is fetched.
  run('bash', ['-c', 'npm install ./malipo-sdk-*.tgz --offline --no-audit --no-fund'], project)
  installed = { project, files: made.files.map(({ path }) => path) }
  return installed
}

/** Loads the installed package into this process, for checks that a script would show less clearly. */
async function load(): Promise<typeof sdk & typeof sdkTesting> {
  const at = join(install().project, 'node_modules/@malipo/sdk')
  const { exports } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as {
    exports: Record<'.' | './testing', { default: string }>
  }
  const [main, testing] = await Promise.all(
    (['.', './testing'] as const).map((name) => import(pathToFileURL(join(at, exports[name].default)).href)),
  )
  return { ...main, ...testing }
}

/** The examples of the SDK's README, word for word. */
function readExamples(): { payment: string; lists: string; payout: string; webhook: string } {
  const readme = readFileSync(join(source, 'README.md'), 'utf8')
  const [payment, lists, payout, webhook] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!)
  assert.ok(payment && lists && payout && webhook)
  return { payment, lists, payout, webhook }
}

/** Type checks a program of the empty project as a strict integrator would, our declarations included, and runs it. */
async function runProgram(files: Record<string, string>, env: Record<string, string>): Promise<any> {
  const { project } = install()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
  const names = Object.keys(files)
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--module', 'nodenext']
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  run('tsc', ['--ignoreConfig', ...options, ...types, '--allowImportingTsExtensions', ...names], project)
  const child = spawn(process.execPath, [names.at(-1)!], {
    cwd: project,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr]: string[][] = [[], []]
  child.stdout.on('data', (piece: Buffer) => stdout!.push(piece.toString()))
  child.stderr.on('data', (piece: Buffer) => stderr!.push(piece.toString()))
  const status = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(status, 0, stderr!.join(''))
  return JSON.parse(stdout!.join('').trim().split('\n').at(-1)!)
}

async function listen(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<string> {
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => answer(request, response, Buffer.concat(pieces)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const payer = { phone_number: '0754123789', customer_name: 'Juma', customer_email: 'juma@example.com' }

test('the package contains its programs, their types, a README and the licence, and has no dependencies', () => {
  const { files, project } = install()
  const names = globSync('*.ts', { cwd: join(source, 'src') }).map((file) => file.replace(/\.ts$/, ''))
  const expected = ['LICENSE', 'README.md', 'package.json', ...names.flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`])]
  assert.deepEqual(files.toSorted(), expected.toSorted())
  const at = join(project, 'node_modules/@malipo/sdk')
  const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Record<string, unknown>
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string }
  assert.deepEqual([manifest['dependencies'], manifest['private'], manifest['version']], [undefined, undefined, version])
  for (const file of files.filter((path) => path.startsWith('dist/'))) {
    const text = readFileSync(join(at, file), 'utf8')
    // Browsers and edge runtimes have no Node modules, so only the package's own files can be imported.
    assert.deepEqual(
      [...text.matchAll(/(?:from|import\()\s*['"]([^'"]+)/g)].map(([, name]) => name).filter((name) => !name!.startsWith('./')),
      [],
    )
    assert.doesNotMatch(text, /\b(?:require|process|Buffer)\b[.(]/)
  }
})

test('the first program of the README takes a payment for an account that is not verified yet', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student({ verified: false }))
  const program = `${readExamples().payment}\nconsole.log(JSON.stringify(payment))`
  const payment = await runProgram({ 'first.ts': program }, { MALIPO_API_KEY: key, MALIPO_URL: app.config.urls.api })
  assert.deepEqual([payment.status, payment.amount], ['completed', 2_500])
})

test('an integrator takes payments, reads all pages of the list, and learns why a page was refused', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const examples = readExamples()
  const rest = `
import { MalipoError } from '@malipo/sdk'
const first: 'completed' | string = payment.status
const page = await malipo.paymentPages.create({ type: 'payment', title: 'Chai', amount: 2500 })
const payer = { phone_number: '0754123789', customer_name: 'Juma', customer_email: 'juma@example.com' }
for (const idempotency_key of ['order-2', 'order-3', 'order-4', 'order-5']) {
  const made = await malipo.payments.checkout({ slug: page.slug, ...payer, idempotency_key })
  await malipo.payments.waitUntilFinal(made.reference, { timeoutMs: 60_000 })
}
const all: string[] = []
for await (const transaction of malipo.transactions.list({ limit: 2 })) all.push(transaction.reference!)
const one = await malipo.transactions.list({ limit: 2 }).page()
const next = await malipo.transactions.list({ limit: 2, cursor: one.next_cursor! }).page()
const balance = await malipo.balance.get()
const profile = await malipo.profile.get()
const renamed = await malipo.paymentPages.update(page.id, { title: 'Chai ya maziwa' })
const read = await malipo.paymentPages.get(page.slug)
const pages: string[] = []
for await (const { id } of malipo.paymentPages.list()) pages.push(id)
const events: string[] = []
for await (const event of malipo.events.list({ limit: 2 })) if (event.type === 'payment.completed') events.push(event.data.reference)
const status = await malipo.payments.status(reference, { wait: 1 })
const refused = await malipo.paymentPages.create({ type: 'payment', title: '', amount: 10 }).catch((error: unknown) => error)
if (!(refused instanceof MalipoError)) throw new Error('not refused')
const { type, code, httpStatus, requestId, errors, retryAfterSeconds } = refused
const stranger = new Malipo({ apiKey: 'svc_test_nobody', baseUrl: process.env.MALIPO_URL! })
const unknown = await stranger.balance.get().catch((error: MalipoError) => error.code)
console.log(JSON.stringify({ first, reference, all, one, next, balance, profile, title: renamed.title, read, page, pages, events, status,
  refused: { type, code, httpStatus, requestId, errors, retryAfterSeconds }, unknown }))
`
  const result = await runProgram(
    { 'take-payments.ts': `${examples.payment}${examples.lists}${rest}` },
    { MALIPO_API_KEY: key, MALIPO_URL: app.config.urls.api },
  )
  assert.equal(result.first, 'completed')
  assert.equal(result.status.status, 'completed')
  assert.equal(new Set(result.all).size, 5)
  assert.equal(result.all.length, 5)
  assert.equal(result.all.at(-1), result.reference)
  assert.deepEqual(
    [...result.one.data, ...result.next.data].map((transaction: { reference: string }) => transaction.reference),
    result.all.slice(0, 4),
  )
  assert.equal(result.one.has_more, true)
  assert.equal(result.balance.available, 5 * 2500)
  assert.deepEqual([result.profile.email, result.profile.environment], [student.email, 'test'])
  assert.equal(result.title, 'Chai ya maziwa')
  assert.equal(result.read.id, result.page.id)
  // Newest first; the example page of the new account follows.
  assert.deepEqual([result.pages.length, result.pages[0]], [2, result.page.id])
  assert.deepEqual(result.events.toSorted(), result.all.toSorted())
  const { refused } = result
  assert.deepEqual([refused.type, refused.code, refused.httpStatus], ['invalid_request', 'validation_error', 400])
  assert.ok(
    refused.errors.some(({ field }: { field: string }) => field === 'title'),
    JSON.stringify(refused.errors),
  )
  assert.match(refused.requestId, /./)
  assert.equal(result.unknown, 'invalid_api_key')
})

type ReceivedRequest = { headers: IncomingHttpHeaders; body: Buffer }

/** A shop whose webhooks arrive in this process. */
async function openShop(t: TestContext) {
  const received: ReceivedRequest[] = []
  const url = await listen(t, (request, response, body) => {
    received.push({ headers: request.headers, body })
    response.end()
  })
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { appId, key } = await app.key(student)
  const at = `/developers/apps/${appId}/webhook`
  const made = await app.call('POST', at, { token: student.token, body: { url: `${url}/hook` } })
  const page = await app.page(student)
  const pay = async (): Promise<ReceivedRequest> => {
    const before = received.length
    await app.checkout(page.slug)
    return eventually('the webhook arrives', () => received[before])
  }
  const rotate = async (): Promise<string> => {
    const rotated = await app.call('POST', `${at}/rotate`, { token: student.token, body: {} })
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body))
    return rotated.body.data.secret as string
  }
  const options = { apiKey: key, baseUrl: app.config.urls.api }
  return { page, pay, rotate, received, options, secret: made.body.data.secret as string }
}

test('a really received webhook is accepted, and every changed one is refused with its reason [R14]', async (t) => {
  const { verifyWebhook, WebhookVerificationError } = await load()
  const { page, pay, secret } = await openShop(t)
  const { headers, body } = await pay()
  const event = await verifyWebhook(body, headers, secret)
  assert.equal(event.type, 'payment.completed')
  // The type says what the data is.
  if (event.type === 'payment.completed') assert.deepEqual([event.data.payment_page_id, event.data.amount], [page.id, 1500])

  // The same headers, in each form in which a framework may give them.
  const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  const listed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value as string]]))
  for (const form of [upperCase, listed, new Headers(headers as Record<string, string>)]) {
    assert.deepEqual(await verifyWebhook(body.toString(), form, ['whsec_another', secret]), event)
  }

  // The same body, in each form in which a framework may give it, and a secret that was copied with its line break.
  const padded = new Uint8Array(body.length + 8)
  padded.set(body, 4)
  const other = runInNewContext(
    'bytes => { const copy = new ArrayBuffer(bytes.length); new Uint8Array(copy).set(bytes); return copy }',
  )
  const forms = [
    new Uint8Array(body),
    new Uint8Array(body).buffer,
    await new Response(new Uint8Array(body)).arrayBuffer(),
    new DataView(padded.buffer, 4, body.length),
    padded.subarray(4, 4 + body.length),
    other(body) as ArrayBuffer,
  ]
  for (const form of forms) assert.deepEqual(await verifyWebhook(form, headers, `${secret}\n`), event)
  assert.deepEqual(await verifyWebhook(body, headers, ['\n', ` \t${secret}\r\n`]), event)

  const at = Number(headers['x-service-timestamp']) * 1000
  const refusal = (...args: Parameters<typeof verifyWebhook>) =>
    verifyWebhook(...args).then(
      () => 'taken',
      (error: unknown) => (error instanceof WebhookVerificationError ? error.reason : error),
    )
  const moved = new Uint8Array(body).buffer
  structuredClone(moved, { transfer: [moved] })
  for (const parsed of [JSON.parse(body.toString()), undefined, null, 7, [body]]) {
    assert.equal(await refusal(parsed as never, headers, secret), 'body_not_raw')
  }
  assert.notEqual(await refusal(new DataView(new ArrayBuffer(0)), headers, secret), 'taken')
  assert.notEqual(await refusal(moved, headers, secret), 'taken')
  for (const none of [undefined, null, 7]) assert.equal(await refusal(body, none as never, secret), 'header_missing')
  for (const none of [null, 7, {}, [undefined], ' \n']) assert.equal(await refusal(body, headers, none as never), 'no_secret')
  const signed = (changes: Record<string, string | string[] | undefined>) => ({ ...headers, ...changes })
  const signature = headers['x-service-signature'] as string
  const changed = body.toString().replace('1500', '9500')
  assert.notEqual(changed, body.toString())
  assert.equal(await refusal(changed, headers, secret), 'signature_mismatch')
  assert.equal(await refusal(Buffer.concat([body, Buffer.from('\n')]), headers, secret), 'signature_mismatch')
  assert.equal(await refusal(body, headers, `${secret}x`), 'signature_mismatch')
  assert.equal(await refusal(body, headers, secret.replace('whsec_', '')), 'signature_mismatch')
  assert.equal(await refusal(body, headers, ''), 'no_secret')
  assert.equal(await refusal(body, headers, []), 'no_secret')
  assert.equal(await refusal(body, headers, undefined as never), 'no_secret')
  assert.equal(await refusal(body, signed({ 'x-service-signature': undefined }), secret), 'header_missing')
  assert.equal(await refusal(body, signed({ 'x-service-timestamp': undefined }), secret), 'header_missing')
  assert.equal(await refusal(body, signed({ 'x-service-timestamp': 'NaN' }), secret), 'header_malformed')
  assert.equal(await refusal(body, signed({ 'x-service-timestamp': String(at / 1000 + 1) }), secret), 'signature_mismatch')
  for (const wrong of ['', signature.slice(1), signature.toUpperCase(), `0${signature.slice(1)}1`, 'z'.repeat(64)]) {
    assert.equal(await refusal(body, signed({ 'x-service-signature': wrong }), secret), 'signature_mismatch')
  }
  assert.equal(await refusal(body, signed({ 'x-service-signature': [signature, signature] }), secret), 'signature_mismatch')

  // Five minutes in both directions, unless configured otherwise.
  const later = (seconds: number) => ({ now: new Date(at + seconds * 1000) })
  assert.equal(await refusal(body, headers, secret, later(300)), 'taken')
  assert.equal(await refusal(body, headers, secret, later(301)), 'timestamp_out_of_tolerance')
  assert.equal(await refusal(body, headers, secret, later(-301)), 'timestamp_out_of_tolerance')
  assert.equal(await refusal(body, headers, secret, { ...later(301), toleranceSeconds: 600 }), 'taken')
  assert.equal(await refusal(body, headers, secret, { ...later(0), toleranceSeconds: Number.NaN }), 'timestamp_out_of_tolerance')
})

test('signWebhook signs a body as the service does, for our verifier and for those of others', async (t) => {
  const { signWebhook } = await load()
  const { pay, secret } = await openShop(t)
  const { headers, body } = await pay()
  const timestamp = Number(headers['x-service-timestamp'])
  const says = /^(?:x-service-|webhook-|content-type$)/
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => says.test(name)))
  assert.deepEqual(await signWebhook(body, secret, { timestamp }), sent)
  assert.deepEqual(await signWebhook(body.toString(), secret, { timestamp }), sent)
  // A receiver's tests also send invalid data, under secrets of any form.
  for (const [text, other] of [['rubbish', secret] as const, [body, 'whsec_not base64!'] as const]) {
    const signed = await signWebhook(text, other, { timestamp })
    assert.deepEqual([signed['x-service-event'], signed['webhook-id']], ['payment.completed', undefined])
    assert.match(signed['x-service-signature']!, /^[0-9a-f]{64}$/)
  }
})

test('an event is sent again on request by its id', async (t) => {
  const { Malipo, MalipoError } = await load()
  const { pay, received, options } = await openShop(t)
  const { body } = await pay()
  const malipo = new Malipo(options)
  const { id } = JSON.parse(body.toString()) as { id: string }
  const { event_id, deliveries } = await malipo.events.resend(id)
  assert.deepEqual([event_id, deliveries.map((delivery) => [delivery.event_id, delivery.trigger])], [id, [[id, 'manual']]])
  const again = await eventually('it arrives again', () => received[1])
  assert.deepEqual(again.body, body)
  await assert.rejects(
    malipo.events.resend('evt_01jz8e6c9kf0x9v4m2n7q5t3ab'),
    (error) => error instanceof MalipoError && error.code === 'not_found',
  )
})

test('while a secret is rotated, receivers with the old one, the new one and both accept the webhook', async (t) => {
  const { verifyWebhook } = await load()
  const { pay, rotate, secret: old } = await openShop(t)
  const secret = await rotate()
  const { headers, body } = await pay()
  assert.ok('x-service-signature-previous' in headers)
  for (const known of [old, secret, [secret, old]])
    assert.equal((await verifyWebhook(body, headers, known)).type, 'payment.completed')
})

test('the receiver of the README accepts what signWebhook signs, and refuses everything else', async () => {
  const secret = 'whsec_c2VjcmV0'
  const webhook = readExamples().webhook.replace('await enqueue', 'taken')
  const program = `
import { signWebhook } from '@malipo/sdk/testing'
import { POST, takenIds } from './receiver.ts'
const body = JSON.stringify({ id: 'evt_1', type: 'payment.completed', created_at: '2026-01-25T09:30:00.000Z', data: { reference: 'pay_1' } })
const headers = await signWebhook(body, process.env.MALIPO_WEBHOOK_SECRET!)
const old = await signWebhook(body, process.env.MALIPO_WEBHOOK_SECRET!, { timestamp: 1_700_000_000 })
const send = async (text: string, given: Record<string, string>): Promise<string> => {
  const response = await POST(new Request('http://shop.example/hook', { method: 'POST', body: text, headers: given }))
  return response.status + ' ' + (await response.text())
}
console.log(JSON.stringify([await send(body, headers), await send(body + ' ', headers), await send(body, old), takenIds]))
`
  const receiver = `${webhook}
export const takenIds: string[] = []
function taken(id: string, _reference: string): void {
  takenIds.push(id)
}
`
  const result = await runProgram({ 'receiver.ts': receiver, 'main.ts': program }, { MALIPO_WEBHOOK_SECRET: secret })
  assert.deepEqual(result, ['200 ok', '400 signature_mismatch', '400 timestamp_out_of_tolerance', ['evt_1']])
})

type Step = 'refuse' | 'forward' | 'forward and refuse' | 'forward and break off' | 'forward and stay silent'

/** A proxy between the SDK and the service: each request gets the fault of its step, later requests are only forwarded. */
async function openTrouble(t: TestContext, app: TestApp, steps: Step[]) {
  const bodies: any[] = []
  const keys: unknown[] = []
  /** The statuses of the answers that were withheld. */
  const silent: number[] = []
  const url = await listen(t, (request, response, body) => {
    const step = steps[bodies.length] ?? 'forward'
    bodies.push(body.length > 0 ? JSON.parse(body.toString()) : undefined)
    keys.push(request.headers['idempotency-key'])
    const refuse = () => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Unavailable</h1>')
    if (step === 'refuse') return void refuse()
    const { host: _, connection: __, ...headers } = request.headers
    void fetch(`${app.config.urls.api}${request.url}`, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body: body.toString() }),
    }).then(async (answer) => {
      const text = await answer.text()
      if (step === 'forward and refuse') return void refuse()
      if (step === 'forward and break off') return void response.destroy()
      if (step === 'forward and stay silent') return void silent.push(answer.status)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })
  })
  return { url, bodies, keys, silent }
}

test('a checkout that meets refusals, a lost answer and a broken connection makes one payment', async (t) => {
  const { Malipo } = await load()
  const app = await sharedApp()
  const student = await app.student()
  const { key: apiKey } = await app.key(student)
  const page = await app.page(student)
  for (const steps of [
    ['refuse', 'refuse'],
    ['forward and refuse', 'forward and break off', 'refuse'],
  ] satisfies Step[][]) {
    const trouble = await openTrouble(t, app, steps)
    const malipo = new Malipo({ apiKey, baseUrl: trouble.url })
    const params = { slug: page.slug, ...payer }
    const { reference } = await malipo.payments.checkout(params)
    assert.equal(trouble.bodies.length, steps.length + 1)
    assert.equal(new Set(trouble.bodies.map(({ idempotency_key }) => idempotency_key)).size, 1, 'the key stays the same')
    assert.match(trouble.bodies[0].idempotency_key, /^[0-9a-f]{32}$/)
    assert.equal('idempotency_key' in params, false)
    assert.equal((await malipo.payments.waitUntilFinal(reference)).status, 'completed')
  }
  const direct = new Malipo({ apiKey, baseUrl: app.config.urls.api })
  assert.equal((await direct.transactions.list().page()).data.length, 2)
  assert.equal((await direct.paymentPages.get(page.id)).paid_count, 2)
})

test('reads are retried, a page is changed by one request only, and the number of tries is limited', async (t) => {
  const { Malipo, MalipoError } = await load()
  const app = await sharedApp()
  const student = await app.student()
  const { key: apiKey } = await app.key(student)
  const { id } = await app.page(student)
  const reads = await openTrouble(t, app, ['refuse', 'forward and break off'])
  assert.equal((await new Malipo({ apiKey, baseUrl: reads.url }).balance.get()).available, 0)
  assert.equal(reads.bodies.length, 3)

  const writes = await openTrouble(t, app, ['forward and refuse'])
  const malipo = new Malipo({ apiKey, baseUrl: writes.url })
  await assert.rejects(malipo.paymentPages.update(id, { title: 'Chai' }), (error) => {
    assert.ok(error instanceof MalipoError)
    assert.deepEqual([error.httpStatus, error.type, error.code], [503, 'api_error', 'unexpected_answer'])
    return true
  })
  assert.equal(writes.bodies.length, 1)

  const never = await openTrouble(t, app, Array<Step>(10).fill('refuse'))
  await assert.rejects(new Malipo({ apiKey, baseUrl: never.url, maxRetries: 1 }).balance.get(), MalipoError)
  assert.equal(never.bodies.length, 2)
})

test('a payment and a page are made once with any number of retries, and a call with the key of its error repeats it', async (t) => {
  const { Malipo, MalipoConnectionError } = await load()
  const app = await sharedApp()
  const { key: apiKey } = await app.key(await app.student())
  const direct = new Malipo({ apiKey, baseUrl: app.config.urls.api })
  const order = { amount: 5_000, phone_number: payer.phone_number, description: 'Order 1001', merchant_reference: 'A-1001' }
  const page = { type: 'payment', title: 'Chai', amount: 1500 } as const
  const calls = [
    async (malipo: sdk.Malipo, options?: sdk.CreateOptions) => (await malipo.payments.create(order, options)).reference,
    async (malipo: sdk.Malipo, options?: sdk.CreateOptions) => (await malipo.paymentPages.create(page, options)).id,
  ]
  for (const create of calls) {
    const trouble = await openTrouble(t, app, ['forward and break off', 'forward and refuse', 'refuse'])
    const id = await create(new Malipo({ apiKey, baseUrl: trouble.url }))
    assert.equal(trouble.bodies.length, 4)
    assert.equal(new Set(trouble.keys).size, 1, 'the key stays the same')
    assert.match(String(trouble.keys[0]), /^[0-9a-f]{32}$/)

    const lost = await openTrouble(t, app, ['forward and break off'])
    const error = await create(new Malipo({ apiKey, baseUrl: lost.url, maxRetries: 0 })).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof MalipoConnectionError && error.idempotencyKey === lost.keys[0])
    const second = await create(direct, { idempotencyKey: error.idempotencyKey! })
    assert.notEqual(second, id)
    const known = [await create(direct, { idempotencyKey: String(trouble.keys[0]) }), id]
    assert.equal(new Set(known).size, 1)
  }
  assert.equal((await direct.payments.list({ merchant_reference: 'A-1001' }).page()).data.length, 2)
  // Beside them stands the page of the sandbox.
  assert.equal((await direct.paymentPages.list().page()).data.length, 3)
})

test('a payment request is made once with any number of retries, and read, listed and cancelled', async (t) => {
  const { Malipo, MalipoError } = await load()
  const app = await sharedApp()
  const { key: apiKey } = await app.key(await app.student())
  const trouble = await openTrouble(t, app, ['forward and break off', 'forward and refuse', 'refuse'])
  const malipo = new Malipo({ apiKey, baseUrl: trouble.url })
  const made = await malipo.paymentRequests.create({ amount: 25_000, title: 'Order 1043', merchant_reference: 'A-1043' })
  assert.equal(trouble.bodies.length, 4)
  const listed = await malipo.paymentRequests.list({ merchant_reference: 'A-1043' }).page()
  assert.deepEqual(
    listed.data.map(({ id, status }) => [id, status]),
    [[made.id, 'open']],
  )
  assert.equal((await malipo.paymentRequests.cancel(made.id)).status, 'cancelled')
  assert.equal((await malipo.paymentRequests.get(made.id)).status, 'cancelled')
  const refused = await malipo.paymentRequests
    .create({ amount: 1, title: 'x' }, { idempotencyKey: 'mine' })
    .catch((error) => error)
  assert.ok(refused instanceof MalipoError && refused.idempotencyKey === 'mine')
})

test('a recipient is saved once with any number of retries, found, renamed and deleted', async (t) => {
  const { Malipo, MalipoError } = await load()
  const app = await sharedApp()
  const { key: apiKey } = await app.key(await app.student())
  const trouble = await openTrouble(t, app, ['forward and break off', 'forward and refuse', 'refuse'])
  const malipo = new Malipo({ apiKey, baseUrl: trouble.url })
  const made = await malipo.recipients.create({ name: 'Asha', phone_number: '0754123123' })
  assert.equal(trouble.bodies.length, 4)
  const known = await malipo.recipients.create({ name: 'Asha', phone_number: '0754 123 123' }).catch((error) => error)
  assert.ok(known instanceof MalipoError && known.code === 'recipient_exists')
  assert.deepEqual(known.details, { id: made.id })
  const renamed = await malipo.recipients.update(made.id, { name: 'Asha Mushi' })
  assert.deepEqual((await malipo.recipients.list({ q: 'mushi' }).page()).data, [renamed])
  assert.deepEqual(await malipo.recipients.get(made.id), renamed)
  const fee = await malipo.payouts.fee(20_000, { phone_number: '0754123123', recipient_name: 'Asha' })
  assert.deepEqual(fee.warnings, [])
  assert.deepEqual(await malipo.recipients.delete(made.id), { id: made.id, deleted: true })
  const gone = await malipo.recipients.get(made.id).catch((error) => error)
  assert.ok(gone instanceof MalipoError && gone.code === 'not_found')
})

test('a refund is made once with any number of retries, read, listed and cancelled', async (t) => {
  const { Malipo, MalipoConnectionError, MalipoError } = await load()
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '20000' } })
  const student = await app.student()
  const { key: apiKey } = await app.key(student)
  const page = await app.page(student, { amount: 40_000 })
  const [first, second] = [
    (await app.checkout(page.slug)).body.data.reference,
    (await app.checkout(page.slug)).body.data.reference,
  ]
  await app.settled(first)
  await app.settled(second)
  const trouble = await openTrouble(t, app, ['forward and break off', 'forward and refuse', 'refuse'])
  const malipo = new Malipo({ apiKey, baseUrl: trouble.url })
  const made = await malipo.refunds.create(first, { amount: 6_000, reason: 'One shirt too many' })
  assert.deepEqual([made.payment, made.amount], [first, 6_000])
  const listed = await malipo.refunds.list(first).page()
  assert.deepEqual(
    listed.data.map(({ id }) => id),
    [made.id],
  )
  assert.equal((await malipo.refunds.get(made.id)).reason, 'One shirt too many')
  assert.deepEqual(
    (await malipo.refunds.listAll({ payment: first }).page()).data.map(({ id }) => id),
    [made.id],
  )
  const month = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
  assert.ok((await malipo.statements.get(month)).totals.some(({ type, amount }) => type === 'refund' && amount === 6_000))
  const refused = await malipo.refunds.create(second, { amount: 40_001 }, { idempotencyKey: 'mine' }).catch((error) => error)
  assert.ok(refused instanceof MalipoError && refused.code === 'refund_exceeds_payment' && refused.idempotencyKey === 'mine')

  // The refund waits for an operator. A repeated cancel would be refused, as if the refund had been sent.
  const waiting = await malipo.refunds.create(second)
  const lossy = await openTrouble(t, app, ['forward and break off'])
  const cancelling = new Malipo({ apiKey, baseUrl: lossy.url }).refunds
  await assert.rejects(cancelling.cancel(waiting.id), MalipoConnectionError)
  assert.equal(lossy.bodies.length, 1)
  assert.equal((await cancelling.get(waiting.id)).failure?.code, 'cancelled')
  const other = await malipo.refunds.create(second)
  assert.equal((await malipo.refunds.cancel(other.id)).status, 'failed')
  const late = await malipo.refunds.cancel(other.id).catch((error) => error)
  assert.ok(late instanceof MalipoError && late.code === 'invalid_state')
})

test('Retry-After is followed, and a wait longer than the call’s deadline ends it at once', async (t) => {
  const { Malipo, MalipoError } = await load()
  let [asked, seconds] = [0, '1']
  const url = await listen(t, (_request, response) => {
    asked += 1
    response.writeHead(asked === 1 ? 429 : 200, { 'retry-after': seconds, 'x-request-id': 'request-1' })
    const error = { type: 'rate_limit', code: 'rate_limited', message: 'Too many.', request_id: 'request-1', doc_url: '' }
    response.end(JSON.stringify(asked === 1 ? { error } : { data: { available: 7 } }))
  })
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: url, timeoutMs: 10_000 })
  const startedAt = performance.now()
  assert.equal((await malipo.balance.get()).available, 7)
  assert.ok(performance.now() - startedAt >= 1000)
  ;[asked, seconds] = [0, '60']
  await assert.rejects(malipo.balance.get(), (error) => {
    assert.ok(error instanceof MalipoError)
    assert.deepEqual([error.code, error.retryAfterSeconds, error.requestId], ['rate_limited', 60, 'request-1'])
    return true
  })
  assert.equal(asked, 1)
})

/** A key whose test wallet holds this amount. */
async function openWallet(t: TestContext, amount = 100_000): Promise<{ app: TestApp; apiKey: string }> {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key: apiKey } = await app.key(student)
  const page = await app.page(student, { amount })
  const { body } = await app.checkout(page.slug)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
  return { app, apiKey }
}

test('an integrator pays out, waits for the end, sees the returned money, and reads the reason of a refusal', async (t) => {
  const { app, apiKey } = await openWallet(t)
  const rest = `
const quoted = await malipo.payouts.fee(20_000, { phone_number: '0754123123' })
const to = { amount: 20_000, recipient_name: 'Asha Mushi' }
const again = await malipo.payouts.create({ ...to, phone_number: '0754123123' }, { idempotencyKey: 'refund-1' })
const failed = await malipo.payouts.wait((await malipo.payouts.create({ ...to, phone_number: '0754123089' })).id)
const paid = await malipo.payouts.create({ ...to, phone_number: '0754123309', reference: 'R-1' })
let back = await malipo.payouts.wait(paid.id)
const first: 'completed' | 'failed' | string = back.status
while (back.status === 'completed') back = await malipo.payouts.get(paid.id)
const all: string[] = []
for await (const { id } of malipo.payouts.list({ limit: 1 })) all.push(id)
const mine: string[] = []
for await (const { id } of malipo.payouts.list({ reference: 'R-1', status: 'reversed' })) mine.push(id)
const balance = await malipo.balance.get()
const codeOf = (error: unknown) => (error instanceof MalipoError ? [error.code, error.httpStatus, error.idempotencyKey] : String(error))
const poor = await malipo.payouts.create({ ...to, amount: 5_000_000, phone_number: '0754123123' }, { idempotencyKey: 'poor' }).catch(codeOf)
const late = await malipo.payouts.cancel(payout.id).catch(codeOf)
const other = await malipo.payouts.create({ ...to, amount: 7_000, phone_number: '0754123123' }, { idempotencyKey: 'refund-1' }).catch(codeOf)
console.log(JSON.stringify({ ended, quoted, again, failed, first, back, all, mine, balance, poor, late, other }))
`
  const start = `import { Malipo, MalipoError } from '@malipo/sdk'
const malipo = new Malipo({ apiKey: process.env.MALIPO_API_KEY!, baseUrl: process.env.MALIPO_URL! })
`
  const result = await runProgram(
    { 'pay-out.ts': `${start}${readExamples().payout}${rest}` },
    { MALIPO_API_KEY: apiKey, MALIPO_URL: app.config.urls.api },
  )
  const { ended, quoted, again, failed, back } = result
  assert.deepEqual([ended.status, ended.amount, ended.fee], ['completed', 20_000, quoted.fee])
  assert.deepEqual([again.id, quoted.total_debited], [ended.id, 20_000 + quoted.fee])
  assert.deepEqual([failed.status, failed.failure.code], ['failed', 'recipient_not_found'])
  assert.deepEqual([back.status, ['completed', 'reversed'].includes(result.first)], ['reversed', true])
  assert.deepEqual(result.all, [back.id, failed.id, ended.id])
  assert.deepEqual(result.mine, [back.id])
  assert.deepEqual([result.balance.available, result.balance.reserved], [100_000 - quoted.total_debited, 0])
  assert.deepEqual(result.poor, ['insufficient_balance', 402, 'poor'])
  assert.deepEqual(result.late.slice(0, 2), ['invalid_state', 409])
  assert.deepEqual(result.other, ['idempotency_key_reused', 422, 'refund-1'])
})

test('a payout that meets refusals and lost answers is made once, and one with an unknown outcome can be requested again', async (t) => {
  const { Malipo, MalipoConnectionError, PayoutNotEndedError } = await load()
  const { app, apiKey } = await openWallet(t)
  const to = { amount: 10_000, phone_number: '0754123123', recipient_name: 'Asha Mushi' }
  const trouble = await openTrouble(t, app, ['refuse', 'forward and refuse', 'forward and break off'])
  const { id } = await new Malipo({ apiKey, baseUrl: trouble.url }).payouts.create(to)
  assert.equal(trouble.bodies.length, 4)
  assert.equal(new Set(trouble.keys).size, 1, 'the key stays the same')
  assert.match(String(trouble.keys[0]), /^[0-9a-f]{32}$/)

  const lost = await openTrouble(t, app, ['forward and break off'])
  const direct = new Malipo({ apiKey, baseUrl: app.config.urls.api })
  const error = await new Malipo({ apiKey, baseUrl: lost.url, maxRetries: 0 }).payouts
    .create(to)
    .catch((thrown: unknown) => thrown)
  assert.ok(error instanceof MalipoConnectionError && error.idempotencyKey === lost.keys[0])
  const second = await direct.payouts.create(to, { idempotencyKey: error.idempotencyKey! })
  assert.deepEqual(
    (await direct.payouts.list().page()).data.map((payout) => payout.id),
    [second.id, id],
  )
  for (const one of [id, second.id]) assert.equal((await direct.payouts.wait(one)).status, 'completed')

  const cancels = await openTrouble(t, app, ['refuse', 'refuse'])
  await assert.rejects(new Malipo({ apiKey, baseUrl: cancels.url }).payouts.cancel(id))
  assert.equal(cancels.bodies.length, 1, 'cancel is sent once')
  const never = await openTrouble(t, app, Array<Step>(50).fill('refuse'))
  await assert.rejects(
    new Malipo({ apiKey, baseUrl: never.url }).payouts.wait(id, { timeoutMs: 500 }),
    (thrown) => thrown instanceof PayoutNotEndedError && thrown.payout === undefined,
  )
})

/** Each call that makes something, with the key that a request of it carried. */
const creates: Record<string, (malipo: sdk.Malipo, options?: sdk.CreateOptions) => Promise<unknown>> = {
  'payments.create': (malipo, options) =>
    malipo.payments.create({ amount: 500, phone_number: '0754123789', description: 'x' }, options),
  'payments.checkout': (malipo, options) => malipo.payments.checkout({ slug: 'chai', ...payer }, options),
  'paymentPages.create': (malipo, options) =>
    malipo.paymentPages.create({ type: 'payment', title: 'Chai', amount: 500 }, options),
  'paymentRequests.create': (malipo, options) => malipo.paymentRequests.create({ amount: 500, title: 'x' }, options),
  'recipients.create': (malipo, options) => malipo.recipients.create({ name: 'Asha', phone_number: '0754123123' }, options),
  'refunds.create': (malipo, options) => malipo.refunds.create('pay_x', {}, options),
  'payouts.create': (malipo, options) =>
    malipo.payouts.create({ amount: 500, phone_number: '0754123123', recipient_name: 'Asha' }, options),
  'payoutBatches.create': (malipo, options) => malipo.payoutBatches.create({ items: [] }, options),
  'payoutBatches.createFromCsv': (malipo, options) => malipo.payoutBatches.createFromCsv('amount\n', options),
}

/** How a create can end without its object: what the service's side answers, the options of the SDK, and the error's reason or code. */
const endings: [
  name: string,
  answer: (response: ServerResponse) => unknown,
  options: Partial<sdk.MalipoOptions>,
  told: string,
][] = [
  ['no answer in time', () => {}, { timeoutMs: 100 }, 'timeout'],
  ['a broken connection', (response) => response.destroy(), { maxRetries: 0 }, 'network'],
  [
    'half an answer',
    (response) => response.writeHead(201, { 'content-length': 99 }).write('{', () => response.destroy()),
    { maxRetries: 0 },
    'network',
  ],
  [
    'an error of a proxy',
    (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
    { maxRetries: 0 },
    'unexpected_answer',
  ],
  [
    'an error of the service',
    (response) => response.writeHead(500).end('{"error":{"code":"internal_error","message":"x"}}'),
    {},
    'internal_error',
  ],
  ['an answer that is no JSON', (response) => response.writeHead(201).end('{"data":'), {}, 'unexpected_answer'],
  ['an answer without data', (response) => response.writeHead(201).end('null'), {}, 'unexpected_answer'],
]

/** The key of a request: in a checkout it is part of the body. */
function sentKey({ headers }: IncomingMessage, body: Buffer): unknown {
  return headers['idempotency-key'] ?? (JSON.parse(body.toString()) as { idempotency_key?: string }).idempotency_key
}

test('however a create ends without its object, the error contains the key that was sent', async (t) => {
  const { Malipo, MalipoAbortedError, MalipoConnectionError, MalipoError } = await load()
  let answer: (response: ServerResponse) => unknown = () => {}
  let sent: unknown
  const url = await listen(t, (request, response, body) => {
    sent = sentKey(request, body)
    answer(response)
  })
  const told = async (create: Promise<unknown>): Promise<[unknown, unknown]> => {
    const error = await create.catch((thrown: unknown) => thrown)
    if (error instanceof MalipoConnectionError) return [error.reason, error.idempotencyKey]
    if (error instanceof MalipoAbortedError) return ['aborted', error.idempotencyKey]
    return error instanceof MalipoError ? [error.code, error.idempotencyKey] : [error, undefined]
  }
  for (const [name, create] of Object.entries(creates)) {
    for (const [ending, answers, options, what] of endings) {
      answer = answers
      const found = await told(create(new Malipo({ apiKey: 'svc_test_x', baseUrl: url, ...options })))
      assert.deepEqual(found, [what, sent], `${name}: ${ending}`)
      assert.match(String(sent), /^[0-9a-f]{32}$/)
    }
    // The caller leaves while the answer is awaited, and in the pause before a retry.
    for (const answers of [() => {}, (response: ServerResponse) => response.writeHead(503).end()]) {
      const leave = new AbortController()
      answer = (response) => {
        answers(response)
        setTimeout(() => leave.abort(), 20)
      }
      const found = await told(create(new Malipo({ apiKey: 'svc_test_x', baseUrl: url }), { signal: leave.signal }))
      assert.deepEqual(found, ['aborted', sent], `${name}: aborted`)
    }
  }
})

test('a program that repeats every lost create ends when its signal is aborted', async (t) => {
  const { Malipo, MalipoAbortedError, MalipoConnectionError } = await load()
  const leave = new AbortController()
  const url = await listen(t, () => leave.abort())
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: url })
  for (const [name, create] of Object.entries(creates)) {
    let tries = 0
    const repeat = async (): Promise<unknown> => {
      for (;;) {
        tries += 1
        try {
          return await create(malipo, { idempotencyKey: 'order-1', signal: leave.signal })
        } catch (error) {
          if (!(error instanceof MalipoConnectionError) || tries === 5) throw error
        }
      }
    }
    const error = await repeat().catch((thrown: unknown) => thrown)
    assert.equal(tries, 1, name)
    assert.ok(error instanceof MalipoAbortedError, name)
    assert.deepEqual([error.name, error.idempotencyKey, error.cause], ['MalipoAbortedError', 'order-1', leave.signal.reason])
  }
})

test('a payout and a checkout that their caller aborts are made once, when they are repeated with the key of the error', async (t) => {
  const { Malipo, MalipoAbortedError } = await load()
  const { app, apiKey } = await openWallet(t)
  const direct = new Malipo({ apiKey, baseUrl: app.config.urls.api })
  const { slug } = await direct.paymentPages.create({ type: 'payment', title: 'Chai', amount: 1_500 })
  const to = { amount: 10_000, phone_number: '0754123123', recipient_name: 'Asha Mushi' }
  const leaving = new Error('leaving')
  const both: ((malipo: sdk.Malipo, options: sdk.CreateOptions) => Promise<string>)[] = [
    async (malipo, options) => (await malipo.payouts.create(to, options)).id,
    async (malipo, options) => (await malipo.payments.checkout({ slug, ...payer }, options)).reference,
  ]
  for (const create of both) {
    const trouble = await openTrouble(t, app, ['forward and stay silent'])
    // Several calls may share one signal, so each has an error of its own.
    const leave = new AbortController()
    const ended = create(new Malipo({ apiKey, baseUrl: trouble.url }), { signal: leave.signal }).catch(
      (thrown: unknown) => thrown,
    )
    await eventually('the service has made it', () => trouble.silent[0] === 201)
    leave.abort(leaving)
    const error = await ended
    assert.ok(error instanceof MalipoAbortedError, String(error))
    assert.equal(error.cause, leaving)
    const { idempotencyKey } = error
    const again = await create(direct, { idempotencyKey })
    assert.equal(await create(direct, { idempotencyKey }), again)
  }
  assert.equal((await direct.payouts.list().page()).data.length, 1)
  // Beside the checkout stands the payment that filled the wallet.
  assert.equal((await direct.payments.list().page()).data.length, 2)
})

test('a given key that is none is refused before anything is sent', async (t) => {
  const { Malipo } = await load()
  let asked = 0
  const url = await listen(t, (_request, response) => {
    asked += 1
    response.writeHead(201).end('{"data":{}}')
  })
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: url })
  // As of an error without a key, or of a row without one: a new key in its place could pay a second time.
  for (const idempotencyKey of [undefined, null, '', 7, 'oda–1'] as (string | undefined)[]) {
    for (const [name, create] of Object.entries(creates)) {
      await assert.rejects(create(malipo, { idempotencyKey }), TypeError, `${name}: ${idempotencyKey}`)
    }
    const checkout = { slug: 'chai', ...payer, idempotency_key: idempotencyKey }
    await assert.rejects(malipo.payments.checkout(checkout as sdk.CheckoutParams), TypeError)
  }
  assert.equal(asked, 0)
})

test('a retry sends what the first try sent, whatever the program does with its object meanwhile', async (t) => {
  const { Malipo } = await load()
  const bodies: string[] = []
  const url = await listen(t, (_request, response, body) => {
    bodies.push(body.toString())
    response.writeHead(bodies.length % 2 === 1 ? 503 : 201).end('{"data":{}}')
  })
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: url })
  const to = { amount: 500, phone_number: '0754123123', recipient_name: 'Asha' }
  const paying = malipo.payouts.create(to)
  to.phone_number = '0754999999'
  await paying
  assert.equal(bodies.length, 2)
  assert.equal(bodies[1], bodies[0])
  // Nothing was sent, so this is no error of the connection.
  await assert.rejects(malipo.payouts.create({ ...to, amount: 500n as unknown as number }), TypeError)
  assert.equal(bodies.length, 2)
})

test('an answer that does not come from the service is an error, whatever its status', async (t) => {
  const { Malipo, MalipoError } = await load()
  const answers = ['null', '{}', '[]', '7', '"data"', '<h1>Sign in to this network</h1>', '']
  let text = ''
  const url = await listen(t, (_request, response) => void response.end(text))
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: url })
  for (text of answers) {
    await assert.rejects(
      malipo.balance.get(),
      (error) => error instanceof MalipoError && error.code === 'unexpected_answer' && error.httpStatus === 200,
      text,
    )
  }
})

test('a checkout whose first try is repeated under its key', async (t) => {
  const { Malipo } = await load()
  const keys: unknown[] = []
  const url = await listen(t, (request, response, body) => {
    // Checkout is public and must not send a key.
    assert.equal(request.headers['x-api-key'], undefined)
    keys.push((JSON.parse(body.toString()) as { idempotency_key: string }).idempotency_key)
    const error = {
      type: 'conflict',
      code: 'idempotency_in_progress',
      message: 'It is running.',
      request_id: 'request-1',
      doc_url: '',
    }
    response
      .writeHead(keys.length === 1 ? 409 : 201)
      .end(JSON.stringify(keys.length === 1 ? { error } : { data: { reference: 'pay_1' } }))
  })
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: url })
  const { reference } = await malipo.payments.checkout({ slug: 'chai', ...payer, idempotency_key: 'order-1' })
  assert.equal(reference, 'pay_1')
  assert.deepEqual(keys, ['order-1', 'order-1'])
})

test('one deadline and the caller’s signal end a call, and a payment that is not final is never reported as failed', async (t) => {
  const { Malipo, MalipoConnectionError, PaymentNotFinalError } = await load()
  const silent = await listen(t, () => {})
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: silent, timeoutMs: 300 })
  await assert.rejects(malipo.balance.get(), (error) => error instanceof MalipoConnectionError && error.reason === 'timeout')
  const leaving = new Error('leaving')
  await assert.rejects(malipo.balance.get({ signal: AbortSignal.abort(leaving) }), leaving)
  const leave = new AbortController()
  const waiting = malipo.payments.waitUntilFinal('pay_x', { signal: leave.signal })
  setTimeout(() => leave.abort(leaving), 50)
  await assert.rejects(waiting, leaving)
  const unreachable = new Malipo({ apiKey: 'svc_test_x', baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
  await assert.rejects(unreachable.balance.get(), (error) => error instanceof MalipoConnectionError && error.reason === 'network')

  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const { key: apiKey } = await app.key(student)
  const patient = new Malipo({ apiKey, baseUrl: app.config.urls.api })
  // The payer of this number never enters the PIN.
  const { reference } = await patient.payments.checkout({ ...payer, slug: page.slug, phone_number: '0754123456' })
  await assert.rejects(patient.payments.waitUntilFinal(reference, { timeoutMs: 1_500 }), (error) => {
    assert.ok(error instanceof PaymentNotFinalError)
    assert.equal(error.payment?.status, 'pending')
    return true
  })
})

test('a call may wait without an end, and a timeout that is none is refused before anything is sent', async (t) => {
  const { Malipo, PaymentNotFinalError } = await load()
  let calls = 0
  const slow = await listen(t, (_request, response) => {
    calls += 1
    setTimeout(() => response.end(JSON.stringify({ data: { reference: 'pay_1', status: 'completed' } })), 100)
  })
  for (const timeoutMs of [Infinity, 2 ** 31]) {
    const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: slow, timeoutMs, maxRetries: 0 })
    assert.equal((await malipo.payments.status('pay_1')).status, 'completed')
    assert.equal((await malipo.payments.waitUntilFinal('pay_1', { timeoutMs })).status, 'completed')
  }
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: slow })
  assert.equal((await malipo.payments.status('pay_1', { timeoutMs: Infinity })).status, 'completed')
  calls = 0
  for (const timeoutMs of [0, -1, NaN]) {
    await assert.rejects(malipo.balance.get({ timeoutMs }), { name: 'TypeError', message: /timeoutMs/ })
    await assert.rejects(malipo.payments.checkout({ ...payer, slug: 'chai' }, { timeoutMs }), {
      name: 'TypeError',
      message: /timeoutMs/,
    })
  }
  assert.equal(calls, 0)
  await assert.rejects(malipo.payments.waitUntilFinal('pay_1', { timeoutMs: 0 }), PaymentNotFinalError)
})

test('a redirect is not followed: the key is sent only to its own host', async (t) => {
  const { Malipo, MalipoError } = await load()
  const keys: unknown[] = []
  const elsewhere = await listen(t, (request, response) => {
    keys.push(request.headers['x-api-key'])
    response.end('{"data":{}}')
  })
  const url = await listen(t, (_request, response) => void response.writeHead(307, { location: elsewhere }).end())
  await assert.rejects(new Malipo({ apiKey: 'svc_test_x', baseUrl: url }).balance.get(), MalipoError)
  assert.deepEqual(keys, [])
})

test('a checkout without a key gets a random one that cannot be guessed, a new one each time [A91]', async (t) => {
  const { Malipo } = await load()
  const keys: string[] = []
  const url = await listen(t, (_request, response, body) => {
    keys.push((JSON.parse(body.toString()) as { idempotency_key: string }).idempotency_key)
    response.writeHead(201).end(JSON.stringify({ data: { reference: 'pay_1' } }))
  })
  const malipo = new Malipo({ apiKey: 'svc_test_x', baseUrl: url })
  for (let n = 0; n < 3; n++) await malipo.payments.checkout({ slug: 'chai', ...payer })
  assert.ok(
    keys.every((key) => /^[0-9a-f]{32}$/.test(key)),
    keys.join(),
  )
  assert.equal(new Set(keys).size, 3)
})
