/**
 * `@malipo/cli` as an integrator installs it: built, packed, installed beside the packed SDK in an empty project, and used there
 * against the real service.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import type * as sdk from '../sdk/src/malipo.ts'
import { eventTypes } from '../server/domain/webhook.ts'
import { eventually, freePorts, startTestApp, type Student, type TestApp, type TestAppOptions } from './app.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'malipo-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

function pack(name: 'sdk' | 'cli'): { tarball: string; files: string[] } {
  const packed = join(folder, name)
  run('npm', ['run', `build:${name}`, '--', '--outDir', join(packed, 'dist')], root)
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(root, name, file), join(packed, file))
  const [made] = JSON.parse(run('npm', ['pack', '--json'], packed)) as [{ filename: string; files: { path: string }[] }]
  return { tarball: join(packed, made.filename), files: made.files.map(({ path }) => path) }
}

type Installed = { project: string; program: string; files: string[] }

let installed: Installed | undefined

/** An empty project with both packages in it; once for this file. */
function install(): Installed {
  if (installed) return installed
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const [client, cli] = [pack('sdk'), pack('cli')]
  for (const { tarball } of [client, cli]) cpSync(tarball, join(project, basename(tarball)))
  // As the README says it, in a folder of its own instead of that of the machine.
  const line = 'npm install --global ./malipo-sdk-*.tgz ./malipo-cli-*.tgz'
  run('bash', ['-c', `${line} --offline --no-audit --no-fund --prefix "$PWD"`], project)
  installed = { project, program: join(project, 'bin/malipo'), files: cli.files }
  return installed
}

async function verifyWebhook(...args: Parameters<typeof sdk.verifyWebhook>): Promise<sdk.WebhookEvent> {
  const at = join(install().project, 'lib/node_modules/@malipo/sdk/dist/malipo.js')
  const loaded = (await import(pathToFileURL(at).href)) as typeof sdk
  return loaded.verifyWebhook(...args)
}

type Running = {
  stdout(): string
  stderr(): string
  /** The lines that `--json` has printed so far. */
  lines(): any[]
  exited: Promise<number | null>
  interrupt(): void
}

/** Starts the installed program. Of this process's environment it gets only the PATH. */
function start(t: TestContext, args: string[], env: Record<string, string>, input?: string): Running {
  const { program, project } = install()
  const child = spawn(program, args, { cwd: project, env: { PATH: process.env['PATH'], ...env } })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()))
  child.stdin.end(input)
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  t.after(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    lines: () =>
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    exited,
    interrupt: () => child.kill('SIGINT'),
  }
}

type Ended = { code: number | null; stdout: string; stderr: string }

async function malipo(t: TestContext, args: string[], env: Record<string, string>, input?: string): Promise<Ended> {
  const running = start(t, args, env, input)
  const code = await running.exited
  const ended = { code, stdout: running.stdout(), stderr: running.stderr() }
  assert.doesNotMatch(ended.stdout + ended.stderr, /^\s+at .*:\d+/m, 'no stack trace')
  return ended
}

/** One line of `--json`. */
async function asked(t: TestContext, args: string[], env: Record<string, string>): Promise<any> {
  const { code, stdout, stderr } = await malipo(t, [...args, '--json'], env)
  assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void

async function serve(t: TestContext, answer: Answer, port = 0): Promise<string> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => answer(request, response, Buffer.concat(pieces)))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type ReceivedRequest = { headers: IncomingHttpHeaders; body: Buffer; at: Date }

/** A merchant's server on this machine. `answer` gives the status of each delivery. */
async function openReceiver(t: TestContext, options: { port?: number; answer?: (request: ReceivedRequest) => number } = {}) {
  const received: ReceivedRequest[] = []
  const url = await serve(
    t,
    (request, response, body) => {
      const one = { headers: request.headers, body, at: new Date() }
      received.push(one)
      response.writeHead(options.answer?.(one) ?? 200).end()
    },
    options.port,
  )
  return { url: `${url}/hooks`, received }
}

type Shop = {
  app: TestApp
  student: Student
  apiKey: string
  appId: string
  token: string
  slug: string
  env: Record<string, string>
  config: string
}

/** A merchant with a page and a key, and an empty home folder. */
async function openShop(t: TestContext, options: TestAppOptions = {}): Promise<Shop> {
  const app = await startTestApp(t, { worker: true, ...options })
  const student = await app.student()
  const { key: apiKey, appId } = await app.key(student)
  const page = await app.page(student)
  const home = mkdtempSync(join(folder, 'home-'))
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    MALIPO_API_KEY: apiKey,
    MALIPO_BASE_URL: app.config.urls.api,
  }
  return {
    app,
    student,
    apiKey,
    appId,
    token: student.token,
    slug: page.slug,
    env,
    config: join(home, 'config/malipo/config.json'),
  }
}

/** Pays the shop's page through the simulator; returns the payment's reference. */
async function pay({ app, slug }: Shop): Promise<string> {
  const { body } = await app.checkout(slug)
  return body.data.reference as string
}

const subjectOf = ({ data }: sdk.WebhookEvent): string => ('reference' in data ? data.reference : data.id)
const referenceOf = ({ body }: ReceivedRequest): string => subjectOf(JSON.parse(body.toString()) as sdk.WebhookEvent)

/** Starts `malipo listen` and waits until it reports that it listens. */
async function startListening(t: TestContext, args: string[], env: Record<string, string>) {
  const listening = start(t, ['listen', '--json', ...args], env)
  const ready = await eventually('it listens', () => listening.lines().find(({ kind }) => kind === 'ready'))
  return { ...listening, secret: ready.secret as string }
}

