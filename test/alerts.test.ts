/** The alerts of ops/: the matching incident raises each alert after its stated time, and normal operation raises none. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { caseOverdueSeconds } from '../server/collect/support-cases/support-case.ts'
import { evaluate, parseExpression, type Scrape, type Series } from './promql.ts'
import { createWatch, readRules, root, runbookOf } from './alert-rules.ts'
import type { Sample } from './scrape.ts'
import { mustBeNone } from './must-match.ts'

const minute = 60_000

const sample = (name: string, value: number, labels: Record<string, string> = {}): Sample => ({ name, labels, value })

const checkouts = (status: string, count: number): Sample =>
  sample('malipo_http_requests_total', count, { method: 'POST', route: '/v1/payments/checkout', status })

/** The metrics of a healthy service after this many minutes. */
function calm(minutes: number): Sample[] {
  const count = 600 * minutes
  return [
    sample('up', 1, { job: 'malipo' }),
    checkouts('201', count),
    checkouts('400', count / 10),
    sample('malipo_credit_seconds_bucket', count, { environment: 'live', le: '60' }),
    sample('malipo_credit_seconds_count', count, { environment: 'live' }),
    sample('malipo_webhook_first_attempt_seconds_bucket', count, { le: '5' }),
    sample('malipo_webhook_first_attempt_seconds_count', count),
    sample('malipo_webhook_attempts_total', count, { trigger: 'automatic', outcome: 'succeeded', error: 'none' }),
    sample('malipo_webhook_attempts_total', count / 10, { trigger: 'automatic', outcome: 'failed', error: 'timeout' }),
    sample('malipo_payment_moves_total', count, {
      provider: 'snippe',
      environment: 'live',
      status: 'completed',
      source: 'webhook',
    }),
    sample('malipo_payment_moves_total', count / 50, {
      provider: 'snippe',
      environment: 'live',
      status: 'completed',
      source: 'poll',
    }),
    sample('malipo_provider_messages_total', minutes, { provider: 'snippe', environment: 'live', kind: 'invalid_signature' }),
    sample('malipo_refusals_total', minutes * 10, { status: '401', code: 'invalid_api_key' }),
    sample('malipo_verify_violations', 0, { severity: 'money' }),
    sample('malipo_verify_violations', 0, { severity: 'alert' }),
    sample('malipo_verify_age_seconds', 200),
    sample('malipo_whole_check_age_seconds', 90_000),
    sample('malipo_suspense_tzs', 0, { environment: 'live' }),
    sample('malipo_open_breaks', 0, { environment: 'live', kind: 'fee_differs' }),
    sample('malipo_open_breaks', 0, { environment: 'live', kind: 'balance_differs' }),
    sample('malipo_opening_balance_missing', 0, { environment: 'live', provider: 'snippe' }),
    sample('malipo_opening_balance_missing', 1, { environment: 'test', provider: 'snippe' }),
    sample('malipo_unknown_payment_oldest_seconds', 100, { environment: 'live' }),
    sample('malipo_unknown_payment_oldest_seconds', 10_000, { environment: 'test' }),
    sample('malipo_reserved_payout_oldest_seconds', 100, { environment: 'live' }),
    sample('malipo_provider_messages_left', 0),
    sample('malipo_late_success_reach_seconds', 320, { environment: 'live', provider: 'snippe' }),
    sample('malipo_recheck_overdue_seconds', 2),
    sample('malipo_unconfirmed_checkouts', 3),
    sample('malipo_reconciliation_age_seconds', 300, { subject: 'charges', environment: 'live', provider: 'snippe' }),
    sample('malipo_comparison_overdue_seconds', 30_000, {
      kind: 'daily',
      subject: 'payouts',
      environment: 'live',
      provider: 'snippe',
    }),
    sample('malipo_provider_circuit_open', 0, { environment: 'live', provider: 'snippe', direction: 'charges' }),
    sample('malipo_network_down', 0, { environment: 'live', network: 'mpesa' }),
    sample('malipo_webhook_oldest_due_seconds', 2),
    sample('malipo_webhook_owners_overdue', 0, { environment: 'live', cause: 'waiting' }),
    sample('malipo_webhook_owners_overdue', 0, { environment: 'live', cause: 'postponed' }),
    // Endpoints of developers who only try things out.
    sample('malipo_webhook_owners_overdue', 5, { environment: 'test', cause: 'waiting' }),
    sample('malipo_webhook_owners_overdue', 5, { environment: 'test', cause: 'postponed' }),
    sample('malipo_queue_oldest_due_seconds', 2, { queue: 'webhook_deliveries' }),
    sample('malipo_figures_up', 1),
    sample('malipo_disk_free_ratio', 0.6),
    sample('malipo_queue_oldest_due_seconds', 1, { queue: 'charge_checks' }),
    // Receipts that wait are no work that no worker claims.
    sample('malipo_queue_oldest_due_seconds', 500, { queue: 'mails' }),
    sample('malipo_mail_oldest_due_seconds', 2, { kind: 'urgent' }),
    sample('malipo_mail_oldest_due_seconds', 500, { kind: 'bulk' }),
    sample('malipo_statement_mail_oldest_due_seconds', 0),
    sample('malipo_mail_attempts_total', count, { kind: 'bulk', outcome: 'sent' }),
    sample('malipo_mail_attempts_total', count / 20, { kind: 'bulk', outcome: 'later' }),
    sample('malipo_reviews_overdue', 0, { kind: 'personal' }),
    sample('malipo_support_case_oldest_seconds', 600, { environment: 'live' }),
    sample('nodejs_eventloop_lag_p99_seconds', 0.02, { instance: 'api' }),
    sample('malipo_job_failures_total', 3, { name: 'data-lifecycle/keep-periods' }),
    sample('malipo_database_waiting', 0, { pool: 'requests' }),
    sample('malipo_database_failures_total', 3, { pool: 'requests', kind: 'disk_full' }),
    sample('malipo_database_failures_total', 3, { pool: 'requests', kind: 'read_only' }),
    sample('malipo_provider_troubles_total', 3, { provider: 'snippe', environment: 'live', trouble: 'credentials' }),
    sample('malipo_clock_skew_seconds', -0.01),
    sample('malipo_archive_failing', 0),
    sample('malipo_archive_age_seconds', 30),
  ]
}

