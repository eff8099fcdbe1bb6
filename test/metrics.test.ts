/** The metrics of a process on its private port: values that match what happened, and labels that identify no one. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { walkBooks } from '../server/assurance/invariants/walk-books.ts'
import { watchBooks } from '../server/assurance/invariants/watch-books.ts'
import { PortTaken } from '../server/config/values.ts'
import { openMetricsPort } from '../server/operations/metrics/open-port.ts'
import { routesOf } from '../server/platform/http/http.ts'
import { markerSetting } from '../server/money/controls/restore.sql.ts'
import { readArchive } from '../server/operations/metrics/figures.sql.ts'
import { sql } from '../server/platform/db/db.ts'
import { fromWire, newId } from '../server/platform/ids.ts'
import { createReconciler } from '../server/assurance/reconciliation/reconcile.ts'
import { submittedBusiness } from './onboarding.ts'
import { parseExpression, readsOf } from './promql.ts'
import { readRules, root, runbookOf } from './alert-rules.ts'
import { parseScrape, scrape, valueOf } from './scrape.ts'
import { startShop } from './webhook-shop.ts'
import { eventually, freePorts, startTestApp, type TestApp } from './app.ts'
import { mustBeNone } from './must-match.ts'

async function openedApp(t: Parameters<typeof startTestApp>[0], worker: boolean): Promise<{ app: TestApp; url: string }> {
  const [port] = await freePorts(1)
  const app = await startTestApp(t, { worker, settings: { METRICS_PORT: String(port) } })
  const metrics = await openMetricsPort(app.deps)
  app.beforeClose(() => metrics.close())
  return { app, url: `http://127.0.0.1:${port}` }
}

/** A payment for which the provider reports another amount: its money goes to suspense, and a break opens. */
async function payAnotherAmount(app: TestApp, slug: string): Promise<void> {
  const { body } = await app.checkout(slug, { phone_number: '+255754000111' })
  const { charges } = await app.truth('?status=pending')
  await app.control('POST', `/charges/${charges[0].reference}/answer`, { action: 'complete', amount: 1400 })
  await eventually('the money is in suspense', async () => {
    const { rows } = await app.owner.pool.query(`select from payments where id = $1 and held`, [
      fromWire('pay', body.data.reference),
    ])
    return rows.length === 1
  })
}

const dashboardSchema = z.looseObject({
  uid: z.literal('malipo'),
  panels: z.array(
    z.looseObject({
      id: z.int(),
      type: z.enum(['row', 'timeseries', 'stat']),
      title: z.string().min(3),
      gridPos: z.object({ h: z.int(), w: z.int(), x: z.int(), y: z.int() }),
      targets: z.array(z.looseObject({ expr: z.string(), legendFormat: z.string(), refId: z.string() })).optional(),
    }),
  ),
})