const ofKind = (listening: Running, kind: string): any[] => listening.lines().filter((line) => line.kind === kind)

/** A proxy between the program and the service; `meddle` may answer instead of the service. */
async function openProxy(
  t: TestContext,
  app: TestApp,
  meddle: (response: ServerResponse, text: () => Promise<any>) => Promise<boolean>,
) {
  return serve(t, (request, response, body) => {
    const ask = () =>
      fetch(`${app.config.urls.api}${request.url}`, {
        method: request.method!,
        headers: { 'x-api-key': request.headers['x-api-key'] as string },
        ...(body.length > 0 && { body: body.toString() }),
      })
    void meddle(response, async () => (await ask()).json()).then(async (isAnswered) => {
      if (isAnswered) return
      const answer = await ask()
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
  })
}

test('the package contains its program, a README and the licence, and depends only on the SDK', async (t) => {
  const { files, project } = install()
  assert.deepEqual(files.filter((file) => !file.startsWith('dist/')).toSorted(), ['LICENSE', 'README.md', 'package.json'])
  assert.deepEqual(
    files.filter((file) => file.startsWith('dist/') && !file.endsWith('.js')),
    [],
  )
  const manifest = JSON.parse(readFileSync(join(project, 'lib/node_modules/@malipo/cli/package.json'), 'utf8'))
  const client = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8'))
  assert.deepEqual(manifest.dependencies, { '@malipo/sdk': client.version })
  const imported = files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(project, 'lib/node_modules/@malipo/cli', file), 'utf8'))
    .flatMap((text) => [...text.matchAll(/^import\b[^'"=]*['"]([^'"]+)['"];$/gm)].map(([, name]) => name!))
    .filter((name) => !/^(?:node:|\.\/)/.test(name))
  assert.deepEqual([...new Set(imported)].toSorted(), ['@malipo/sdk', '@malipo/sdk/testing'])

  const help = await malipo(t, ['--help'], {})
  assert.deepEqual([help.code, help.stderr], [0, ''])
  const commands = [
    'login',
    'logout',
    'whoami',
    'listen',
    'simulate',
    'trigger',
    'events list',
    'events resend',
    'payments create',
    'payments list',
    'payments show',
    'requests create',
    'requests list',
    'requests show',
    'requests cancel',
    'refunds create',
    'refunds list',
    'refunds all',
    'refunds show',
    'refunds cancel',
  ]
  for (const command of commands) {
    assert.match(help.stdout, new RegExp(`^  ${command} `, 'm'))
    const own = await malipo(t, [...command.split(' '), '--help'], {})
    assert.equal(own.code, 0)
    assert.match(own.stdout, new RegExp(`^Usage: malipo ${command}`, 'm'))
    // Each also has a description for readers.
    assert.match(readFileSync(join(root, 'cli/README.md'), 'utf8'), new RegExp(`malipo ${command}`))
  }
  assert.equal((await malipo(t, ['--version'], {})).stdout, `${manifest.version}\n`)
})

test('in the repository the program runs from its sources', () => {
  assert.match(run('npm', ['run', '--silent', 'malipo', '--', '--help'], root), /^Usage: malipo/m)
})

test('a wrong command line gets an explanation of what to do, and exit code 2', async (t) => {
  const env = { MALIPO_API_KEY: `svc_test_${'a'.repeat(38)}`, MALIPO_BASE_URL: 'http://127.0.0.1:1', HOME: folder }
  const wrong: [string[], RegExp][] = [
    [[], /Usage: malipo/],
    [['lissen'], /There is no command "lissen"\. There are: login, /],
    [['events'], /There is no command "events"\. There are: events list, events resend/],
    [['--json'], /The command comes first/],
    [['listen', '--forward'], /Unknown option '--forward'\. "malipo listen --help"/],
    [['listen', '--forward-to'], /argument missing\. "malipo listen --help"/],
    [['listen', '--forward-to', 'localhost:4000'], /--forward-to is a URL, as in http:\/\/localhost:4000\/hooks/],
    [['listen', '--since', 'yesterday'], /--since is an age, as in 30s/],
    [['listen', 'here'], /Unexpected argument "here"/],
    [
      ['simulate', '--amount', '50.000'],
      /--amount is a whole number of TZS, as in --amount 50000 or --amount 50,000, not "50\.000"\. Write no decimals/,
    ],
    [['simulate', '--outcome', 'bankruptcy'], /no outcome "bankruptcy"\. These are known: completed, payer_limit, /],
    [['trigger'], /An argument is missing\. "malipo trigger --help"/],
    [['trigger', 'payment.faild'], /"payment\.faild" cannot be triggered\. These can: payment\.completed, payment\.failed/],
    [['trigger', 'payout.cancelled'], /"payout\.cancelled" cannot be triggered: a test payout is sent at once/],
    [['listen', '--events', 'payment.faild'], /no event type "payment\.faild"\. These are known: payment\.completed/],
    [['events', 'resend', 'pay_1'], /begins with evt_/],
    [['payments', 'create', '--amount', '5000'], /Give --amount, --phone and --description/],
    [['payments', 'list', '--status', 'open'], /--status is one of pending, processing, completed/],
    [['payments', 'list', '--limit', '0'], /--limit is 1 or more/],
    [['payments', 'show', 'preq_1'], /begins with pay_/],
    [['refunds', 'create', 'rf_1'], /begins with pay_, not "rf_1"/],
    [['refunds', 'show', 'pay_1'], /begins with rf_, not "pay_1"/],
    [['refunds', 'cancel'], /An argument is missing/],
    [['refunds', 'create', 'pay_1', '--amount', '600.5'], /--amount is a whole number/],
    [['whoami', '--base-url', 'example.com'], /The address of the service is a URL/],
  ]
  const answers = await Promise.all(wrong.map(([args]) => malipo(t, args, env)))
  for (const [index, { code, stdout, stderr }] of answers.entries()) {
    const [args, sentence] = wrong[index]!
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, sentence)
  }
})

test('login stores a valid key, readable for its owner only, and rejects an invalid one', async (t) => {
  const { app, apiKey, token, env, config } = await openShop(t)
  const { MALIPO_API_KEY: _, ...bare } = env
  const refused: [string, RegExp][] = [
    [`svc_live_${'a'.repeat(38)}`, /This is a live key, and malipo is for the test environment only/],
    ['whsec_c2VjcmV0', /not a test key of Malipo/],
    [`${apiKey.slice(0, -1)}${apiKey.endsWith('a') ? 'b' : 'a'}`, /^invalid_api_key: .*\(request \S+\)\n/],
    [' \n', /No key was given/],
  ]
  for (const [key, sentence] of refused) {
    const { code, stdout, stderr } = await malipo(t, ['login'], bare, key)
    assert.deepEqual([code, stdout], [key.trim() === '' ? 2 : 1, ''])
    assert.match(stderr, sentence)
    if (key.trim() !== '') assert.ok(!stderr.includes(key), 'the input is not shown')
    assert.equal(existsSync(config), false)
  }
  assert.match((await malipo(t, ['whoami'], bare)).stderr, /no API key yet: run "malipo login"/)

  const { code, stdout, stderr } = await malipo(t, ['login'], bare, `${apiKey}\n`)
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^Logged in at http:\/\/127\.0\.0\.1:\d+ as Student \w+, app Shop\./)
  assert.ok(!stdout.includes(apiKey))
  assert.equal(statSync(config).mode & 0o777, 0o600)
  assert.equal(statSync(join(config, '..')).mode & 0o777, 0o700)
  assert.deepEqual(JSON.parse(readFileSync(config, 'utf8')), { base_url: app.config.urls.api, api_key: apiKey })

  // From here on neither the key nor the address has to be given.
  const { MALIPO_BASE_URL: __, ...kept } = bare
  const shown = await malipo(t, ['whoami'], kept)
  assert.match(shown.stdout, /^Environment {2}test\nApp {10}Shop \(app_\w+\)\n/m)
  assert.ok(!(shown.stdout + shown.stderr).includes(apiKey))
  assert.match((await malipo(t, ['whoami'], { ...kept, MALIPO_API_KEY: `svc_live_${'a'.repeat(38)}` })).stderr, /live key/)

  // A key with few scopes gets a message that names the missing one; a key that cannot read the profile is still valid.
  const shopApp = await app.call('POST', '/developers/apps', { token, body: { name: 'Small', environment: 'test' } })
  const keyWith = async (scopes: string[]): Promise<string> => {
    const body = { app_id: shopApp.body.data.id, key_name: 'small', scopes }
    return (await app.call('POST', '/developers/keys', { token, body })).body.data.key
  }
  const small = await malipo(t, ['login', '--api-key', await keyWith(['profile:read'])], kept)
  assert.deepEqual([small.code, /lacks transactions:read, pages:read, pages:write/.test(small.stderr)], [0, true])
  assert.equal((await malipo(t, ['login', '--api-key', await keyWith(['balance:read'])], kept)).code, 0)
  const unable = await malipo(t, ['events', 'list'], kept)
  assert.equal(unable.code, 1)
  assert.match(unable.stderr, /^insufficient_scope: .*\nUse a key with the scope transactions:read\.\n$/)

  const elsewhere = join(env['HOME']!, 'elsewhere.json')
  assert.equal((await malipo(t, ['login', '--config', elsewhere], bare, apiKey)).code, 0)
  assert.equal(statSync(elsewhere).mode & 0o777, 0o600)
  assert.match((await malipo(t, ['whoami'], { HOME: folder, MALIPO_CONFIG: elsewhere })).stdout, /^Name {9}Student/)

  assert.equal((await malipo(t, ['logout'], kept)).code, 0)
  assert.equal(existsSync(config), false)
  assert.match((await malipo(t, ['whoami'], kept)).stderr, /no API key yet/)
})

/** A terminal: types its input at the prompts and prints everything that a person would have seen. */
const terminal = `
import os, pty, sys
pid, screen = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen, typed = b'', False
while True:
    try:
        piece = os.read(screen, 4096)
    except OSError:
        break
    if not piece:
        break
    seen += piece
    if not typed and b'not shown' in seen:
        typed = True
        os.write(screen, sys.argv[1].encode().decode('unicode_escape').encode())
sys.stdout.write(seen.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

test('login does not show the typed key, accepts corrections, and stops at Ctrl-C', async (t) => {
  const { apiKey, env, config } = await openShop(t)
  if (spawnSync('python3', ['--version']).error) {
    t.diagnostic('python3 is not installed here: there is no terminal to type into')
    return
  }
  const { MALIPO_API_KEY: _, ...bare } = env
  const type = async (typed: string): Promise<{ code: number | null; seen: string }> => {
    const child = spawn('python3', ['-c', terminal, typed, install().program, 'login'], {
      env: { PATH: process.env['PATH'], ...bare },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let seen = ''
    child.stdout.on('data', (piece: Buffer) => (seen += piece.toString()))
    return { code: await new Promise((resolve) => child.once('close', resolve)), seen }
  }
  const left = await type(String.raw`svc_\x03`)
  assert.deepEqual([left.code, /Nothing was stored/.test(left.seen), existsSync(config)], [1, true, false])
  const { code, seen } = await type(String.raw`sqqqq\x7f\x7f\x7f\x7f${apiKey.slice(1)}\r`)
  assert.equal(code, 0, seen)
  assert.equal(JSON.parse(readFileSync(config, 'utf8')).api_key, apiKey)
  assert.ok(!seen.includes(apiKey.slice(1)) && !seen.includes('qqqq'), seen)
})

test('a payment reaches a receiver on this machine within two seconds, as the very webhook that the service sends', async (t) => {
  const shop = await openShop(t)
  const { app, appId, token, env, config } = shop
  const [here, public_] = await Promise.all([openReceiver(t), openReceiver(t)])
  const at = `/developers/apps/${appId}/webhook`
  const webhook = await app.call('POST', at, { token, body: { url: public_.url } })
  assert.equal(webhook.status, 201)
  // Earlier events are not reported again.
  await app.settled(await pay(shop))
  const listening = await startListening(t, ['--forward-to', here.url], env)
  const reference = await pay(shop)
  const { completed_at } = await app.settled(reference)
  const got = await eventually('it arrives here', () => here.received[0])
  const tookMs = got.at.getTime() - Date.parse(completed_at)
  t.diagnostic(`from the completion to the receiver: ${tookMs} ms`)
  assert.ok(tookMs < 2_000, `${tookMs} ms`)

  const { secret } = listening
  const event = await verifyWebhook(got.body, got.headers, secret)
  assert.equal(event.type, 'payment.completed')
  // The type says what the data is.
  if (event.type === 'payment.completed') assert.deepEqual([event.data.reference, event.data.amount], [reference, 1500])
  const standard = new StandardWebhook(secret)
  assert.deepEqual(standard.verify(got.body, got.headers as Record<string, string>), event)
  await assert.rejects(verifyWebhook(Buffer.concat([got.body, Buffer.from(' ')]), got.headers, secret))

  // The body equals the webhook sent to the app's address byte by byte, with exactly the same headers.
  const real = await eventually('the webhook arrives', () => public_.received.find((one) => referenceOf(one) === reference))
  assert.deepEqual(got.body, real.body)
  assert.deepEqual(Object.keys(got.headers).toSorted(), Object.keys(real.headers).toSorted())
  const differing = new Set([
    'host',
    'connection',
    'traceparent',
    'x-service-timestamp',
    'x-service-signature',
    'webhook-timestamp',
    'webhook-signature',
  ])
  for (const [name, value] of Object.entries(real.headers)) if (!differing.has(name)) assert.equal(got.headers[name], value, name)

  const [delivery] = await eventually(
    'it is shown',
    () => ofKind(listening, 'delivery').length > 0 && ofKind(listening, 'delivery'),
  )
  assert.deepEqual([delivery.event_id, delivery.amount, delivery.status, delivery.outcome], [event.id, 1500, 200, 'succeeded'])
  listening.interrupt()
  assert.equal(await listening.exited, 0)
  assert.deepEqual([listening.stderr(), listening.lines().at(-1)], ['', { kind: 'stopped', not_delivered: 0 }])
  assert.equal(here.received.length, 1)

  // The secret is the same next time, and only its owner can read it.
  assert.equal((await malipo(t, ['listen', '--print-secret'], env)).stdout, `${secret}\n`)
  assert.equal(statSync(config).mode & 0o777, 0o600)
})

test('events are printed line by line, with the secret first, and Ctrl-C ends it', async (t) => {
  const shop = await openShop(t)
  const here = await openReceiver(t)
  const listening = start(t, ['listen', '--forward-to', here.url], shop.env)
  await eventually('it listens', () => listening.stdout().includes('Ctrl-C'))
  assert.match(listening.stdout(), /signed with this secret:\n\n {2}whsec_[\w+/]{43}=\n/)
  const only = start(t, ['listen'], shop.env)
  await eventually('it listens', () => only.stdout().includes('Ctrl-C'))
  await pay(shop)
  const line = /^\d\d:\d\d:\d\d {2}payment\.completed {2}evt_\w{26} {2}1,500 TZS/m
  await eventually('the delivery is shown', () => new RegExp(`${line.source}  -> 200  \\d+ ms$`, 'm').test(listening.stdout()))
  await eventually('the event is shown', () => new RegExp(`${line.source}$`, 'm').test(only.stdout()))
  for (const one of [listening, only]) {
    one.interrupt()
    assert.equal(await one.exited, 0)
    assert.equal(one.stderr(), 'Stopped.\n')
    assert.ok(!one.stdout().includes(shop.apiKey))
  }
})

test('every event is forwarded once, though each poll shows it again, and a late event is not missed', async (t) => {
  const shop = await openShop(t)
  const here = await openReceiver(t)
  const shown = new Map<string, number>()
  let held: string | undefined
  let isHolding = true
  // For requests through this proxy, the first payment's transaction ends only after a later one's.
  const proxy = await openProxy(t, shop.app, async (response, text) => {
    const answer = (await text()) as { data: sdk.WebhookEvent[] }
    const data = answer.data.filter((event) => !(isHolding && subjectOf(event) === held))
    for (const event of data) shown.set(subjectOf(event), (shown.get(subjectOf(event)) ?? 0) + 1)
    response.end(JSON.stringify({ ...answer, data }))
    return true
  })
  const listening = await startListening(t, ['--forward-to', here.url], { ...shop.env, MALIPO_BASE_URL: proxy })
  held = await pay(shop)
  await shop.app.settled(held)
  const later = await pay(shop)
  await eventually('the later one arrives', () => here.received.some((one) => referenceOf(one) === later))
  assert.equal(here.received.length, 1)
  isHolding = false
  await eventually('the one that was held arrives', () => here.received.some((one) => referenceOf(one) === held))
  await eventually('both are seen repeatedly', () => [held!, later].every((one) => (shown.get(one) ?? 0) >= 3))
  assert.deepEqual(here.received.map(referenceOf), [later, held])
  assert.equal(ofKind(listening, 'delivery').length, 2)
})

test('--since begins with past events, oldest first', async (t) => {
  const shop = await openShop(t)
  const here = await openReceiver(t)
  const references = []
  for (let count = 0; count < 3; count += 1) {
    const reference = await pay(shop)
    await shop.app.settled(reference)
    references.push(reference)
  }
  const listening = await startListening(t, ['--since', '10m'], shop.env)
  const seen = await eventually('all are shown', () => ofKind(listening, 'event').length === 3 && ofKind(listening, 'event'))
  assert.deepEqual(
    seen.map(({ event }) => event.data.reference),
    references,
  )
  const forwarding = await startListening(t, ['--since', '10m', '--forward-to', here.url], shop.env)
  await eventually('all arrive', () => ofKind(forwarding, 'delivery').length === 3)
  assert.deepEqual(here.received.map(referenceOf).toSorted(), references.toSorted())
})

test('a receiver that is down gets its event when it is up again, and one that refuses one event gets the others', async (t) => {
  const shop = await openShop(t)
  const [port] = await freePorts(1)
  const listening = await startListening(t, ['--forward-to', `http://127.0.0.1:${port}/hooks`], shop.env)
  const first = await pay(shop)
  const failed = await eventually('it has been tried', () => ofKind(listening, 'delivery')[0])
  assert.deepEqual([failed.status, failed.error, failed.next_attempt_in_ms], [null, 'connection refused', 1_000])
  let noes = 0
  let secret = ''
  const here = await openReceiver(t, { port, answer: (one) => (referenceOf(one) === first && (noes += 1) < 2 ? 500 : 200) })
  const second = await pay(shop)
  await eventually(
    'both are taken',
    () => ofKind(listening, 'delivery').filter(({ outcome }) => outcome === 'succeeded').length === 2,
  )
  assert.deepEqual(here.received.map(referenceOf).toSorted(), [first, first, second].toSorted())
  assert.ok(
    here.received.findIndex((one) => referenceOf(one) === second) <
      here.received.findLastIndex((one) => referenceOf(one) === first),
    'the second event did not wait for the first',
  )
  secret = listening.secret
  const [one, other] = here.received.filter((request) => referenceOf(request) === first)
  assert.deepEqual(one!.body, other!.body)
  await verifyWebhook(other!.body, other!.headers, secret)
  assert.notEqual(one!.headers['x-service-timestamp'], other!.headers['x-service-timestamp'], 'signed again')
  assert.deepEqual(
    ofKind(listening, 'delivery')
      .filter(({ event_id }) => event_id === failed.event_id)
      .map(({ outcome }) => outcome)
      .slice(-2),
    ['failed', 'succeeded'],
  )
})

