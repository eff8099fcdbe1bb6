/** Requests that were in flight when their right was revoked: none of them commits after the revocation was answered. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { test, type TestContext } from 'node:test'
import { createApi } from '../../server/start/api.ts'
import { loadConfig } from '../../server/config/config.ts'
import { openDependencies } from '../../server/start/dependencies.ts'
import { ask, paidStudent, short } from '../fixtures/payouts.ts'
import { sql, type Sql } from '../../server/platform/db/db.ts'
import { createLog } from '../../server/platform/process/log.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { wrapProviders } from '../../server/money/providers/provider.ts'
import { eventually, freePorts, startTestApp, type Answer, type Student, type TestApp } from '../app.ts'

type Gate = { waiting: number; shut(): void; open(): void }

/** A service in which a payout can be stopped between its authentication and its transaction, during the fee query to the provider. */
async function startGatedApp(t: TestContext, settings: Record<string, string> = {}): Promise<{ app: TestApp; gate: Gate }> {
  let opened = Promise.withResolvers<void>()
  opened.resolve()
  const gate: Gate = {
    waiting: 0,
    shut: () => void (opened = Promise.withResolvers<void>()),
    open: () => opened.resolve(),
  }
  const app = await startTestApp(t, {
    settings,
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async quotePayout(amount, phoneNumber) {
          gate.waiting += 1
          await opened.promise
          gate.waiting -= 1
          return provider.quotePayout(amount, phoneNumber)
        },
      })),
    }),
  })
  app.beforeClose(async () => gate.open())
  return { app, gate }
}

/** Another process of the service on the same database; returns its address. */
async function startReplica(app: TestApp): Promise<string> {
  const [api, checkout, storage] = await freePorts(3)
  const ports = { PORT: String(api), CHECKOUT_PORT: String(checkout), STORAGE_PORT: String(storage) }
  const config = loadConfig({ ...app.settings, BASE_URL: app.config.urls.api, ...ports }, {})
  const deps = await openDependencies(config, createLog({ level: 'silent', role: 'test' }), 'test')
  const replica = await createApi({ ...deps, clocks: 'unchecked' })
  await replica.listen()
  app.beforeClose(async () => {
    await replica.drain()
    await deps.close()
  })
  return `http://127.0.0.1:${api}`
}

type SlowPayout = { finish(): void; answer: Promise<Answer> }

/** A payout request that sends its headers and first byte now, and the rest when the test releases it. */
function startSlowPayout(app: TestApp, headers: Record<string, string>, path: string): SlowPayout {
  const body = JSON.stringify({ amount: 5_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' })
  const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>()
  const request = httpRequest(
    `${app.config.urls.api}${path}`,
    {
      method: 'POST',
      agent: false,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'idempotency-key': randomUUID(),
      },
    },
    (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode!, headers: new Headers(), body: JSON.parse(text) }))
    },
  )
  request.on('error', reject)
  request.write(body.slice(0, 1))
  return { finish: () => void request.end(body.slice(1)), answer }
}

const payoutsOf = async (app: TestApp): Promise<number> =>
  Number((await app.owner.pool.query('select count(*) from payouts')).rows[0].count)

type Way = { headers: Record<string, string>; path: string; start(): Promise<Answer> }

/**
 * Ten requests wait for their fee, ten for the rest of their body and ten run freely while `revoke` is answered. Nothing may be
 * stored after that answer.
 */
async function nothingCommitsAfter(app: TestApp, gate: Gate, way: Way, revoke: () => Promise<unknown>): Promise<string[]> {
  const slow = Array.from({ length: 10 }, () => startSlowPayout(app, way.headers, way.path))
  gate.shut()
  const held = Array.from({ length: 10 }, () => way.start())
  await eventually('ten wait for their fee', () => gate.waiting === 10)
  const before = await payoutsOf(app)
  gate.open()
  const racing = Array.from({ length: 10 }, () => way.start())
  await revoke()
  const committed = await payoutsOf(app)
  for (const { finish } of slow) finish()
  const answers = await Promise.all([...slow.map(({ answer }) => answer), ...held, ...racing])
  assert.equal(await payoutsOf(app), committed, 'a payout was stored after the revocation was answered')
  const made = answers.filter(({ status }) => status === 201).length
  assert.equal(made, committed - before, 'refused payers have paid nothing, and payers with a 201 answer have paid')
  for (const one of slow) assert.notEqual((await one.answer).status, 201)
  return [...new Set(answers.map(short).filter((code) => code !== '201'))]
}

const byKey = (app: TestApp, key: string): Way => ({
  headers: { 'x-api-key': key },
  path: '/v1/payouts',
  start: () => ask(app, key, { amount: 5_000 }),
})

test('a key revoked by another process makes no payout after the answer, whatever is in flight [A76]', async (t) => {
  const { app, gate } = await startGatedApp(t)
  const replica = await startReplica(app)
  const student = await paidStudent(app, 1_000_000)
  for (const round of [1, 2, 3]) {
    const { key, keyId } = await app.key(student)
    const refusals = await nothingCommitsAfter(app, gate, byKey(app, key), async () => {
      const revoked = await fetch(`${replica}/developers/keys/${keyId}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${student.token}` },
      })
      assert.equal(revoked.status, 200, `round ${round}: ${await revoked.text()}`)
    })
    assert.deepEqual(refusals, ['401 api_key_revoked'])
  }
})

