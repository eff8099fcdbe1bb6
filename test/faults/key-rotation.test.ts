/** All keys of a running service are replaced, process by process, during use: no request fails. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { loadConfig } from '../../server/config/config.ts'
import { rewrapValues } from '../../server/operations/operators/rewrap-values.ts'
import { createRecordMac } from '../../server/platform/crypto/record-mac.ts'
import { createSealer } from '../../server/platform/crypto/secrets.ts'
import { startFleet, type Member } from '../fleet.ts'
import { codeNow, eventually } from '../app.ts'
import { createAdmin } from '../../server/accounts/identity/create-admin.ts'
import { createPasswords } from '../../server/accounts/identity/password.ts'

const rings = ['SERVER_SECRET', 'JWT_SIGNING_KEYS', 'API_KEY_PEPPERS', 'ENVELOPE_KEYS', 'INTEGRITY_KEYS'] as const
type Keys = Record<(typeof rings)[number], string>

function newKeys(id: string): Keys {
  const key = () => randomBytes(32).toString('base64url')
  return {
    SERVER_SECRET: key(),
    JWT_SIGNING_KEYS: `${id}:${key()}`,
    API_KEY_PEPPERS: `${id}:${key()}`,
    INTEGRITY_KEYS: `${id}:${key()}`,
    ENVELOPE_KEYS: `${id}:${key()}`,
  }
}

const together = (first: Keys, second: Keys): Keys =>
  Object.fromEntries(rings.map((ring) => [ring, `${first[ring]},${second[ring]}`])) as Keys

test('a fleet moves from the keys A to A and B, to B and A, to B alone, and no request fails', async (t) => {
  const [a, b] = [newKeys('a'), newKeys('b')]
  const fleet = await startFleet(t, { ...a, RATE_LIMITS: 'off' })
  const { app } = fleet
  const student = await app.student()
  const { key, appId } = await app.key(student)
  const pages = [await app.page(student), await app.page(student), await app.page(student)]
  const { token } = student
  const endpoint = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token,
    body: { url: 'http://127.0.0.1:4009/hook' },
  })
  assert.equal(endpoint.status, 201, JSON.stringify(endpoint.body))
  const email = 'rehema@example.com'
  const operator = await createAdmin({ ...app.deps, passwords: createPasswords() }, { email, fullName: 'Rehema Ops' })

  const apis: Member[] = [await fleet.api(), await fleet.api()]
  const workers: Member[] = [await fleet.worker()]
  const failures: string[] = []
  const asked = { tokens: 0, keys: 0, cursors: 0, payments: 0, refreshes: 0 }
  let turn = 0
  let isOver = false

  /** Works as a balancer and a patient client do: skips a process that is gone, and retries one that is busy. */
  async function ask(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<any> {
    for (let tries = 0; ; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      const { url } = apis[turn++ % apis.length]!
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch((error: unknown) => {
        if (tries > 100) throw error
      })
      if (!response) continue
      const answer = (await response.json()) as any
      // A machine that is busy with the start of a process answers so before it checks any key.
      if (answer.error?.code === 'overloaded' && tries < 400) continue
      if (response.status >= 400) failures.push(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
      return answer
    }
  }

  const people = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const { body } = await app.call('POST', '/v1/auth/login', {
        body: { identifier: student.email, password: student.password },
      })
      return { access: body.data.access_token as string, refresh: body.data.refresh_token as string, refreshes: 0 }
    }),
  )
  const signedIn = people.map(async (person) => {
    while (!isOver) {
      await ask('GET', '/v1/me', { authorization: `Bearer ${person.access}` })
      asked.tokens += 1
      const renewed = await ask('POST', '/v1/auth/refresh', {}, { refresh_token: person.refresh })
      if (renewed.data) [person.access, person.refresh] = [renewed.data.access_token, renewed.data.refresh_token]
      person.refreshes += 1
      asked.refreshes += 1
    }
  })
  const withKey = async (): Promise<void> => {
    while (!isOver) {
      await ask('GET', '/v1/balance', { 'x-api-key': key })
      asked.keys += 1
      const first = await ask('GET', '/v1/payment-pages?limit=1', { 'x-api-key': key })
      await ask('GET', `/v1/payment-pages?limit=1&cursor=${encodeURIComponent(first.next_cursor)}`, { 'x-api-key': key })
      asked.cursors += 1
    }
  }
  const paying = async (name: number): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const { data } = await ask(
        'POST',
        '/v1/payments/checkout',
        {},
        {
          slug: pages[name % 3]!.slug,
          phone_number: '0754000111',
          customer_name: 'Juma',
          customer_email: 'juma@example.com',
          idempotency_key: `${name}-${count}`,
        },
      )
      // Some time later, when another process may answer: the token of the checkout is still valid.
      await ask('GET', `/v1/payments/${data.reference}/status`, {})
      await ask('POST', `/v1/payments/${data.reference}/cancel`, {}, { checkout_token: data.checkout_token })
      asked.payments += 1
    }
  }
  const load = Promise.all([...signedIn, withKey(), withKey(), paying(0), paying(1)])
  // A promise that rejects before it is awaited is reported where it is awaited.
  load.catch(() => undefined)

  async function everythingIsAsked(): Promise<void> {
    const before = { ...asked }
    const refreshed = people.map(({ refreshes }) => refreshes)
    await eventually(
      'every client has sent each kind of request again',
      () =>
        failures.length > 0 ||
        (Object.entries(asked).every(([what, count]) => count > before[what as keyof typeof asked] + 5) &&
          people.every(({ refreshes }, index) => refreshes > refreshed[index]! + 2)),
      60_000,
    )
    assert.deepEqual(failures, [])
  }

  async function roll(keys: Keys): Promise<void> {
    for (const [members, start] of [
      [apis, fleet.api],
      [workers, fleet.worker],
    ] as const) {
      for (let index = 0; index < members.length; index += 1) {
        const leaving = members[index]!
        members[index] = await start({ settings: keys })
        assert.equal(await leaving.stop(), 0)
      }
    }
    await everythingIsAsked()
  }

  await everythingIsAsked()
  await roll(together(a, b))
  await roll(together(b, a))
  const config = loadConfig({ ...app.settings, ...together(b, a) }, {})
  const moved = await rewrapValues({
    db: app.db,
    config,
    sealer: createSealer(config.keys.envelope),
    recordMac: createRecordMac(config.keys.integrity),
  })
  assert.deepEqual(
    moved.flatMap(({ unreadable }) => unreadable),
    [],
  )
  // The last check of the books knows the codes of all rows written in the meantime.
  app.deps.recordMac = createRecordMac(config.keys.integrity)
  await roll(b)
  isOver = true
  await load
  assert.deepEqual(failures, [])

  // Data stored before the rotation is unchanged: a webhook's secret, an operator's second factor.
  const read = await ask('GET', `/developers/apps/${appId}/webhook`, { authorization: `Bearer ${people[0]!.access}` })
  assert.equal(read.data.secret, endpoint.body.data.secret)
  const { data } = await ask('POST', '/v1/auth/login', {}, { identifier: email, password: operator.password })
  const proven = await ask(
    'POST',
    '/v1/auth/2fa/verify',
    {},
    { challenge_token: data.challenge_token, code: codeNow(operator.secret) },
  )
  assert.ok(proven.data.access_token)
  assert.deepEqual(failures, [])

  // The previous keys are no longer valid.
  const old = await fetch(`${apis[0]!.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(old.status, 401)
  t.diagnostic(JSON.stringify(asked))
})