test('listening continues over lost connections, temporary refusals and an outage of the service, and reports them', async (t) => {
  const shop = await openShop(t)
  const here = await openReceiver(t)
  let mood: 'well' | 'away' | 'busy' | 'overloaded' = 'away'
  const proxy = await openProxy(t, shop.app, async (response) => {
    if (mood === 'away') response.destroy()
    if (mood === 'busy') response.writeHead(429, { 'retry-after': '1' }).end()
    if (mood === 'overloaded') response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Unavailable</h1>')
    return mood !== 'well'
  })
  const env = { ...shop.env, MALIPO_BASE_URL: proxy }
  // It may be started before the service.
  const listening = start(t, ['listen', '--json', '--forward-to', here.url], env)
  const notices = (code: string): number => ofKind(listening, 'notice').filter((notice) => notice.code === code).length
  await eventually('it shows that there is no connection', () => notices('network') > 0)
  mood = 'well'
  await eventually('it listens', () => ofKind(listening, 'ready').length === 1)
  const references = []
  for (const [index, next] of (['away', 'busy', 'overloaded'] as const).entries()) {
    mood = next
    const code = next === 'away' ? 'network' : 'unexpected_answer'
    const before = notices(code)
    await eventually('it reports the error', () => notices(code) > before)
    const reference = await pay(shop)
    await shop.app.settled(reference)
    references.push(reference)
    assert.equal(here.received.length, index)
    mood = 'well'
    await eventually('the missed event arrives', () => here.received.length === index + 1)
  }
  assert.deepEqual(here.received.map(referenceOf), references)
  assert.equal(notices('connected_again'), 4)
  listening.interrupt()
  assert.equal(await listening.exited, 0)

  // An error that waiting cannot solve ends the program.
  const { code, stderr } = await malipo(t, ['listen'], { ...env, MALIPO_API_KEY: `${shop.apiKey.slice(0, -2)}xx` })
  assert.equal(code, 1)
  assert.match(stderr, /^invalid_api_key: /)
  const away = await malipo(t, ['whoami'], { ...env, MALIPO_BASE_URL: 'http://127.0.0.1:1' })
  assert.equal(away.code, 1)
  assert.match(away.stderr, /could not be reached.* Is http:\/\/127\.0\.0\.1:1 the right address/)
})