type Change = (name: string, value: number, minutes: number, labels: Record<string, string>) => number

const calmMinutes = 40
const calmScrapes = Array.from({ length: calmMinutes + 71 }, (_, at) => calm(at))

/** The alerts raised by a day that goes wrong after forty minutes, with the minute counted from then; every minute is scraped. */
function raisedOn(
  change: Change,
  minutes = 20,
  extra: (minutes: number) => Sample[] = () => [],
  stored: (one: Sample) => Sample = (one) => one,
): Map<string, number> {
  const watch = createWatch()
  const raised = new Map<string, number>()
  for (let at = 0; at <= calmMinutes + minutes; at += 1) {
    const bad = at - calmMinutes
    const samples = calmScrapes[at]!.map((one) =>
      bad < 0 ? one : { ...one, value: change(one.name, one.value, bad, one.labels) },
    )
    const firing = watch.look({ atMs: at * minute, samples: [...samples.map(stored), ...(bad < 0 ? [] : extra(bad))] })
    if (bad < 0) assert.deepEqual(firing, [], `minute ${at} of normal operation`)
    for (const { alert } of firing) if (!raised.has(alert)) raised.set(alert, bad)
  }
  return raised
}

const becomes =
  (wanted: string, to: number, with_: Record<string, string> = {}): Change =>
  (name, value, _minutes, labels) =>
    name === wanted && Object.entries(with_).every(([key, text]) => labels[key] === text) ? to : value