/** A process exports every metric that the alerts and the dashboard read, under these names and labels. */
async function checkReaders(url: string, routes: Set<string>): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const samples = parseScrape(text)
  const families = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
  const { records, alerts } = readRules()
  const { panels } = dashboardSchema.parse(JSON.parse(readFileSync(join(root, 'ops/grafana-dashboard.json'), 'utf8')))
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const drawn = panels.flatMap(({ targets = [] }) => targets)
  const recorded = new Set(records.map(({ record }) => record))
  // The labels that Prometheus itself adds to a scrape.
  const added = new Set(['job', 'instance'])
  const wrong: string[] = []
  for (const { expr } of [...records, ...alerts, ...drawn]) {
    for (const { name, labels, matchers } of readsOf(parseExpression(expr))) {
      if (name === 'up' || recorded.has(name)) continue
      const family = name.replace(/_(bucket|count|sum)$/, '')
      if (!(families.has(name) || families.get(family) === 'histogram')) wrong.push(`${name} is no metric of ours: ${expr}`)
      const seen = samples.filter((sample) => sample.name === name)
      const known = new Set(seen.flatMap((sample) => Object.keys(sample.labels)))
      const missing = labels.filter((label) => !known.has(label) && !added.has(label))
      if (missing.length > 0) wrong.push(`${name} has no ${missing.join(', ')}: ${expr}`)
      for (const { label, text: wanted } of matchers) {
        if (label === 'le' && !seen.some((sample) => new RegExp(`^(${wanted})$`).test(sample.labels['le'] ?? '')))
          wrong.push(`${name} has no bound ${wanted}`)
        const unknown = label === 'route' ? wanted.split('|').filter((route) => !routes.has(`POST ${route}`)) : []
        if (unknown.length > 0) wrong.push(`there is no route ${unknown.join(', ')}: ${expr}`)
      }
    }
  }
  mustBeNone(wrong, 'Correct these expressions of ops/alerts.yaml or ops/grafana-dashboard.json')
  for (const { targets = [] } of panels) {
    for (const { expr, legendFormat } of targets) {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!)
      const carried = new Set(readsOf(parseExpression(expr)).flatMap(({ labels }) => labels))
      assert.deepEqual(
        shown.filter((label) => !carried.has(label) && label !== 'instance'),
        [],
        expr,
      )
    }
  }
  const pages = new Set(alerts.map(runbookOf))
  mustBeNone(
    [...pages].filter((page) => !runbooks.includes(page)),
    'Alerts of ops/alerts.yaml name these runbooks: write them',
  )
}

const runbooks = globSync('docs/runbooks/*.md', { cwd: root })