test('text of the service in a refusal cannot control the terminal either', async (t) => {
  const message = 'No.\u001b]0;owned\u0007\u009b2J'
  const error = { type: 'invalid_request', code: 'validation_error', message, errors: [{ field: 'a', code: 'b', message }] }
  const url = await serve(t, (_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  })
  const { code, stderr } = await malipo(t, ['whoami'], { MALIPO_API_KEY: 'svc_test_x', MALIPO_BASE_URL: url })
  assert.deepEqual([code, stderr], [1, 'validation_error: No.]0;owned2J\n  a: b: No.]0;owned2J\n'])
})

test('a command that creates something and gets no answer names the key with which to repeat it', async (t) => {
  const keys: unknown[] = []
  let answer: 'cut' | 'nothing' | 'refuse' = 'cut'
  const url = await serve(t, (request, response) => {
    keys.push(request.headers['idempotency-key'])
    if (answer === 'cut') response.destroy()
    const error = { type: 'invalid_request', code: 'phone_invalid', message: 'No such number.' }
    if (answer === 'refuse') response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
  })
  const env = { MALIPO_API_KEY: 'svc_test_x', MALIPO_BASE_URL: url }
  const create = ['payments', 'create', '--amount', '900', '--phone', '0754123789', '--description', 'Chai']
  const lost = await malipo(t, create, env)
  assert.equal(lost.code, 1)
  assert.match(
    lost.stderr,
    new RegExp(`Cause: (UND_ERR_SOCKET|ECONNRESET)\\. Is ${url} .*\\nRepeat it with --key ${keys[0] as string}: `),
  )
  const { error } = JSON.parse((await malipo(t, [...create, '--json'], env)).stderr)
  assert.deepEqual([error.code, error.idempotency_key], ['network', keys.at(-1)])

  answer = 'nothing'
  const sent = keys.length
  const waiting = start(t, create, env)
  await eventually('the service has the request', () => keys.length > sent)
  waiting.interrupt()
  assert.equal(await waiting.exited, 130)
  assert.match(waiting.stderr(), new RegExp(`Repeat it with --key ${keys.at(-1) as string}: `))

  // Nothing was carried out: the command can be corrected, and needs no key.
  answer = 'refuse'
  assert.equal((await malipo(t, create, env)).stderr, 'phone_invalid: No such number.\n')
})