const grows =
  (wanted: string, perMinute: number, with_: Record<string, string> = {}): Change =>
  (name, value, minutes, labels) =>
    name === wanted && Object.entries(with_).every(([key, text]) => labels[key] === text) ? value + perMinute * minutes : value

/** A metric that stands still while the others continue. */
const stops =
  (wanted: string, with_: Record<string, string> = {}): Change =>
  (name, value, minutes, labels) =>
    name === wanted && Object.entries(with_).every(([key, text]) => labels[key] === text)
      ? (value * calmMinutes) / (calmMinutes + minutes)
      : value

/** The alert, the day that raises it, and the minute at which an operator is paged. */
const days: [alert: string, day: Change, minute: number][] = [
  ['BooksDoNotHold', becomes('malipo_verify_violations', 1, { severity: 'money' }), 0],
  ['RecordsDoNotHold', becomes('malipo_verify_violations', 1, { severity: 'alert' }), 0],
  ['BooksNotChecked', becomes('malipo_verify_age_seconds', 1300), 5],
  ['BooksNotReadWhole', becomes('malipo_whole_check_age_seconds', 180_000), 0],
  ['SuspenseNotZero', becomes('malipo_suspense_tzs', 5000), 15],
  ['BalanceDiffers', becomes('malipo_open_breaks', 1, { kind: 'balance_differs' }), 0],
  ['OpeningBalanceMissing', becomes('malipo_opening_balance_missing', 1, { environment: 'live' }), 0],
  ['FeesDiffer', becomes('malipo_open_breaks', 1, { kind: 'fee_differs' }), 0],
  ['PaymentsUnknown', becomes('malipo_unknown_payment_oldest_seconds', 1000), 1],
  ['PayoutsStayReserved', becomes('malipo_reserved_payout_oldest_seconds', 20_000), 0],
  ['MessagesLeftToPeople', becomes('malipo_provider_messages_left', 1), 0],
  ['NotReconciled', becomes('malipo_reconciliation_age_seconds', 2000), 0],
  ['ComparisonStuck', becomes('malipo_comparison_overdue_seconds', 90_000), 0],
  ['LateSuccessesFoundLate', becomes('malipo_late_success_reach_seconds', 900), 5],
  ['RechecksLate', becomes('malipo_recheck_overdue_seconds', 900), 5],
  ['ProviderAway', becomes('malipo_provider_circuit_open', 1), 2],
  ['NetworkDown', becomes('malipo_network_down', 1), 5],
  ['ForgedMessages', grows('malipo_provider_messages_total', 10), 2],
  ['WebhooksOverdue', becomes('malipo_webhook_owners_overdue', 2, { environment: 'live', cause: 'waiting' }), 1],
  ['WebhooksFail', grows('malipo_webhook_attempts_total', 3000, { outcome: 'failed' }), 13],
  ['ProcessAway', becomes('up', 0), 1],
  ['DatabaseAway', becomes('malipo_figures_up', 0), 1],
  ['DatabaseOnlyReads', grows('malipo_database_failures_total', 1, { kind: 'read_only' }), 1],
  ['DatabaseDiskFull', grows('malipo_database_failures_total', 1, { kind: 'disk_full' }), 1],
  ['ProviderRefusesOurCredentials', grows('malipo_provider_troubles_total', 1), 1],
  ['DiskFills', becomes('malipo_disk_free_ratio', 0.05), 5],
  ['QueueLate', becomes('malipo_queue_oldest_due_seconds', 200, { queue: 'charge_checks' }), 1],
  ['MailLate', becomes('malipo_mail_oldest_due_seconds', 90, { kind: 'urgent' }), 1],
  ['ReceiptsLate', becomes('malipo_mail_oldest_due_seconds', 1000, { kind: 'bulk' }), 5],
  ['StatementsLate', becomes('malipo_statement_mail_oldest_due_seconds', 4000), 5],
  ['MailFails', grows('malipo_mail_attempts_total', 3000, { outcome: 'later' }), 8],
  ['SupportCasesLate', becomes('malipo_support_case_oldest_seconds', 20_000, { environment: 'live' }), 15],
  ['ReviewsOverdue', becomes('malipo_reviews_overdue', 1), 15],
  ['EventLoopHeldUp', becomes('nodejs_eventloop_lag_p99_seconds', 0.9), 2],
  ['ConnectionsShort', becomes('malipo_database_waiting', 3), 2],
  ['ClocksDisagree', becomes('malipo_clock_skew_seconds', -3), 2],
  ['ArchiveFails', becomes('malipo_archive_failing', 1), 5],
  ['CheckoutsFlooded', becomes('malipo_unconfirmed_checkouts', 120), 2],
  ['KeysGuessed', grows('malipo_refusals_total', 600), 10],
  ['CreditsLate', stops('malipo_credit_seconds_bucket'), 7],
  ['WebhooksLate', stops('malipo_webhook_first_attempt_seconds_bucket'), 7],
]

