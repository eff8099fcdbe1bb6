/** The network status for payers, from real outcomes of payments: through HTTP, on the form, and in every process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../../../test/fleet.ts'
import { eventually, share, startTestApp, type TestApp } from '../../../test/app.ts'
import { writableColumns } from '../../../test/fixtures/payments.ts'
import { sql } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { readNetworkStates, tallyCharges } from './network.sql.ts'
import { watchNetworks } from './watch-networks.ts'

const sharedApp = share((ending) => startTestApp(ending))

const statuses = async (app: TestApp, environment = 'test'): Promise<Record<string, string>> => {
  const { status, body } = await app.call('GET', `/v1/networks?environment=${environment}`)
  assert.equal(status, 200)
  return Object.fromEntries(body.data.map((one: any) => [one.network, one.status]))
}

const allWork = { mpesa: 'operational', airtel: 'operational', mixx: 'operational', halotel: 'operational' }

/** Payments with real outcomes, chosen by the last digits of their numbers. */
async function pay(app: TestApp, slug: string, phones: string[]): Promise<void> {
  for (const phone_number of phones) {
    const { status, body } = await app.checkout(slug, { phone_number })
    assert.equal(status, 201, JSON.stringify(body))
    await app.settled(body.data.reference)
  }
}

const look = (app: TestApp) => watchNetworks(app.deps, 0)

test('four networks, each with its name, its menu and its instructions; any page of any shop may call', async () => {
  const app = await sharedApp()
  const { body, headers } = await app.call('GET', '/v1/networks', { headers: { origin: 'https://duka.example' } })
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.deepEqual(
    body.data.map((one: any) => [one.name, one.status, one.message, one.dial_code]),
    [
      ['M-Pesa', 'operational', null, '*150*00#'],
      ['Airtel Money', 'operational', null, '*150*60#'],
      ['Mixx by Yas', 'operational', null, '*150*01#'],
      ['HaloPesa', 'operational', null, '*150*88#'],
    ],
  )
  assert.match(body.data[0].prompt_instructions.sw, /namba ya siri \(PIN\) ya M-Pesa/)
  assert.equal((await app.call('GET', '/v1/networks?environment=moon')).status, 400)
})

test('payments lost by a network bring it down, those that fail for the payer do not; one that works brings it back after a quiet time', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const page = await app.page(await app.student())
  const stored = async () =>
    (await readNetworkStates(app.db)).find((one) => one.environment === 'test' && one.network === 'mpesa')!.status
  // The network worked for wrong PINs and insufficient balances.
  await pay(app, page.slug, ['0684000049', '0684000059', '0684000039', '0684000019', '0684000029', '0684000049'])
  await pay(app, page.slug, ['0754000789', '0754000069', '0754000069', '0754000069', '0754000069'])
  // Payers who have not entered their PIN yet.
  await Promise.all(Array.from({ length: 5 }, () => app.checkout(page.slug, { phone_number: '0624000111' })))
  await look(app)
  assert.deepEqual(await statuses(app), allWork)

  await pay(app, page.slug, ['0754000069'])
  await look(app)
  await eventually('the API processes are notified', async () => (await statuses(app))['mpesa'] === 'down')
  assert.deepEqual(await statuses(app), { ...allWork, mpesa: 'down' })
  assert.deepEqual(await statuses(app, 'live'), allWork)

  const shown = await app.call('GET', `/v1/pay/${page.slug}`)
  assert.deepEqual(
    shown.body.data.networks.map((one: any) => [one.network, one.status]),
    [
      ['mpesa', 'down'],
      ['airtel', 'operational'],
      ['mixx', 'operational'],
      ['halotel', 'operational'],
    ],
  )
  const [mpesa] = shown.body.data.networks
  for (const [language, sentence, words] of [
    ['sw', mpesa.message_sw, /^M-Pesa: ni malipo machache tu yanayofanikiwa kwa sasa/],
    ['en', mpesa.message, /^M-Pesa: payments rarely succeed/],
  ] as const) {
    assert.match(sentence, words)
    const { payload } = await app.api.checkout.inject({ url: `/pay/${page.slug}?lang=${language}` })
    assert.ok(payload.includes(sentence.replace(/^[^:]*:/, '<b>$&</b>')), 'the form says the same as the API')
  }

  // After a quiet time it is still down: what worked before the failures, or has no PIN yet or in time, shows nothing.
  const quiet = () =>
    app.owner.pool.query(
      `update payments set updated_at = updated_at - interval '125 seconds' where network = 'mpesa' and completed_at is not null or failure_code = 'provider_error'`,
    )
  await quiet()
  await app.checkout(page.slug, { phone_number: '0754000111' })
  await pay(app, page.slug, ['0754000079'])
  await look(app)
  assert.equal(await stored(), 'down')

  // The status only informs: a payer may still pay, and such a payment shows that the network works again.
  await pay(app, page.slug, ['0754000069', '0754000789'])
  await look(app)
  assert.equal(await stored(), 'down')
  await app.owner.pool.query(
    `update payments set updated_at = updated_at - interval '125 seconds' where failure_code = 'provider_error'`,
  )
  await look(app)
  await eventually('it is back', async () => (await statuses(app))['mpesa'] === 'operational')
  assert.doesNotMatch((await app.api.checkout.inject({ url: `/pay/${page.slug}` })).payload, /M-Pesa:/)
})