test('a simulated payment ends as requested', async (t) => {
  const { app, slug, env, token, student } = await openShop(t)
  // None of these pages accepts any amount from any payer at any time, so they are left alone.
  const custom_fields = [{ key: 'shirt', label: 'Shirt', type: 'text', required: true }]
  const any = { amount: null, allow_custom_amount: true }
  for (const one of [{ custom_fields }, { max_payments: 1 }, { max_amount: 600 }, { min_amount: 6_000 }, { active: false }])
    await app.page(student, { ...any, ...one, title: 'Narrow' })
  const failures = {
    payer_limit: 'payer_limit',
    payer_not_found: 'payer_not_found',
    declined_by_payer: 'declined_by_payer',
    insufficient_funds: 'insufficient_funds',
    wrong_pin: 'wrong_pin',
    provider_error: 'provider_error',
    prompt_timeout: 'prompt_timeout',
  }
  const first = await asked(t, ['simulate'], env)
  assert.deepEqual(
    [first.status, first.amount, first.page.title, first.failure],
    ['completed', 5_000, 'Malipo ya majaribio / Test payment', null],
  )
  for (const [outcome, code] of Object.entries(failures)) {
    const payment = await asked(t, ['simulate', '--outcome', outcome, '--amount', '700', '--wait'], env)
    assert.deepEqual([payment.status, payment.amount, payment.failure?.code], ['failed', 700, code], outcome)
    assert.equal(payment.page.slug, first.page.slug, 'the page that is there is paid again')
  }
  const shown = await malipo(t, ['simulate', '--outcome', 'wrong_pin', '--page', slug], env)
  assert.equal(shown.code, 0)
  assert.match(
    shown.stdout,
    /^Reference {2}pay_\w{26}\nStatus {5}failed\nAmount {5}1,500 TZS\nPage {7}Chai \(\w+\)\nFailure {4}wrong_pin: ./,
  )
  const started = await asked(t, ['simulate', '--page', slug, '--no-wait'], env)
  assert.equal((await app.settled(started.reference)).status, 'completed')

  const refused = await malipo(t, ['simulate', '--page', slug, '--amount', '700'], env)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^amount_mismatch: .*\(request \S+\)/)
  // A live page is refused here, also for its owner.
  const live = await app.call('POST', '/v1/merchant/payment-pages?environment=live', {
    token,
    body: { type: 'payment', title: 'Live', amount: 1500 },
  })
  assert.equal(live.status, 201)
  assert.match((await malipo(t, ['simulate', '--page', live.body.data.slug], env)).stderr, /^not_found: /)
})