test('each alert is raised in time by its own incident, and by no other', () => {
  for (const [alert, day, minutes] of days) {
    const raised = raisedOn(day)
    const others = [...raised.keys()].filter((name) => name !== alert)
    assert.deepEqual(others, [], `raised besides ${alert}`)
    assert.equal(raised.get(alert), minutes, `${alert} was raised in minute ${raised.get(alert)}`)
  }
})

test('late credits and webhooks are noticed with the bounds as Prometheus 3 stores them, too', () => {
  const asFloat = (one: Sample): Sample =>
    'le' in one.labels ? { ...one, labels: { ...one.labels, le: `${one.labels['le']}.0` } } : one
  for (const [metric, alert] of [
    ['malipo_credit_seconds_bucket', 'CreditsLate'],
    ['malipo_webhook_first_attempt_seconds_bucket', 'WebhooksLate'],
  ] as const)
    assert.deepEqual([...raisedOn(stops(metric), 20, undefined, asFloat)], [[alert, 7]])
})

test('failing checkouts page an operator when they matter, and not when they are few', () => {
  const failing = (perMinute: number) =>
    raisedOn(
      (_, value) => value,
      40,
      (minutes) => [checkouts('503', perMinute * minutes)],
    )
  // 600 arrive each minute; 14.4 times the allowance of 0.05 % is 4.3 of them.
  assert.deepEqual([...failing(0.2).keys()], [])
  assert.deepEqual([...failing(3).keys()], ['CheckoutsFailSlowly'])
  assert.equal(failing(30).get('CheckoutsFailFast')! < 15, true)
})

test('messages that stop are distinguished from a provider that is quiet', () => {
  const asked = raisedOn(
    (name, value, minutes, { source }) =>
      name !== 'malipo_payment_moves_total' ? value : source === 'webhook' ? 24_000 : value + 100 * minutes,
    60,
  )
  assert.deepEqual([...asked.keys()], ['MessagesStopped'])
  const quiet = raisedOn((name, value) => (name === 'malipo_payment_moves_total' ? 24_000 : value), 60)
  assert.deepEqual([...quiet.keys()], [])
})