test('a scrape after a busy day reports what happened, and identifies no one', async (t) => {
  const { app, url } = await openedApp(t, true)
  const shop = await startShop(t, app, (response) => response.writeHead(200).end('ok'))
  await shop.sell(3)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { title: 'Kodi ya Upanga' })
  for (const phone of ['+255784123049', '0754 123 789', '+255754123789']) {
    const made = await app.checkout(page.slug, { phone_number: phone })
    await app.settled(made.body.data.reference)
  }
  const payout = { amount: 5000, phone_number: '+255754000129', recipient_name: 'Asha Mollel' }
  const refused = await app.call('POST', '/v1/payouts', { key, headers: { 'idempotency-key': 'moja' }, body: payout })
  assert.equal(refused.status, 402, JSON.stringify(refused.body))
  await app.call('GET', '/v1/balance', { key: `${key.slice(0, -1)}_` })
  await app.call('GET', '/v1/pay/Salome-Mrema')
  await app.call('GET', `/Salome-Mrema/${'x'.repeat(30)}?phone=255754222333`)
  await app.call('POST', '/v1/providers/snippe/test/webhook', {
    rawBody: '{"customer":"Salome Mrema"}',
    headers: { 'x-webhook-signature': 'a'.repeat(64), 'x-webhook-timestamp': '1' },
  })
  await submittedBusiness(app)
  await watchBooks(app.deps)
  await walkBooks(app.deps, { budgetMs: 60_000 })
  await app.owner.pool.query(
    `insert into provider_movements (id, provider, environment, kind, amount, reference, note, recorded_by)
     values (gen_random_uuid(), 'snippe', 'test', 'opening', 0, 'opening', 'Empty account', 'system'),
       (gen_random_uuid(), 'snippe', 'live', 'top_up', 5000, 'FT1', 'Top-up', 'system')`,
  )
  const reconciler = createReconciler(app.deps)
  await reconciler.plan()
  for (const kind of ['recent', 'late'] as const) for (let turn = 0; turn < 20; turn += 1) await reconciler.step(kind)
  await payAnotherAmount(app, page.slug)
  await eventually('the webhooks are delivered', () => shop.received.length === 3)

  const samples = await eventually('the deliveries are counted', async () => {
    const seen = await scrape(url)
    return valueOf(seen, 'malipo_webhook_steps_total', { step: 'delivered' }) === 3 && seen
  })
  const is = (name: string, labels: Record<string, string>, value: number): void =>
    assert.equal(valueOf(samples, name, labels), value, `${name} ${JSON.stringify(labels)}`)
  is('malipo_figures_up', {}, 1)
  is('malipo_http_requests_total', { method: 'POST', route: '/v1/payments/checkout', status: '201' }, 7)
  is('malipo_http_request_seconds_count', { route: '/v1/payments/checkout' }, 7)
  is('malipo_http_requests_total', { route: '(no route)' }, 1)
  is('malipo_http_requests_total', { route: '/v1/pay/:slug', status: '404' }, 1)
  is('malipo_refusals_total', { status: '402', code: 'insufficient_balance' }, 1)
  is('malipo_refusals_total', { status: '401', code: 'invalid_signature' }, 1)
  is('malipo_provider_calls_total', { operation: 'charge', outcome: 'accepted', provider: 'snippe', environment: 'test' }, 7)
  is('malipo_provider_call_seconds_count', { operation: 'charge' }, 7)
  is('malipo_provider_messages_total', { kind: 'invalid_signature' }, 1)
  is('malipo_payment_moves_total', { status: 'completed', network: 'mpesa', source: 'webhook' }, 5)
  is('malipo_payment_moves_total', { status: 'failed', network: 'airtel' }, 1)
  is('malipo_credit_seconds_count', { environment: 'test' }, 5)
  is('malipo_credit_seconds_bucket', { environment: 'test', le: '60' }, 5)
  is('malipo_payment_seconds_count', { network: 'mpesa' }, 5)
  is('malipo_webhook_attempts_total', { trigger: 'automatic', outcome: 'succeeded', error: 'none' }, 3)
  is('malipo_webhook_first_attempt_seconds_bucket', { le: '5' }, 3)
  is('malipo_recent_charges', { environment: 'test', network: 'mpesa', outcome: 'completed' }, 5)
  is('malipo_network_success_ratio', { network: 'airtel' }, 0)
  assert.ok(valueOf(samples, 'malipo_time_to_credit_median_seconds', { network: 'mpesa' })! > 0)
  is('malipo_verify_violations', {}, 0)
  assert.ok(valueOf(samples, 'malipo_verify_age_seconds')! < 30)
  assert.ok(valueOf(samples, 'malipo_whole_check_age_seconds')! < 30)
  is('malipo_reviews_waiting', { kind: 'business' }, 1)
  is('malipo_suspense_tzs', { environment: 'test' }, 1400)
  is('malipo_open_breaks', { environment: 'test', kind: 'amount_differs' }, 1)
  is('malipo_job_failures_total', { name: 'data-lifecycle/keep-periods' }, 0)
  is('malipo_opening_balance_missing', { environment: 'test', provider: 'snippe' }, 0)
  is('malipo_opening_balance_missing', { environment: 'live', provider: 'snippe' }, 1)
  is('malipo_webhook_owners_overdue', { environment: 'live', cause: 'waiting' }, 0)
  is('malipo_webhook_owners_overdue', { environment: 'test', cause: 'postponed' }, 0)
  is('malipo_switched_off', { switch: 'payouts' }, 0)
  is('malipo_provider_circuit_open', { provider: 'snippe', environment: 'test', direction: 'charges' }, 0)
  assert.ok(valueOf(samples, 'malipo_database_connections', { pool: 'settling' })! > 0)
  const skew = valueOf(samples, 'malipo_clock_skew_seconds')!
  assert.ok(Math.abs(skew) < 2, `${skew} s`)
  assert.ok(valueOf(samples, 'malipo_disk_free_ratio')! > 0)
  assert.equal(valueOf(samples, 'malipo_archive_failing'), undefined, 'this server keeps no archive')
  assert.ok(valueOf(samples, 'nodejs_eventloop_lag_p99_seconds')! >= 0)

  await checkReaders(url, new Set([...routesOf(app.api.api), ...routesOf(app.api.checkout)]))

  // Phones, ids of any kind, addresses, names and text from strangers: no caller can turn them into labels or fill the memory with
  // them.
  const leaked = /\d{6}|@|[0-9a-z]{26}|[0-9a-f]{8}-|Salome|Asha|Kodi|xxx/
  const values = samples.flatMap(({ labels }) => Object.values(labels))
  mustBeNone(
    values.filter((value) => leaked.test(value)),
    'A caller has made these the labels of a metric: use words of a list',
  )
  const known = samples.length
  for (let turn = 0; turn < 20; turn += 1) {
    await app.call('GET', `/v1/pay/duka-${turn}`)
    await app.call('GET', `/${turn}`, { headers: { 'x-request-id': `request-number-${turn}` } })
    await app.call('GET', `/v1/payments/pay_${'0'.repeat(24)}${10 + turn}/status`)
  }
  const after = await scrape(url)
  const grown = new Set(after.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`))
  for (const { name, labels } of samples) grown.delete(`${name} ${JSON.stringify(labels)}`)
  assert.ok(after.length - known < 40, `60 other addresses made ${grown.size} new series: ${[...grown].slice(0, 60).join('; ')}`)
})

test('unfinished work is shown with its age, and a metric that cannot be read is not shown', async (t) => {
  const { app, url } = await openedApp(t, false)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 20_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'moja' },
    body: { amount: 5000, phone_number: '+255754000129', recipient_name: 'Asha' },
  })
  const { reference } = (await app.checkout(page.slug, { phone_number: '+255754123456' })).body.data
  const id = fromWire('pay', reference)
  await app.owner.pool.query(
    `update provider_charges set state = 'unknown', provider_reference = null, next_attempt_at = now() - interval '90 seconds' where payment_id = $1`,
    [id],
  )
  await app.owner.pool.query(`update payments set created_at = created_at - interval '5 minutes' where id = $1`, [id])
  // Another payment was checked for two days. Its case waits for operators.
  const decided = fromWire('pay', (await app.checkout(page.slug, { phone_number: '+255754123457' })).body.data.reference)
  await app.owner.pool.query(
    `update provider_charges set state = 'unknown', provider_reference = null, next_attempt_at = null where payment_id = $1`,
    [decided],
  )
  await app.owner.pool.query(`update payments set created_at = created_at - interval '2 days' where id = $1`, [decided])
  await app.owner.pool.query(
    `insert into breaks (home, id, environment, kind, payment_id, provider)
     select home, gen_random_uuid(), environment, 'charge_unknown', id, 'snippe' from payments where id = $1`,
    [decided],
  )
  await app.owner.pool.query(
    `insert into provider_inbox (provider, environment, event_id, body_hash, body, state, request_id) values ('snippe', 'test', 'evt_lost', '', '{}', 'orphan', 'req_lost')`,
  )
  await app.owner.pool.query(
    `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by)
     values (gen_random_uuid(), 'daily', 'payouts', 'test', 'snippe', clock_now()::date - 3, clock_now() - interval '2 days', 'system'),
       (gen_random_uuid(), 'daily', 'payouts', 'test', 'snippe', clock_now()::date - 4, clock_now() - interval '3 days', 'system'),
       (gen_random_uuid(), 'recent', 'payouts', 'test', 'snippe', null, clock_now() - interval '2 hours', 'system'),
       (gen_random_uuid(), 'daily', 'payouts', 'test', 'removed', clock_now()::date - 3, clock_now() - interval '2 days', 'system')`,
  )

  const samples = await scrape(url)
  const value = (name: string, labels: Record<string, string> = {}): number => valueOf(samples, name, labels) ?? Number.NaN
  assert.equal(value('malipo_unknown_payments', { environment: 'test' }), 2)
  assert.equal(value('malipo_unknown_payments_tzs', { environment: 'test' }), 40_000)
  const oldest = value('malipo_unknown_payment_oldest_seconds', { environment: 'test' })
  assert.ok(oldest >= 300 && oldest < 600, `what has a case pages no one: ${oldest} s`)
  assert.equal(value('malipo_open_breaks', { environment: 'test', kind: 'charge_unknown' }), 1)
  assert.equal(value('malipo_unknown_payments', { environment: 'live' }), 0)
  assert.equal(value('malipo_reserved_payouts', { environment: 'test' }), 1)
  assert.ok(value('malipo_reserved_payouts_tzs', { environment: 'test' }) >= 5000)
  assert.equal(value('malipo_queue_due', { queue: 'charge_checks' }), 1)
  assert.ok(value('malipo_queue_oldest_due_seconds', { queue: 'charge_checks' }) >= 90)
  assert.equal(value('malipo_provider_messages_left'), 1)
  const account = { subject: 'payouts', environment: 'test', provider: 'snippe' }
  assert.equal(Math.round(value('malipo_comparison_overdue_seconds', { kind: 'daily', ...account }) / 86_400), 3)
  assert.ok(Number.isNaN(value('malipo_comparison_overdue_seconds', { provider: 'removed' })))
  assert.equal(Math.round(value('malipo_reconciliation_age_seconds', account) / 3600), 2, 'no comparison has ended')
  assert.ok(Number.isNaN(value('malipo_verify_violations')), 'books that were never checked have no violations to show')

  const deep = await fetch(`${url}/healthz/deep`)
  const { status, checks } = (await deep.json()) as { status: string; checks: { name: string }[] }
  assert.deepEqual([deep.status, status], [200, 'ok'], JSON.stringify(checks))
  for (const name of ['database', 'storage', 'queue charge_checks', 'snippe test charges']) {
    assert.ok(
      checks.some((check) => check.name === name),
      name,
    )
  }

  await app.db.tx(async (tx) => {
    assert.equal(await readArchive(tx), undefined)
    await tx.rows(sql`select set_config(${markerSetting}, ${`${newId()} 2026-11-01T00:00:00Z`}, true)`)
    const archive = await readArchive(tx)
    assert.equal(archive?.isFailing, true, 'a restored database is not archived until an operator turns it on')
    assert.ok(archive.seconds > 0)
  })

  await app.owner.pool.query(
    `create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$;
     create trigger full_disk before insert on payments for each statement execute function full_disk()`,
  )
  assert.equal((await app.checkout(page.slug)).status, 503)
  assert.ok(valueOf(await scrape(url), 'malipo_database_failures_total', { pool: 'requests', kind: 'disk_full' })! > 0)

  await app.owner.pool.query(`revoke select on breaks from malipo_service`)
  await eventually('the last figures are too old', async () => valueOf(await scrape(url), 'malipo_figures_up') === 0)
  const without = await scrape(url)
  assert.equal(valueOf(without, 'malipo_unknown_payments'), undefined)
  assert.ok(valueOf(without, 'malipo_http_requests_total')! > 0)
  await app.owner.pool.query(`grant select on breaks to malipo_service`)
  await app.owner.pool.query(
    `update provider_charges set next_attempt_at = now() - interval '10 minutes' where payment_id = $1`,
    [id],
  )
  const unhealthy = await fetch(`${url}/healthz/deep`)
  assert.equal(unhealthy.status, 503)
  assert.match(
    JSON.stringify(await unhealthy.json()),
    /"queue charge_checks","ok":false,"says":"the oldest has been due for 6\d\d s"/,
  )
  await app.owner.pool.query(`update provider_charges set next_attempt_at = now() + interval '1 hour' where payment_id = $1`, [
    id,
  ])

  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  assert.equal((await fetch(`${url}/`)).status, 404)
  await assert.rejects(openMetricsPort(app.deps), (error) => error instanceof PortTaken && /METRICS_PORT/.test(error.message))
})