test('an account that is not verified simulates and triggers on its open test page, and no page is made', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student({ verified: false })
  const { key } = await app.key(student)
  const env = { HOME: folder, MALIPO_API_KEY: key, MALIPO_BASE_URL: app.config.urls.api }
  const payment = await asked(t, ['simulate', '--outcome', 'wrong_pin', '--amount', '700'], env)
  assert.deepEqual([payment.status, payment.amount, payment.failure?.code], ['failed', 700, 'wrong_pin'])
  assert.equal((await asked(t, ['trigger', 'payment.completed'], env)).type, 'payment.completed')
  assert.equal((await asked(t, ['trigger', 'refund.completed'], env)).type, 'refund.completed')
  const pages = await app.call('GET', '/v1/payment-pages', { key })
  assert.deepEqual(
    pages.body.data.map(({ slug }: { slug: string }) => slug),
    [payment.page.slug],
  )
})

test('without an amount, a page is paid within its limits', async (t) => {
  const { app, apiKey: key, slug, env, student } = await openShop(t)
  const pages = (await app.call('GET', '/v1/payment-pages', { key })).body.data as { slug: string }[]
  const open = pages.find((page) => page.slug !== slug)!
  const changed = await app.call('PATCH', `/v1/payment-pages/${open.slug}`, { key, body: { min_amount: 30_000 } })
  assert.equal(changed.status, 200)
  const dear = await asked(t, ['simulate'], env)
  assert.deepEqual([dear.status, dear.amount, dear.page.slug], ['completed', 30_000, open.slug])
  const refunded = await asked(t, ['trigger', 'refund.completed'], env)
  assert.deepEqual([refunded.type, refunded.data.amount], ['refund.completed', 5_000])
  const cheap = await app.page(student, { amount: null, allow_custom_amount: true, max_amount: 600 })
  assert.equal((await asked(t, ['simulate', '--page', cheap.slug], env)).amount, 600)
})