test('webhooks page when none are sent or two live owners wait, and endpoints of merchants are a ticket', () => {
  const due = becomes('malipo_queue_oldest_due_seconds', 90, { queue: 'webhook_deliveries' })
  const oldest = becomes('malipo_webhook_oldest_due_seconds', 90)
  const ofOne: Change = (name, value, minutes, labels) =>
    name === 'malipo_webhook_owners_overdue' && labels['environment'] === 'live'
      ? 1
      : oldest(name, due(name, value, minutes, labels), minutes, labels)
  assert.deepEqual([...raisedOn(ofOne, 40)], [['WebhooksOfOneOverdue', 30]])
  // The name servers of three shops do not answer. While others get their webhooks, the fault is theirs.
  const deadNames = becomes('malipo_webhook_owners_overdue', 3, { environment: 'live', cause: 'postponed' })
  const named: Change = (name, value, minutes, labels) => oldest(name, deadNames(name, value, minutes, labels), minutes, labels)
  assert.deepEqual([...raisedOn(named, 40)], [['WebhooksOfOneOverdue', 30]])
  // Each try fails inside this service, so none counts as an attempt.
  const allFail: Change = (name, value, minutes, labels) =>
    stops('malipo_webhook_attempts_total')(name, named(name, value, minutes, labels), minutes, labels)
  assert.deepEqual([...raisedOn(allFail)], [['WebhooksOverdue', 15]])
  const standstill: Change = (name, value, minutes, labels) =>
    stops('malipo_webhook_attempts_total')(name, ofOne(name, value, minutes, labels), minutes, labels)
  assert.deepEqual([...raisedOn(standstill)], [['WebhooksOverdue', 2]])
})

test('a job that fails for an hour is reported, and one that failed once is not', () => {
  const failing = (most: number) =>
    raisedOn((name, value, minutes) => (name === 'malipo_job_failures_total' ? value + Math.min(minutes, most) : value), 70)
  assert.deepEqual([...failing(1).keys()], [])
  assert.deepEqual([...failing(100)], [['JobFails', 61]])
})

test('breaks that stay open are reported, and every alert has a test like this', () => {
  const broken = (age: number) =>
    raisedOn(
      (_, value) => value,
      2,
      () => [sample('malipo_open_break_oldest_seconds', age, { environment: 'live', kind: 'amount_differs' })],
    )
  assert.deepEqual([...broken(80_000).keys()], [])
  assert.deepEqual([...broken(90_000).keys()], ['BreaksStayOpen'])
  const tested = new Set([
    ...days.map(([alert]) => alert),
    'BreaksStayOpen',
    'CheckoutsFailFast',
    'CheckoutsFailSlowly',
    'MessagesStopped',
    'JobFails',
    'WebhooksOfOneOverdue',
  ])
  mustBeNone(
    readRules().alerts.flatMap(({ alert }) => (tested.has(alert) ? [] : [alert])),
    'Write a day on which each of these alerts is raised into days of test/alerts.test.ts',
  )
})

test('a case is late for the alert at the age at which the console calls it overdue', () => {
  const waited = (age: number) => raisedOn((name, value) => (name === 'malipo_support_case_oldest_seconds' ? age : value), 30)
  assert.deepEqual([...waited(caseOverdueSeconds).keys()], [])
  assert.deepEqual([...waited(caseOverdueSeconds + 1).keys()], ['SupportCasesLate'])
})

test('a counter that restarts at zero is not mistaken for a falling value', () => {
  const at = (minutes: number, value: number): Scrape => ({ atMs: minutes * minute, samples: [sample('c_total', value)] })
  const history = [at(0, 100), at(1, 110), at(2, 5), at(3, 7)]
  assert.deepEqual(evaluate(parseExpression('increase(c_total[5m])'), history, 3 * minute), [{ labels: {}, value: 17 }])
  const [perMinute] = evaluate(parseExpression('sum(rate(c_total[5m])) * 60 > 5'), history, 3 * minute) as Series[]
  assert.equal(perMinute!.value.toFixed(6), '5.666667')
  assert.deepEqual(evaluate(parseExpression('missing_total > 0 or vector(1)'), history, 3 * minute), [{ labels: {}, value: 1 }])
})

test('each alert leads to a runbook that names it', () => {
  const { alerts, heartbeats } = readRules()
  const missing = [...alerts, ...heartbeats].filter((rule) => {
    const file = join(root, runbookOf(rule))
    return !existsSync(file) || !readFileSync(file, 'utf8').includes(`\`${rule.alert}\``)
  })
  assert.deepEqual(
    missing.map((rule) => `${rule.alert}: ${runbookOf(rule)}`),
    [],
  )
})
