/** Keys are replaced while the service runs: a command moves stored data to the next key, and the previous one can be removed. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { sealedColumns } from '../server/operations/operators/rewrap-values.ts'
import { loadConfig } from '../server/config/config.ts'
import { createSealer } from '../server/platform/crypto/secrets.ts'
import { submitKyc } from './onboarding.ts'
import { eventually, startTestApp, type TestApp } from './app.ts'

const root = join(import.meta.dirname, '..')
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64url')}`

type Said = { code: number; output: string }

/** The operator's command line in a separate process with the settings of this app. */
async function ops(app: TestApp, settings: Record<string, string>, ...words: string[]): Promise<Said> {
  const env = { PATH: process.env['PATH'], ...app.settings, ...settings }
  return promisify(execFile)('node', ['server/start/ops.ts', ...words], { cwd: root, env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, output: error.stdout + error.stderr }),
  )
}

/** A service with an encrypted value in every column: a verified person, an operator, two webhook secrets, a mail that waits. */
async function startSealedApp(t: TestContext) {
  const app = await startTestApp(t)
  const student = await app.student({ verified: false })
  const { body } = await submitKyc(app, student)
  assert.equal(body.data.status, 'pending', JSON.stringify(body))
  await app.admin()
  const enrolling = await app.call('POST', '/v1/auth/2fa/enroll', { token: student.token })
  assert.equal(enrolling.status, 200, JSON.stringify(enrolling.body))
  const shopApp = await app.call('POST', '/developers/apps', {
    token: student.token,
    body: { name: 'Shop', environment: 'test' },
  })
  const webhook = `/developers/apps/${shopApp.body.data.id}/webhook`
  const made = await app.call('POST', webhook, { token: student.token, body: { url: 'http://127.0.0.1:4009/hook' } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await app.call('POST', `${webhook}/rotate`, { token: student.token })
  const secretOf = async () => (await app.call('GET', webhook, { token: student.token })).body.data.secret as string
  return { app, secret: await secretOf() }
}

async function sealedValues(app: TestApp): Promise<{ name: string; id: string; context: string; sealed: string }[]> {
  const values = await Promise.all(
    sealedColumns.map(async ({ table, column, id, contextOf }) => {
      const { rows } = await app.owner.pool.query(
        `select ${id} as id, ${column} as sealed from ${table} where ${column} is not null`,
      )
      return rows.map((row) => ({ name: `${table}.${column}`, context: contextOf(row.id), ...row }))
    }),
  )
  return values.flat()
}

test('rewrap encrypts everything with the current key, names values that it cannot decrypt, and then the previous key can be removed', async (t) => {
  const { app, secret } = await startSealedApp(t)
  const a = app.settings['ENVELOPE_KEYS']!
  const b = newKey('b')
  const secretBefore = app.settings['SERVER_SECRET']!
  const nextSecret = randomBytes(32).toString('base64url')
  const rotating = { ENVELOPE_KEYS: `${b},${a}`, SERVER_SECRET: `${nextSecret},${secretBefore}` }
  const before = await sealedValues(app)
  assert.deepEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).filter((name) => !before.some((value) => value.name === name)),
    [],
    'something is sealed in every column',
  )

  const asked = await ops(app, rotating, 'keys', 'status')
  assert.equal(asked.code, 0, asked.output)
  assert.match(asked.output, /^ {2}b {2}in use:$/m)
  assert.match(asked.output, /^ {2}test {2}still needed by .*1 in webhook_endpoints\.secret_sealed/m)
  assert.match(asked.output, /1 national identity numbers are marked under another one/)
  // Without the previous key, the result is a ring that lacks a key.
  const lacking = await ops(app, { ENVELOPE_KEYS: b }, 'keys', 'status')
  assert.equal(lacking.code, 1)
  assert.match(lacking.output, /^ {2}test {2}MISSING, and needed by/m)

  // A damaged value is reported and stays; all others are encrypted again.
  await app.owner.pool.query(
    `update webhook_endpoints set previous_secret_sealed = overlay(previous_secret_sealed placing 'AAAA' from 30)`,
  )
  const moved = await ops(app, rotating, 'keys', 'rewrap')
  assert.equal(moved.code, 1)
  assert.match(moved.output, /webhook_endpoints\.secret_sealed: 1 moved$/m)
  assert.match(moved.output, /webhook_endpoints\.previous_secret_sealed: 0 moved, 1 that no key opens: [0-9a-f-]{36}/)
  assert.match(moved.output, /national_id_hash: 1 moved/)
  await app.owner.pool.query(`update webhook_endpoints set previous_secret_sealed = $1`, [
    before.find(({ name }) => name.endsWith('previous_secret_sealed'))!.sealed,
  ])
  const rest = await ops(app, rotating, 'keys', 'rewrap')
  assert.equal(rest.code, 0, rest.output)
  assert.match(rest.output, /webhook_endpoints\.secret_sealed: 0 moved$/m)
  assert.match(rest.output, /previous_secret_sealed: 1 moved$/m)

  const alone = { ENVELOPE_KEYS: b, SERVER_SECRET: nextSecret }
  const done = await ops(app, rotating, 'keys', 'status')
  assert.match(done.output, /^ {2}test {2}not needed any more$/m)
  assert.match(done.output, /every national identity number is marked under the one in use/)
  const sealer = createSealer(loadConfig({ ...app.settings, ...alone }, {}).keys.envelope)
  const after = await sealedValues(app)
  assert.equal(after.length, before.length)
  for (const { sealed, context } of after) assert.ok(sealer.open(sealed, context).length > 0)
  assert.equal(sealer.open(after[0]!.sealed, after[0]!.context), secret)
})