test('a payment is refunded once per key, and its refunds are listed, shown and cancelled', async (t) => {
  const { app, env, student } = await openShop(t, { settings: { PAYOUT_APPROVAL_ABOVE: '20000' } })
  const page = await app.page(student, { amount: 40_000 })
  const pay = async (): Promise<string> => {
    const { reference } = (await app.checkout(page.slug)).body.data
    assert.equal((await app.settled(reference)).status, 'completed')
    return reference
  }
  const [reference, other] = [await pay(), await pay()]
  const none = await malipo(t, ['refunds', 'list', reference], env)
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, '', 'This payment has no refunds.\n'])

  const about = ['--reason', 'One shirt too many', '--reference', 'R-7', '--key', 'K-1']
  const made = await asked(t, ['refunds', 'create', reference, '--amount', 'TSh 10,000', ...about], env)
  assert.deepEqual(
    [made.payment, made.amount, made.reason, made.merchant_reference],
    [reference, 10_000, 'One shirt too many', 'R-7'],
  )
  const again = await asked(t, ['refunds', 'create', reference, '--amount', 'TSh 10,000', ...about], env)
  assert.equal(again.id, made.id, 'the same key is the same refund')
  await eventually('it is completed', async () => (await asked(t, ['refunds', 'show', made.id], env)).status === 'completed')
  const shown = await malipo(t, ['refunds', 'show', made.id], env)
  assert.match(
    shown.stdout,
    /^Refund {10}rf_\w{26}\nStatus {10}completed\nAmount {10}10,000 TZS\nFee {13}[\d,]+ TZS\nPayment {9}pay_\w{26}\nReason {10}One shirt/,
  )

  // What is left waits for an operator, so that it can be cancelled.
  const rest = await asked(t, ['refunds', 'create', reference], env)
  assert.deepEqual([rest.amount, rest.status], [30_000, 'pending'])
  const listed = await malipo(t, ['refunds', 'list', reference, '--json'], env)
  const lines = listed.stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).id),
    [rest.id, made.id],
  )
  const all = await malipo(t, ['refunds', 'all', '--json'], env)
  assert.equal(all.stdout, listed.stdout)
  const tooMuch = await malipo(t, ['refunds', 'create', reference, '--amount', '6000'], env)
  assert.equal(tooMuch.code, 1)
  assert.match(tooMuch.stderr, /^refund_exceeds_payment: TSh 0 of this payment can still be refunded\. \(request \S+\)/)
  const cancelled = await asked(t, ['refunds', 'cancel', rest.id], env)
  assert.deepEqual([cancelled.status, cancelled.failure.code], ['failed', 'cancelled'])
  const refused = await malipo(t, ['refunds', 'cancel', made.id], env)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^invalid_state: /)

  assert.equal((await malipo(t, ['refunds', 'list', other], env)).stdout, '')
})

test('every type that can be triggered comes from a real payment, payout or refund', async (t) => {
  const { app, env } = await openShop(t)
  const types = [
    'payment.completed',
    'payment.failed',
    'payment.voided',
    'payment.expired',
    'refund.completed',
    'refund.failed',
  ] as const
  const some = await startListening(t, ['--events', 'payment.failed,refund.completed'], env)
  const all = await startListening(t, ['--events', '*'], env)
  for (const type of types) {
    const event = await asked(t, ['trigger', type, '--amount', '9000'], env)
    assert.deepEqual([event.type, event.data.amount], [type, 9_000])
    assert.equal(event.data.status ?? 'completed', type.split('.')[1])
  }
  const events = await app.owner.pool.query<{ type: string }>('select type from events order by created_at')
  assert.deepEqual(
    events.rows.map(({ type }) => type),
    [...types.slice(0, 4), 'payment.completed', 'refund.completed', 'payment.completed', 'refund.failed'],
  )
  const shown = (listening: Running) => ofKind(listening, 'event').map(({ event }) => event.type)
  await eventually('all are shown', () => shown(all).length === 8)
  await eventually('those that were chosen are shown', () => shown(some).length === 2)
  assert.deepEqual(shown(some), ['payment.failed', 'refund.completed'])
  const { stdout } = await malipo(t, ['trigger', '--help'], env)
  const explained = [...stdout.matchAll(/^ {2}(\w+\.\w+): /gm)].map(([, type]) => type)
  const triggered = stdout.match(/^Types: (.*)\.$/m)![1]!.split(', ')
  assert.deepEqual(new Set([...triggered, ...explained]), new Set(eventTypes))
  assert.equal(triggered.length + explained.length, eventTypes.length)
})

