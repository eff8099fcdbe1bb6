/**
 * Metrics of the business and of waiting work, read from the database on request, at most every few seconds. Invariant: a metric that
 * could not be read is not shown, and `malipo_figures_up` reports it; an old value is never shown as a new one.
 */
import { severities } from '../../domain/severity.ts'
import { environments } from '../../domain/environment.ts'
import { statfs } from 'node:fs/promises'
import type { Pool } from 'pg'
import type { Config } from '../../config/config.ts'
import { countOpenBreaks, readLastRuns, readMoment, readQueues, readReservedPayouts } from '../operators/overview.sql.ts'
import { readBookCheck } from '../../assurance/invariants/book-check.sql.ts'
import { readWholeCheckStart } from '../../assurance/invariants/check-cursor.sql.ts'
import { partsOfAll } from '../../assurance/invariants/verify-all.ts'
import type { Networks } from '../../money/controls/read-networks.ts'
import { readFloods } from '../../collect/payments/pace.sql.ts'
import { summariseRecentCharges } from '../../collect/payments/recent-charges.sql.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Figure, Meters } from '../../platform/process/meters.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { remembered } from '../../platform/process/remembered.ts'
import type { CircuitHealth } from '../../money/providers/circuit.ts'
import type { Providers } from '../../money/providers/provider.ts'
import { listOpenings } from '../../assurance/reconciliation/balance.sql.ts'
import { countUnknownPayments } from '../../assurance/reconciliation/break-subject.sql.ts'
import { accountsOf } from '../../assurance/reconciliation/reconcile.ts'
import type { Switches } from '../../money/controls/read-switches.ts'
import { switches } from '../../money/controls/switch.ts'
import { readCaseQueue } from '../../collect/support-cases/support-case.sql.ts'
import { countWaiting } from '../../merchants/onboarding/review-queue.sql.ts'
import { readOldestMails } from '../../base/mail/mail.sql.ts'
import { overdueHours } from '../../merchants/onboarding/review-queue-routes.ts'
import { countOverdueOwners, readOldestDue } from '../../merchants/webhooks/delivery.sql.ts'
import {
  countMessagesLeft,
  readArchive,
  readOverdueRuns,
  readRecheckDelay,
  readStatementDelay,
  readSuspense,
} from './figures.sql.ts'

export type FiguresDeps = {
  config: Pick<Config, 'dataDir'>
  db: Db
  settlingDb: Db
  recordMac: RecordMac
  clock: Clock
  meters: Meters
  providers: Providers
  providerHealth(): CircuitHealth[]
  networks: Pick<Networks, 'view'>
  switches: Pick<Switches, 'read'>
  version: string
}

const keptMs = 5_000
/** The time limit of an answer, which then contains only the metrics of the process itself. */
const patienceMs = 4_000
const countedAtMost = 10_000
const perHome = 200
const windowSeconds = 300

type Value = [labels: Record<string, string>, value: number]

const age = (from: Date, now: Date): number => Math.max(0, (now.getTime() - from.getTime()) / 1000)

/** How the comparisons of each provider account stand. */
async function readAccounts(db: Db, providers: Providers): Promise<[string, Value[]][]> {
  const accounts = accountsOf(providers).map(({ account }) => account)
  // An account has one balance, for both directions.
  const balances = accounts.filter(({ subject }) => subject === 'payouts')
  const [runs, overdueRuns, openings] = await Promise.all([
    readLastRuns(db, accounts),
    readOverdueRuns(db, accounts),
    listOpenings(db, balances),
  ])
  return [
    [
      'malipo_reconciliation_age_seconds',
      runs.flatMap(({ subject, environment, provider, secondsAgo }): Value[] =>
        secondsAgo === null ? [] : [[{ subject, environment, provider }, secondsAgo]],
      ),
    ],
    ['malipo_comparison_overdue_seconds', overdueRuns.map(({ seconds, ...labels }): Value => [labels, seconds])],
    [
      'malipo_opening_balance_missing',
      openings.map(({ environment, provider, isMissing }): Value => [{ environment, provider }, isMissing ? 1 : 0]),
    ],
    [
      'malipo_late_success_reach_seconds',
      runs.flatMap(({ environment, provider, lateReachSeconds }): Value[] =>
        lateReachSeconds === null ? [] : [[{ environment, provider }, lateReachSeconds]],
      ),
    ],
  ]
}