test('an API key moves to the current pepper at its next use, and works under either in the meantime', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const [sandboxKey] = (await app.call('GET', '/developers/keys', student)).body.data
  assert.equal((await app.call('DELETE', `/developers/keys/${sandboxKey.id}`, student)).status, 200)
  const { key, keyId } = await app.key(student)
  const a = app.settings['API_KEY_PEPPERS']!
  const [b, rotatedApp] = [newKey('b'), app.settings]
  // The settings of one installation: only the pepper differs.
  const same = { INTEGRITY_KEYS: rotatedApp['INTEGRITY_KEYS']! }
  const status = (ring: string) => ops(app, { API_KEY_PEPPERS: ring }, 'keys', 'status')
  assert.match((await status(`${b},${a}`)).output, /^ {2}test {2}still needed by 1 API keys/m)

  const second = await startTestApp(t, {
    database: { url: rotatedApp['DATABASE_URL']!, drop: async () => undefined },
    settings: { ...same, API_KEY_PEPPERS: `${b},${a}` },
  })
  assert.equal((await second.call('GET', '/v1/balance', { key })).status, 200)
  await eventually('it is kept under the new pepper', async () =>
    /^ {2}test {2}not needed any more$/m.test((await status(`${b},${a}`)).output),
  )
  assert.equal((await second.call('GET', '/v1/balance', { key })).status, 200)
  await second.close()
  const third = await startTestApp(t, {
    database: { url: rotatedApp['DATABASE_URL']!, drop: async () => undefined },
    settings: { ...same, API_KEY_PEPPERS: b },
  })
  assert.equal((await third.call('GET', '/v1/balance', { key })).status, 200, keyId)
  await third.close()
})

test('rotate prints the settings, step by step, and the service starts with each step', async (t) => {
  const app = await startTestApp(t)
  for (const name of ['JWT_SIGNING_KEYS', 'API_KEY_PEPPERS', 'ENVELOPE_KEYS', 'INTEGRITY_KEYS', 'SERVER_SECRET']) {
    const current = app.settings[name]!
    const { code, output } = await ops(app, {}, 'keys', 'rotate', name)
    assert.equal(code, 0, output)
    const steps = [...output.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map((match) => match[1]!)
    const next = steps[2]!
    assert.deepEqual(steps, [`${current},${next}`, `${next},${current}`, next])
    for (const value of steps) loadConfig({ ...app.settings, [name]: value }, {})
  }
  assert.equal((await ops(app, {}, 'keys', 'rotate', 'PORT')).code, 1)
})