test('an event is triggered, listed, and sent again, here or to the webhook of the app', async (t) => {
  const { app, appId, token, env } = await openShop(t)
  assert.match((await malipo(t, ['events', 'list'], env)).stderr, /There are no events/)
  const event = await asked(t, ['trigger', 'payment.completed', '--amount', '2500'], env)
  assert.deepEqual([event.type, event.data.amount], ['payment.completed', 2_500])
  assert.equal((await app.settled(event.data.reference)).status, 'completed')
  const stdout = (await malipo(t, ['trigger', 'payment.completed'], env)).stdout
  assert.match(stdout, /^payment\.completed {2}evt_\w{26} {2}5,000 TZS\n$/)

  const listed = await malipo(t, ['events', 'list', '--json'], env)
  const events = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([events.length, events[1], stdout.includes(events[0].id)], [2, event, true])
  assert.equal((await asked(t, ['events', 'list', '--limit', '1', '--since', '1h'], env)).id, events[0].id)
  assert.match(
    (await malipo(t, ['events', 'list'], env)).stdout,
    new RegExp(`  payment\\.completed  ${event.id}  2,500 TZS  pay_`),
  )

  const here = await openReceiver(t, { answer: () => (here.received.length === 1 ? 200 : 418) })
  const args = ['events', 'resend', event.id, '--forward-to', here.url]
  const sent = await asked(t, args, env)
  assert.deepEqual([sent.outcome, sent.status], ['succeeded', 200])
  const secret = (await malipo(t, ['listen', '--print-secret'], env)).stdout.trim()
  const [got] = here.received
  assert.deepEqual(await verifyWebhook(got!.body, got!.headers, secret), event)
  assert.deepEqual(new StandardWebhook(secret).verify(got!.body, got!.headers as Record<string, string>), event)
  const refused = await malipo(t, args, env)
  assert.equal(refused.code, 1)
  assert.match(refused.stdout, /-> 418 /)
  const nobodys = 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab'
  const unknown = await malipo(t, ['events', 'resend', nobodys, '--forward-to', here.url], env)
  assert.deepEqual([unknown.code, /There is no event evt_/.test(unknown.stderr)], [1, true])

  const without = await malipo(t, ['events', 'resend', event.id], env)
  assert.equal(without.code, 1)
  assert.match(without.stderr, /^invalid_state: .*\(request \S+\)/)
  const public_ = await openReceiver(t)
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token, body: { url: public_.url } })
  const resent = await asked(t, ['events', 'resend', event.id], env)
  assert.deepEqual([resent.event_id, resent.deliveries[0].app_id], [event.id, appId])
  const again = await eventually('the service sends it', () => public_.received[0])
  assert.deepEqual(again.body, got!.body)
  const strange = await malipo(t, ['events', 'resend', nobodys], env)
  assert.deepEqual([strange.code, strange.stderr.startsWith('not_found: ')], [1, true])
})

test('payments are made once with a key, listed by status, order number, request and search, and shown', async (t) => {
  const { app, env } = await openShop(t)
  const none = await malipo(t, ['payments', 'list'], env)
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, '', 'There are no such payments.\n'])
  const order = ['--amount', '25000', '--description', 'Order 1043', '--reference', 'A-1043', '--phone', '0754123789']
  const made = await asked(t, ['payments', 'create', ...order, '--key', 'order 1043'], env)
  assert.deepEqual([made.amount, made.merchant_reference], [25_000, 'A-1043'])
  const again = await malipo(t, ['payments', 'create', ...order, '--key', 'order 1043'], env)
  assert.equal(again.code, 0)
  assert.match(
    again.stdout,
    new RegExp(`^Payment +${made.reference}\nCode +${made.short_code}\nStatus +\\w+\nAmount +25,000 TZS\n`),
  )
  await app.settled(made.reference)

  const request = await asked(t, ['requests', 'create', '--amount', '900', '--title', 'Chai', '--key', 'tea'], env)
  assert.equal((await asked(t, ['requests', 'create', '--amount', '900', '--title', 'Chai', '--key', 'tea'], env)).id, request.id)
  const failed = (await app.checkout(request.url.split('/pay/')[1]!, { phone_number: '0754123049' })).body.data.reference
  await app.settled(failed)

  const listed = async (...args: string[]): Promise<string[]> => {
    const { code, stdout } = await malipo(t, ['payments', 'list', '--json', ...args], env)
    assert.equal(code, 0)
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).reference ?? JSON.parse(line).code)
  }
  assert.deepEqual(await listed(), [failed, made.reference])
  assert.deepEqual(await listed('--limit', '1'), [failed])
  assert.deepEqual(await listed('--status', 'failed'), [failed])
  assert.deepEqual(await listed('--reference', 'A-1043'), [made.reference])
  assert.deepEqual(await listed('--request', request.id), [failed])
  assert.deepEqual(await listed('--search', made.short_code.toLowerCase()), [made.reference])
  // Not among the results, which a program counts.
  const empty = await malipo(t, ['payments', 'list', '--status', 'voided', '--json'], env)
  assert.deepEqual([empty.code, empty.stdout, JSON.parse(empty.stderr)], [0, '', { kind: 'notice', code: 'no_payments' }])
  const line = await malipo(t, ['payments', 'list', '--status', 'completed'], env)
  assert.match(line.stdout, new RegExp(`^\\S+ \\S+  ${made.reference}  completed  25,000 TZS  A-1043\n$`))
  const shown = await malipo(t, ['payments', 'show', failed], env)
  assert.equal(shown.code, 0)
  assert.match(shown.stdout, new RegExp(`^Payment +${failed}\nCode +\\S+\nStatus +failed: .+\nAmount +900 TZS\n`))
  assert.match(shown.stdout, new RegExp(`^Request +${request.id}$`, 'm'))
})
