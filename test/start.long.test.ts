/** `npm start` for a newcomer: in a new folder, as root and as a normal user, killed and started again. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createTestDatabase } from './databases.ts'
import { checkoutInPrivateHome, databasePlace, killGroup, npmStart, portSettings, processesOf, readDemo } from './npm-start.ts'
import { eventually } from './app.ts'

const isRoot = process.getuid?.() === 0
const unprivileged = 65_534
/** A machine that also runs the other tests is many times slower. */
const patienceMs = 60_000

async function payDemoPage(folder: string, key: string): Promise<number> {
  const demo = readDemo(folder)
  const body = JSON.stringify({
    slug: demo.page_slug,
    phone_number: '0754123789',
    customer_name: 'Juma',
    customer_email: 'juma@example.com',
    idempotency_key: key,
  })
  // A machine that has just started all this may be too busy for a moment; the same key repeats the same payment.
  const data = await eventually(
    'the checkout is taken',
    async () => {
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
      const response = await fetch(`${demo.base_url}/v1/payments/checkout`, sent)
      const answer = (await response.json()) as any
      if (response.status !== 503) assert.equal(response.status, 201, JSON.stringify(answer))
      return answer.data
    },
    patienceMs,
  )
  await eventually(
    'the payment is completed',
    async () => {
      const status = (await (await fetch(`${demo.base_url}/v1/payments/${data.reference}/status?wait=5`)).json()) as any
      return status.data.status === 'completed'
    },
    patienceMs,
  )
  const balance = (await (await fetch(`${demo.base_url}/v1/balance`, { headers: { 'x-api-key': demo.test_key } })).json()) as any
  return balance.data.available
}

async function lifeOfACheckout(t: TestContext, folder: string, uid?: number): Promise<void> {
  const settings = await portSettings()
  t.after(() => rmSync(databasePlace(folder), { recursive: true, force: true }))
  const first = npmStart(t, folder, settings, uid)
  await first.readyMs
  const demo = readDemo(folder)
  assert.deepEqual(Object.keys(demo), [
    'base_url',
    'checkout_base_url',
    'storage_url',
    'simulator_url',
    'student',
    'admin',
    'test_key',
    'live_key',
    'page_slug',
  ])
  assert.equal(demo.base_url, `http://127.0.0.1:${settings['PORT']}`)
  assert.ok(first.output().includes(`/pay/${demo.page_slug}`))
  assert.match(first.output(), /\nCreating the database\. This usually takes ten seconds\.\n/)
  for (const url of [
    `${demo.base_url}/readyz`,
    `${demo.checkout_base_url}/livez`,
    `${demo.storage_url}/livez`,
    `${demo.simulator_url}/phone`,
    `${demo.checkout_base_url}/pay/${demo.page_slug}`,
  ]) {
    assert.equal((await fetch(url)).status, 200, url)
  }
  const login = await fetch(`${demo.base_url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: demo.student.email, password: demo.student.password }),
  })
  assert.equal(login.status, 200)
  assert.equal(await payDemoPage(folder, 'first'), 2500)
  assert.ok(
    processesOf(folder).some((line) => line.includes('postgres')),
    'the database is seen by this test',
  )

  // Ctrl-C reaches the whole process group, npm and node; all of it ends, on a quiet machine in under five seconds.
  killGroup(first.child, 'SIGINT')
  await first.exited
  await eventually('nothing of it is left', () => processesOf(folder).length === 0, patienceMs)

  const second = npmStart(t, folder, settings, uid)
  await second.readyMs
  // Between npm's own lines and the screen, a second start says nothing.
  assert.match(second.output(), /^> exec node server\/start\/main\.ts local\n\n\n {2}Malipo is ready/m)
  assert.deepEqual(readDemo(folder), demo)
  assert.equal(await payDemoPage(folder, 'second'), 5000)

  // Sends kill -9 to everything, including the database and its watchdog.
  for (const line of processesOf(folder)) process.kill(Number(line.trim().split(' ')[0]), 'SIGKILL')
  killGroup(second.child, 'SIGKILL')
  await second.exited
  const third = npmStart(t, folder, settings, uid)
  await third.readyMs
  assert.equal(await payDemoPage(folder, 'third'), 7500)
  const verified = execFileSync(join(folder, 'bin/malipo-ops'), ['verify'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: dirname(dirname(folder)), TMPDIR: tmpdir() },
    ...(uid !== undefined && { uid, gid: uid }),
  })
  assert.match(verified, /Everything that must be true of the money is true/)
  killGroup(third.child, 'SIGTERM')
  await third.exited
  await eventually('nothing of it is left', () => processesOf(folder).length === 0, patienceMs)
}

test('npm start in a folder that only its owner may enter: ready, paid, stopped, killed, started again', async (t) => {
  await lifeOfACheckout(t, checkoutInPrivateHome(t))
})

test('the same as a normal user, when the tests run as root; otherwise the test before was already that', async (t) => {
  if (isRoot) await lifeOfACheckout(t, checkoutInPrivateHome(t, unprivileged), unprivileged)
  else assert.notEqual(process.getuid?.(), 0)
})

test('a taken port is an error that names the port and its setting, and nothing stays behind', async (t) => {
  const folder = checkoutInPrivateHome(t)
  const settings = await portSettings()
  for (const name of ['PORT', 'CHECKOUT_PORT', 'STORAGE_PORT', 'SIMULATOR_PORT']) {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(Number(settings[name]), '127.0.0.1', resolve))
    const started = npmStart(t, folder, settings)
    assert.notEqual(await started.exited, 0)
    assert.ok(started.output().includes(settings[name]!) && started.output().includes(name), started.output())
    assert.doesNotMatch(started.output(), /at .*node_modules|\.ts:\d+/)
    await new Promise((resolve) => other.close(resolve))
    await eventually('nothing of it is left', () => processesOf(folder).length === 0, patienceMs)
  }
})

test('a folder of the database that holds something else is named in one sentence', async (t) => {
  const folder = checkoutInPrivateHome(t)
  mkdirSync(join(folder, 'data/postgres'), { recursive: true })
  writeFileSync(join(folder, 'data/postgres/notes.txt'), '')
  const started = npmStart(t, folder, await portSettings())
  assert.notEqual(await started.exited, 0)
  assert.match(started.output(), /\n\S+ holds something that is not PostgreSQL's \(notes\.txt\): choose an empty folder/)
  assert.doesNotMatch(started.output(), /Creating the database|\.ts:\d+/)
})

test('with DATABASE_URL no embedded database is started', async (t) => {
  const folder = checkoutInPrivateHome(t)
  const database = await createTestDatabase()
  t.after(() => database.drop())
  const started = npmStart(t, folder, { ...(await portSettings()), DATABASE_URL: database.url })
  await started.readyMs
  assert.equal(await payDemoPage(folder, 'own'), 2500)
  assert.deepEqual(
    processesOf(folder).filter((line) => line.includes('postgres -D') || line.includes('checkpointer')),
    [],
  )
  // The operator's command line uses the same service: its keys are in the data folder, its database is the named one.
  const verified = execFileSync(join(folder, 'bin/malipo-ops'), ['verify'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: dirname(dirname(folder)), DATABASE_URL: database.url },
  })
  assert.match(verified, /Everything that must be true/)
  killGroup(started.child, 'SIGTERM')
  await started.exited
})