/** All metrics that are read from the database, by name. */
async function readFigures(deps: FiguresDeps): Promise<Map<string, Value[]>> {
  const { db, clock, providers, switches: states } = deps
  const askedAt = clock.now()
  const now = await readMoment(db)
  const skewMs = (askedAt + clock.now()) / 2 - now.getTime()
  const [
    charges,
    queues,
    oldestWebhook,
    oldestMails,
    unknown,
    reserved,
    breaks,
    suspense,
    left,
    ofAccounts,
    books,
    wholeCheckStart,
    reviews,
    switchedOff,
    archive,
    recheck,
    floods,
    cases,
    statementDelay,
    overdueOwners,
  ] = await Promise.all([
    summariseRecentCharges(db, { windowSeconds, perHome }),
    readQueues(db, countedAtMost),
    readOldestDue(db),
    readOldestMails(db),
    countUnknownPayments(db),
    readReservedPayouts(db),
    countOpenBreaks(db),
    readSuspense(db),
    countMessagesLeft(db),
    readAccounts(db, providers),
    readBookCheck(db),
    readWholeCheckStart(
      db,
      partsOfAll(deps).map(({ name }) => name),
    ),
    countWaiting(db, overdueHours),
    states.read(),
    readArchive(db),
    readRecheckDelay(db),
    readFloods(db),
    readCaseQueue(db),
    readStatementDelay(db),
    countOverdueOwners(db),
  ])
  const ofCharge = (one: (typeof charges)[number]) => ({
    environment: one.environment,
    provider: one.provider,
    network: one.network ?? 'unknown',
  })
  const outcomes = ['begun', 'completed', 'failed', 'unknown'] as const
  return new Map<string, Value[]>([
    [
      'malipo_recent_charges',
      charges.flatMap((one) => outcomes.map((outcome): Value => [{ ...ofCharge(one), outcome }, one[outcome]])),
    ],
    [
      'malipo_network_success_ratio',
      charges.flatMap((one): Value[] => {
        const ended = one.completed + one.failed
        return ended === 0 ? [] : [[ofCharge(one), one.completed / ended]]
      }),
    ],
    [
      'malipo_time_to_credit_median_seconds',
      charges.flatMap((one): Value[] => (one.medianSeconds === null ? [] : [[ofCharge(one), one.medianSeconds]])),
    ],
    ['malipo_queue_due', queues.map((one): Value => [{ queue: one.name }, one.due])],
    ['malipo_queue_oldest_due_seconds', queues.map((one): Value => [{ queue: one.name }, one.oldestSeconds ?? 0])],
    ['malipo_webhook_oldest_due_seconds', [[{}, oldestWebhook?.seconds ?? 0]]],
    [
      'malipo_webhook_owners_overdue',
      overdueOwners.flatMap(({ environment, waiting, postponed }): Value[] => [
        [{ environment, cause: 'waiting' }, waiting],
        [{ environment, cause: 'postponed' }, postponed],
      ]),
    ],
    [
      'malipo_mail_oldest_due_seconds',
      oldestMails.map(({ isBulk, seconds }): Value => [{ kind: isBulk ? 'bulk' : 'urgent' }, seconds]),
    ],
    ['malipo_statement_mail_oldest_due_seconds', [[{}, statementDelay]]],
    ['malipo_unknown_payments', unknown.map((one): Value => [{ environment: one.environment }, one.count])],
    ['malipo_unknown_payments_tzs', unknown.map((one): Value => [{ environment: one.environment }, one.amount])],
    [
      'malipo_unknown_payment_oldest_seconds',
      unknown.map((one): Value => [{ environment: one.environment }, one.oldestWithoutCaseSeconds ?? 0]),
    ],
    ['malipo_reserved_payouts', reserved.map((one): Value => [{ environment: one.environment }, one.count])],
    ['malipo_reserved_payouts_tzs', reserved.map((one): Value => [{ environment: one.environment }, one.amount])],
    [
      'malipo_reserved_payout_oldest_seconds',
      reserved.map((one): Value => [{ environment: one.environment }, one.oldestSeconds ?? 0]),
    ],
    [
      'malipo_payouts_waiting_for_members',
      reserved.map((one): Value => [{ environment: one.environment }, one.waitingForMembers]),
    ],
    ['malipo_payouts_to_approve', reserved.map((one): Value => [{ environment: one.environment }, one.waitingForApproval])],
    ['malipo_open_breaks', breaks.map((one): Value => [{ environment: one.environment, kind: one.kind }, one.count])],
    [
      'malipo_open_break_oldest_seconds',
      breaks.map((one): Value => [{ environment: one.environment, kind: one.kind }, age(one.oldestAt, now)]),
    ],
    ['malipo_suspense_tzs', suspense.map((one): Value => [{ environment: one.environment }, one.amount])],
    ['malipo_provider_messages_left', [[{}, left]]],
    ...ofAccounts,
    ['malipo_recheck_overdue_seconds', [[{}, recheck]]],
    ['malipo_unconfirmed_checkouts', [[{}, floods.unconfirmed]]],
    ['malipo_flooded_pages', [[{}, floods.pages]]],
    [
      'malipo_verify_violations',
      books
        ? severities.map((severity): Value => [
            { severity },
            books.violations.filter((one) => (one.severity ?? 'money') === severity).length,
          ])
        : [],
    ],
    ['malipo_verify_age_seconds', books ? [[{}, age(books.checkedAt, now)]] : []],
    ['malipo_whole_check_age_seconds', wholeCheckStart ? [[{}, age(wholeCheckStart, now)]] : []],
    ['malipo_reviews_waiting', reviews.map((one): Value => [{ kind: one.kind }, one.waiting])],
    ['malipo_support_cases', cases.map((one): Value => [{ environment: one.environment }, one.waiting])],
    ['malipo_support_case_oldest_seconds', cases.map((one): Value => [{ environment: one.environment }, one.oldestSeconds ?? 0])],
    ['malipo_reviews_overdue', reviews.map((one): Value => [{ kind: one.kind }, one.overdue])],
    [
      'malipo_review_oldest_seconds',
      reviews.map((one): Value => [{ kind: one.kind }, one.oldestSubmittedAt ? age(one.oldestSubmittedAt, now) : 0]),
    ],
    ['malipo_clock_skew_seconds', [[{}, skewMs / 1000]]],
    ['malipo_archive_age_seconds', archive ? [[{}, archive.seconds]] : []],
    ['malipo_archive_failing', archive ? [[{}, archive.isFailing ? 1 : 0]] : []],
    ['malipo_switched_off', switches.map(({ name }): Value => [{ switch: name }, switchedOff.get(name)?.isOn === false ? 1 : 0])],
  ])
}