test('charges without an answer count against a network, and those older than the window do not count', async (t) => {
  const app = await startTestApp(t, { settings: { PROVIDER_TIMEOUT_MS: '300' } })
  const page = await app.page(await app.student())
  await app.control('POST', '/hold', { create: true })
  await Promise.all(Array.from({ length: 5 }, () => app.checkout(page.slug, { phone_number: '0624000111' })))
  await app.deps.backgroundDone()
  const logged: string[] = []
  const log: Log = {
    ...app.deps.log,
    info: (event) => void logged.push(`info ${event}`),
    error: (event) => void logged.push(`error ${event}`),
  }
  let told = 0
  app.deps.notifications.on('networks_changed', () => (told += 1))
  await watchNetworks({ db: app.db, log }, 0)
  await eventually('HaloPesa is down', async () => (await statuses(app))['halotel'] === 'down')
  await eventually('every process is told, and does not wait until it reads again', () => told === 1)

  await app.owner.pool.query(`update payments set created_at = created_at - interval '301 seconds'`)
  assert.deepEqual(await tallyCharges(app.db, { homes: 256, perHome: 200, windowSeconds: 300 }), [])
  await app.control('POST', '/release', { create: true })
  await pay(app, page.slug, ['0624000789'])
  await watchNetworks({ db: app.db, log }, 0)
  assert.deepEqual(logged, ['error network.charges_failed', 'info network.recovered'], 'only what is bad is an error')
})

test('the cost of a check does not depend on the history: it reads only the ends of indexes and the newest payments', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  await app.checkout(page.slug)
  const columns = await writableColumns(app)
  await app.owner.pool.query(`
    insert into payments (${columns}) select ${columns} from (select (jsonb_populate_record(p, jsonb_build_object('id', gen_id.id, 'idempotency_hash', '\\x' || md5(gen_id.id::text),
      'status', 'failed', 'completed_at', null, 'failure_code', 'provider_error', 'created_at', p.created_at - interval '1 day'))).*
    from payments p cross join (
      select ('01900000-0000-7' || lpad(to_hex(p.home::integer), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
      from payments p cross join generate_series(1, 3000) n) as gen_id) as copy`)
  await app.owner.pool.query('analyze payments')
  const read = await app.owner.tx(async (tx) => {
    await tallyCharges(tx, { homes: 256, perHome: 200, windowSeconds: 300 })
    const [row] = await tx.rows<{ read: number }>(sql`
      select (idx_tup_fetch + seq_tup_read)::integer as read from pg_stat_xact_user_tables where relname = 'payments'`)
    return row!.read
  })
  assert.ok(read < 10, `${read} rows were read`)
  await app.owner.pool.query(`delete from payments where failure_code = 'provider_error'`)
})

test('a network that is switched off is shown as down in every process at once, with its own sentence', async (t) => {
  const fleet = await startFleet(t)
  const api = await fleet.api()
  const { app } = fleet
  const admin = await app.admin()
  const turned = await app.call('PUT', '/v1/admin/switches/live.checkout.airtel', {
    token: admin.token,
    body: { state: 'off', reason: 'Airtel has maintenance tonight.' },
  })
  await eventually('the other process says so', async () => {
    const response = await fetch(`${api.url}/v1/networks`)
    const { data } = (await response.json()) as any
    const airtel = data.find((one: any) => one.network === 'airtel')
    return (
      airtel.status === 'down' &&
      airtel.message.startsWith('Airtel Money: payments are not available') &&
      airtel.since === turned.body.data.changed_at
    )
  })
  assert.equal((await statuses(app, 'test'))['airtel'], 'operational')
})

test('when two workers check at the same moment, one of them does the check', async () => {
  const app = await sharedApp()
  await Promise.all([watchNetworks(app.deps, 60), watchNetworks(app.deps, 60), watchNetworks(app.deps, 60)])
  const { rows } = await app.owner.pool.query('select count(distinct checked_at)::integer as looks from network_states')
  assert.equal(rows[0].looks, 1)
  await app.checkout((await app.page(await app.student())).slug)
  // A worker that finds nothing to check reads no payment.
  const counted = sql`select (idx_tup_fetch + seq_tup_read)::integer as read from pg_stat_xact_user_tables where relname = 'payments'`
  await app.db.joinedTx(async (tx) => {
    const before = await tx.rows(counted)
    await watchNetworks({ db: app.db, log: app.deps.log }, 60)
    assert.deepEqual(await tx.rows(counted), before)
  })
})
