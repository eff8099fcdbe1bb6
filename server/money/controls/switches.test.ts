/** Kill switches through HTTP: who may change them, what stops in each process, what continues, and the audit entries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../../../test/fleet.ts'
import { eventually, startTestApp, type Admin, type TestApp } from '../../../test/app.ts'

const turn = (app: TestApp, admin: Admin, name: string, state: 'on' | 'off', reason = 'M-Pesa reported an outage.') =>
  app.call('PUT', `/v1/admin/switches/${name}`, { token: admin.token, body: { state, reason } })

const counts = async (app: TestApp) => {
  const { rows } = await app.owner.pool.query(
    'select (select count(*) from payments)::integer as payments, (select count(*) from prompts)::integer as prompts',
  )
  return rows[0]
}

test('only an operator that just authenticated changes a switch, with a reason, and each change is in the audit log once', async (t) => {
  const app = await startTestApp(t)
  const admin = await app.admin()
  const all = await app.call('GET', '/v1/admin/switches', { token: admin.token })
  assert.equal(all.status, 200)
  assert.equal(all.body.data.length, 21)
  assert.ok(all.body.data.every((one: any) => one.state === 'on' && one.changed_by === null))

  assert.equal((await turn(app, admin, 'test.checkout.ttcl', 'off')).status, 404)
  const bare = await app.call('PUT', '/v1/admin/switches/test.checkout', { token: admin.token, body: { state: 'off' } })
  assert.deepEqual([bare.status, bare.body.error.errors[0].field], [400, 'reason'])
  await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour'`)
  const stale = await turn(app, admin, 'test.checkout', 'off')
  assert.deepEqual([stale.status, stale.body.error.code], [401, 'step_up_required'])
  await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at + interval '1 hour'`)

  const off = await turn(app, admin, 'test.checkout.mpesa', 'off')
  assert.equal(off.status, 200)
  assert.deepEqual(
    [off.body.data.state, off.body.data.reason, off.body.data.changed_by],
    ['off', 'M-Pesa reported an outage.', admin.userId],
  )
  assert.equal((await turn(app, admin, 'test.checkout.mpesa', 'off')).body.data.changed_at, off.body.data.changed_at)
  const known = await turn(app, admin, 'test.checkout.mpesa', 'off', 'M-Pesa said: until noon.')
  assert.equal(known.body.data.reason, 'M-Pesa said: until noon.')
  const on = await app.call('PUT', '/v1/admin/switches/test.checkout.mpesa', {
    token: admin.token,
    body: { state: 'on', reason: 'M-Pesa said: until noon.', force: true },
  })
  assert.equal(on.body.data.state, 'on', 'with the reason for which it was off')
  const { body } = await app.call('GET', '/v1/admin/audit?object=test.checkout.mpesa', { token: admin.token })
  assert.deepEqual(
    body.data.map(({ action, actor, before, after }: any) => [action, actor, before.state, after]),
    [
      ['switch.turned_on', admin.userId, 'off', { state: 'on', reason: 'M-Pesa said: until noon.', forced: true }],
      ['switch.turned_off', admin.userId, 'off', { state: 'off', reason: 'M-Pesa said: until noon.' }],
      ['switch.turned_off', admin.userId, 'on', { state: 'off', reason: 'M-Pesa reported an outage.' }],
    ],
  )
})

test('a checkout on a switched-off network is refused before anything is stored; other networks, replays and work in flight continue', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live' } })
  const admin = await app.admin()
  const student = await app.student()
  const [page, live] = [await app.page(student), await app.page(student, {}, 'live')]
  const open = await app.checkout(page.slug, { phone_number: '0754000111', idempotency_key: 'before' })
  assert.equal(open.status, 201)
  assert.equal((await turn(app, admin, 'test.checkout.mpesa', 'off')).status, 200)
  const before = await counts(app)

  const refused = await app.checkout(page.slug, { phone_number: '0754123456' })
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'network_unavailable'])
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal(refused.headers.get('access-control-allow-origin'), '*')
  assert.match(refused.body.error.message_sw, /M-Pesa yamesimamishwa/)
  assert.equal(refused.body.error.details.network, 'mpesa')
  assert.deepEqual(await counts(app), before)

  const replay = await app.checkout(page.slug, { phone_number: '0754000111', idempotency_key: 'before' })
  assert.deepEqual([replay.status, replay.body.data.reference], [200, open.body.data.reference])
  assert.equal(replay.headers.get('idempotency-replayed'), 'true')
  const other = await app.checkout(page.slug, { phone_number: '0754000112', idempotency_key: 'before' })
  assert.equal(other.body.error.code, 'idempotency_key_reused')
  // Errors in the request itself are reported first.
  assert.equal((await app.checkout(page.slug, { phone_number: '0754123456', amount: 1 })).body.error.code, 'amount_too_small')
  assert.equal((await app.checkout(page.slug, { phone_number: '0684123789' })).status, 201)
  assert.equal((await app.checkout(live.slug, { phone_number: '0754123789' })).status, 201)

  const [charge] = (await app.truth()).charges
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'pin' })
  assert.equal((await app.settled(open.body.data.reference)).status, 'completed')

  await turn(app, admin, 'test.checkout', 'off')
  const none = await app.checkout(page.slug, { phone_number: '0684123789' })
  assert.deepEqual([none.status, none.body.error.code, none.headers.get('retry-after')], [503, 'provider_unavailable', '60'])
  await turn(app, admin, 'test.checkout', 'on', 'All is well.')
  await turn(app, admin, 'test.checkout.mpesa', 'on', 'All is well.')
  assert.equal((await app.checkout(page.slug, { phone_number: '0754123456' })).status, 201)
})

test('the hosted form says in the payer’s language that a network is off, and keeps the entered values', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  await turn(app, await app.admin(), 'test.checkout.mpesa', 'off')
  const sent = await app.api.checkout.inject({
    method: 'POST',
    url: `/pay/${page.slug}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      idempotency_key: 'k',
      lang: 'sw',
      amount: '1500',
      phone_number: '0754123456',
      customer_name: 'Juma Hamisi',
      customer_email: 'juma@example.com',
    }).toString(),
  })
  assert.equal(sent.statusCode, 503)
  assert.equal(sent.headers['retry-after'], '60')
  assert.match(sent.payload, /Mtandao huu wa simu haupatikani kwa sasa/)
  assert.match(sent.payload, /value="0754123456"/)
})

test('payouts stop by environment and network, and a violation of the books stops all of them until an operator turns them on', async (t) => {
  const app = await startTestApp(t)
  const admin = await app.admin()
  const { switches } = app.deps
  await turn(app, admin, 'live.payouts.airtel', 'off')
  assert.equal(await switches.isPayoutOpen('live', 'airtel'), false)
  assert.equal(await switches.isPayoutOpen('live', 'mpesa'), true)
  assert.equal(await switches.isPayoutOpen('test', 'airtel'), true)
  assert.equal(await switches.payoutsHaltedReason('live'), null)

  await switches.freezePayouts('The books do not hold: I2.')
  await switches.freezePayouts('The books do not hold: I3.')
  assert.equal(await switches.isPayoutOpen('test', null), false)
  assert.equal(await switches.payoutsHaltedReason('test'), 'The books do not hold: I2.')
  const audit = await app.call('GET', '/v1/admin/audit?object=payouts', { token: admin.token })
  assert.deepEqual(
    audit.body.data.map(({ actor, action }: any) => [actor, action]),
    [['system', 'switch.turned_off']],
  )
  // Incoming payments are still possible.
  assert.equal((await app.checkout((await app.page(await app.student())).slug)).status, 201)
  await turn(app, admin, 'payouts', 'on', 'The books were put right.')
  assert.equal(await switches.isPayoutOpen('test', null), true)
  // Each switch is turned alone.
  assert.equal(await switches.isPayoutOpen('live', 'airtel'), false)
})

test('a switch changed in one process applies in the others within five seconds, even if its notification is lost', async (t) => {
  const fleet = await startFleet(t)
  const { app } = fleet
  const apis = [await fleet.api(), await fleet.api()]
  const admin = await app.admin()
  const page = await app.page(await app.student())
  const codes = () =>
    Promise.all(
      apis.map(async ({ url }, index) => {
        const response = await fetch(`${url}/v1/payments/checkout`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            slug: page.slug,
            phone_number: '0754123789',
            customer_name: 'Juma',
            customer_email: 'juma@example.com',
            idempotency_key: `${index}-${Math.random()}`,
          }),
        })
        return response.status
      }),
    )
  assert.deepEqual(await codes(), [201, 201])
  await turn(app, admin, 'test.checkout', 'off')
  await eventually('both refuse', async () => (await codes()).every((status) => status === 503), 1_500)

  // Changed directly in the database: no notification is sent.
  await app.owner.pool.query(`update switches set is_on = true where name = 'test.checkout'`)
  await eventually('both take payments again', async () => (await codes()).every((status) => status === 201), 5_000)
})

test('a process that cannot read the switches starts nothing', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  assert.equal((await app.checkout(page.slug)).status, 201)
  await app.owner.pool.query('alter table switches rename to switches_away')
  await eventually('checkouts are refused', async () => (await app.checkout(page.slug)).status === 503, 10_000)
  const after = await counts(app)
  assert.equal((await app.checkout(page.slug)).body.error.code, 'overloaded')
  await assert.rejects(() => app.deps.switches.isPayoutOpen('test', 'mpesa'), { httpStatus: 503 })
  assert.deepEqual(await counts(app), after)
  await app.owner.pool.query('alter table switches_away rename to switches')
  await eventually('and taken again', async () => (await app.checkout(page.slug)).status === 201)
})