const charge = ['environment', 'provider', 'network']

/** Every metric that is read, with its help text. */
const described: [name: string, help: string, labels: string[]][] = [
  ['malipo_recent_charges', 'Charges started in the last five minutes, by outcome.', [...charge, 'outcome']],
  ['malipo_network_success_ratio', 'Share of completed charges among those of the last five minutes that have ended.', charge],
  [
    'malipo_time_to_credit_median_seconds',
    'Median time from checkout to credit, for the charges of the last five minutes.',
    charge,
  ],
  ['malipo_queue_due', `Items that are due and not done, counted up to ${countedAtMost}.`, ['queue']],
  ['malipo_queue_oldest_due_seconds', 'How long the oldest item has been due.', ['queue']],
  [
    'malipo_webhook_oldest_due_seconds',
    'How long the oldest webhook has been due, for any reason, including faults of this service.',
    [],
  ],
  [
    'malipo_webhook_owners_overdue',
    'Owners with a webhook that has been due for more than a minute: `postponed` by a fault, such as a dead name server, or `waiting`.',
    ['environment', 'cause'],
  ],
  [
    'malipo_mail_oldest_due_seconds',
    'How long the oldest mail has been due: `urgent` is mail that a person waits for, `bulk` are receipts and notices of payments.',
    ['kind'],
  ],
  ['malipo_statement_mail_oldest_due_seconds', 'How long the oldest scheduled statement has been due without being mailed.', []],
  ['malipo_unknown_payments', 'Payments whose outcome is unknown a minute after their start.', ['environment']],
  ['malipo_unknown_payments_tzs', 'Their sum.', ['environment']],
  ['malipo_unknown_payment_oldest_seconds', 'The age of the oldest of them that has no open case.', ['environment']],
  ['malipo_reserved_payouts', 'Payouts whose money is reserved.', ['environment']],
  ['malipo_reserved_payouts_tzs', 'Their sum, fees included.', ['environment']],
  ['malipo_reserved_payout_oldest_seconds', 'The age of the oldest of them.', ['environment']],
  ['malipo_payouts_waiting_for_members', 'Payouts that wait for the approval of members of their business.', ['environment']],
  ['malipo_payouts_to_approve', 'Payouts that wait for an operator.', ['environment']],
  ['malipo_open_breaks', 'Open breaks: differences between our books and a provider’s records.', ['environment', 'kind']],
  ['malipo_open_break_oldest_seconds', 'The age of the oldest of them.', ['environment', 'kind']],
  ['malipo_suspense_tzs', 'Received money in suspense.', ['environment']],
  ['malipo_provider_messages_left', 'Messages of the last day that could not be applied and were escalated to operators.', []],
  [
    'malipo_reconciliation_age_seconds',
    'Time since the last comparison with a provider account ended.',
    ['subject', 'environment', 'provider'],
  ],
  [
    'malipo_comparison_overdue_seconds',
    'How long the oldest comparison of a day, of 30 days or of a balance has been due without an end.',
    ['kind', 'subject', 'environment', 'provider'],
  ],
  [
    'malipo_opening_balance_missing',
    'Whether the opening balance of a provider account is not recorded, so that its balance is not compared.',
    ['environment', 'provider'],
  ],
  [
    'malipo_late_success_reach_seconds',
    'Maximum time for which a success after the end of its payment may be undetected.',
    ['environment', 'provider'],
  ],
  ['malipo_unconfirmed_checkouts', 'Checkouts of the last five minutes that need or needed a confirmation by their payer.', []],
  ['malipo_flooded_pages', 'Live pages far above their usual rate, whose payers confirm before a prompt is sent.', []],
  ['malipo_recheck_overdue_seconds', 'How long the oldest query about an ended charge has been due.', []],
  [
    'malipo_verify_violations',
    'Broken promises that the last check found; only those of severity `money` stop payouts.',
    ['severity'],
  ],
  ['malipo_verify_age_seconds', 'Time since the last check of the books.', []],
  [
    'malipo_whole_check_age_seconds',
    'Time since the start of the last full check, for the part of the books that has waited longest. Each part starts daily.',
    [],
  ],
  ['malipo_reviews_waiting', 'People and businesses that wait for a verification decision.', ['kind']],
  ['malipo_support_cases', 'Support cases that wait for operators.', ['environment']],
  ['malipo_support_case_oldest_seconds', 'How long the oldest support case has waited for operators.', ['environment']],
  ['malipo_reviews_overdue', `Reviews that have waited for more than ${overdueHours} hours.`, ['kind']],
  ['malipo_review_oldest_seconds', 'How long the oldest review has waited.', ['kind']],
  ['malipo_clock_skew_seconds', 'How far this machine’s clock is ahead of the database’s.', []],
  ['malipo_archive_age_seconds', 'Time since the database last archived a piece of its log. No value without an archive.', []],
  ['malipo_archive_failing', 'Whether its last attempt to archive failed, or its archive is still off after a restore.', []],
  ['malipo_switched_off', 'Kill switches: 1 for switched off.', ['switch']],
]