test('a deleted app and a disabled address end what their key has in flight [A76]', async (t) => {
  const { app, gate } = await startGatedApp(t)
  const student = await paidStudent(app, 1_000_000)
  const first = await app.key(student)
  const afterDelete = await nothingCommitsAfter(app, gate, byKey(app, first.key), () =>
    app.call('DELETE', `/developers/apps/${first.appId}`, { token: student.token }),
  )
  assert.deepEqual(afterDelete, ['401 api_key_revoked'])
  const second = await app.key(student)
  const afterMove = await nothingCommitsAfter(app, gate, byKey(app, second.key), () =>
    app.call('PATCH', `/developers/keys/${second.keyId}`, { token: student.token, body: { allowed_ips: ['203.0.113.7'] } }),
  )
  assert.deepEqual(afterMove, ['403 ip_not_allowed'])
})

const bySession = (app: TestApp, { token }: Student): Way => {
  const path = '/v1/merchant/payouts?environment=test'
  return {
    headers: { authorization: `Bearer ${token}` },
    path,
    start: () =>
      app.call('POST', path, {
        token,
        headers: { 'idempotency-key': randomUUID() },
        body: { amount: 5_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
      }),
  }
}

test('a session that was signed out, a disabled person and a person whose identity was rejected make no payouts after the answer [A77]', async (t) => {
  const { app, gate } = await startGatedApp(t)
  const admin = await app.admin()
  const signedOut = await paidStudent(app, 1_000_000)
  assert.deepEqual(
    await nothingCommitsAfter(app, gate, bySession(app, signedOut), () =>
      app.call('POST', '/v1/auth/logout', { token: signedOut.token }),
    ),
    ['401 session_inactive'],
  )
  const disabled = await paidStudent(app, 1_000_000)
  assert.deepEqual(
    await nothingCommitsAfter(app, gate, bySession(app, disabled), () =>
      app.owner.pool.query('update users set disabled_at = now() where id = $1', [fromWire('usr', disabled.userId)]),
    ),
    ['401 session_inactive'],
  )
  const rejected = await paidStudent(app, 1_000_000)
  const refusals = await nothingCommitsAfter(app, gate, byKey(app, rejected.key), async () => {
    const answer = await app.call('POST', `/v1/admin/kyc/${rejected.userId}/verify`, {
      token: admin.token,
      body: { status: 'rejected', reason: 'The papers are forged.' },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  })
  assert.deepEqual(refusals, ['403 kyc_required'])
})

test('a suspended merchant makes no live payouts after the answer [A77]', async (t) => {
  const { app, gate } = await startGatedApp(t)
  const admin = await app.admin()
  const student = await app.student()
  const page = await app.page(student, { amount: 1_000_000 }, 'live')
  const { body } = await app.checkout(page.slug)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
  const { key } = await app.key(student, 'live')
  const refusals = await nothingCommitsAfter(app, gate, byKey(app, key), async () => {
    const answer = await app.call('POST', `/v1/admin/merchants/${student.userId}/suspend`, {
      token: admin.token,
      body: { reason: 'Under review.' },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  })
  assert.deepEqual(refusals, ['403 merchant_suspended'])
})

const waitingForLocks = async (app: TestApp): Promise<number> => {
  const { rows } = await app.owner.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rows.length
}

test('an operator who lost the role or the session during a decision decides nothing [A77]', async (t) => {
  const { app } = await startGatedApp(t, { PAYOUT_APPROVAL_ABOVE: '10000' })
  const student = await paidStudent(app)
  const endings: Record<string, Sql> = {
    '403 admin_required': sql`role = 'student', phone_number = '+255700000001', student_id = '1', institution = 'UDSM'`,
    '401 session_inactive': sql`disabled_at = now()`,
  }
  for (const [expects, change] of Object.entries(endings)) {
    const admin = await app.admin()
    const { body } = await ask(app, student.key, { amount: 20_000 })
    // The decision has passed its authentication, and waits while the operator is disabled.
    const decision = await app.owner.tx(async (tx) => {
      await tx.rows(sql`update users set ${change} where id = ${fromWire('usr', admin.userId)!}`)
      const deciding = app.call('POST', `/v1/admin/payouts/${body.data.id}/approve`, { token: admin.token, body: {} })
      await eventually('the decision waits', async () => (await waitingForLocks(app)) > 0)
      return { deciding }
    })
    assert.equal(short(await decision.deciding), expects)
    const { rows } = await app.owner.pool.query('select approval from payouts where id = $1', [fromWire('po', body.data.id)])
    assert.equal(rows[0].approval, 'required')
  }
})

test('a revocation waits for the payout that its key is making, and is answered after it [A76]', async (t) => {
  const { app } = await startGatedApp(t)
  const student = await paidStudent(app)
  const { key, keyId } = await app.key(student)
  const ended: string[] = []
  const both = await app.owner.tx(async (tx) => {
    await tx.rows(sql`select 1 from ledger_accounts where kind = 'wallet' for update`)
    const payout = ask(app, key, { amount: 5_000 }).finally(() => ended.push('payout'))
    await eventually('the payout waits for its wallet', async () => (await waitingForLocks(app)) === 1)
    const revocation = app
      .call('DELETE', `/developers/keys/${keyId}`, { token: student.token })
      .finally(() => ended.push('revocation'))
    await eventually('the revocation waits too', async () => ended.length > 0 || (await waitingForLocks(app)) === 2)
    assert.deepEqual(ended, [])
    return { payout, revocation }
  })
  assert.deepEqual([short(await both.payout), short(await both.revocation)], ['201', '200'])
})