/** Updates all metrics; resolves within a few seconds whether or not the database answers. */
export function createFigures(deps: FiguresDeps): () => Promise<void> {
  const { meters, clock } = deps
  const figures = new Map(described.map(([name, help, labels]) => [name, meters.figure(name, help, labels)]))
  const up = meters.figure('malipo_figures_up', 'Whether the figures could be read from the database: 1, or 0.', [])
  const build = meters.figure('malipo_build_info', 'The version that runs.', ['version'])
  const connections = meters.figure('malipo_database_connections', 'Connections to the database.', ['pool', 'state'])
  const queueing = meters.figure('malipo_database_waiting', 'Requests that wait for a connection.', ['pool'])
  const circuits = meters.figure(
    'malipo_provider_circuit_open',
    'Whether a provider is not called for a while: 1 open, 0.5 trying, 0 closed.',
    ['provider', 'environment', 'direction'],
  )
  const networks = meters.figure(
    'malipo_network_down',
    'Network status as shown to payers: 1 down, 0.5 degraded, 0 operational.',
    ['environment', 'network'],
  )
  const free = meters.figure('malipo_disk_free_ratio', 'Free share of the disk under DATA_DIR, 0 to 1.', [])
  const read = remembered(() => readFigures(deps), { forMs: keptMs, clock })

  function showProcess(): void {
    build.set({ version: deps.version }, 1)
    const pools: [string, Pool][] = [
      ['requests', deps.db.pool],
      ['settling', deps.settlingDb.pool],
    ]
    for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
      connections.set({ pool, state: 'idle' }, idleCount)
      connections.set({ pool, state: 'busy' }, totalCount - idleCount)
      queueing.set({ pool }, waitingCount)
    }
    for (const { provider, environment, direction, state } of deps.providerHealth()) {
      circuits.set({ provider, environment, direction }, { open: 1, half_open: 0.5, closed: 0 }[state])
    }
    for (const environment of environments) {
      for (const { network, status } of deps.networks.view(environment)) {
        networks.set({ environment, network }, { down: 1, degraded: 0.5, operational: 0 }[status])
      }
    }
  }

  async function readInTime(): Promise<Map<string, Value[]> | undefined> {
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), patienceMs)
    })
    // Later requests wait for a read that is still running: the database is not queried twice at once.
    return Promise.race([read().catch(() => undefined), tooLate]).finally(() => clearTimeout(timer))
  }

  async function showDisk(): Promise<void> {
    free.clear()
    const disk = await statfs(deps.config.dataDir).catch(() => undefined)
    if (disk && disk.blocks > 0) free.set({}, disk.bavail / disk.blocks)
  }

  return async () => {
    showProcess()
    const [values] = await Promise.all([readInTime(), showDisk()])
    up.set({}, values ? 1 : 0)
    for (const [name, figure] of figures) {
      const shown: Figure<string> = figure
      shown.clear()
      for (const [labels, value] of values?.get(name) ?? []) shown.set(labels, value)
    }
  }
}
