/** The state of the service in one view: networks, queues, unfinished work, discrepancies, and whether the checks themselves run. */
import { reviewedKindSchema } from '../../domain/verification.ts'
import { severitySchema } from '../../domain/severity.ts'
import { circuitStateSchema, directionSchema, type Direction } from '../../domain/provider.ts'
import type { MerchantKind } from '../../domain/merchant.ts'
import { environmentSchema, liveFirst } from '../../domain/environment.ts'
import { networkSchema, networkStatusSchema } from '../../domain/network.ts'
import { z } from 'zod'
import { readBookCheck } from '../../assurance/invariants/book-check.sql.ts'
import type { Networks } from '../../money/controls/read-networks.ts'
import { summariseRecentCharges, type RecentCharges } from '../../collect/payments/recent-charges.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import type { CircuitHealth } from '../../money/providers/circuit.ts'
import type { Providers } from '../../money/providers/provider.ts'
import { accountsOf } from '../../assurance/reconciliation/reconcile.ts'
import { countUnknownPayments } from '../../assurance/reconciliation/break-subject.sql.ts'
import { recentEveryMinutes } from '../../assurance/reconciliation/run.ts'
import type { Switches } from '../../money/controls/read-switches.ts'
import { switches } from '../../money/controls/switch.ts'
import { readCaseQueue } from '../../collect/support-cases/support-case.sql.ts'
import { caseOverdueSeconds } from '../../collect/support-cases/support-case.ts'
import { countWaiting } from '../../merchants/onboarding/review-queue.sql.ts'
import {
  countOpenBreaks,
  readLastRuns,
  readMoment,
  readQueues,
  readReservedPayouts,
  tallyWebhooks,
  queueNames,
} from './overview.sql.ts'
import { answerOf } from '../../platform/http/answer.ts'

const moment = z.iso.datetime()
const seconds = z.int().nullable().meta({ description: 'Age of the oldest. Null if there is none.' })

/** Counts stop here: a larger number is an incident in any case. */
const countedAtMost = 10_000
const perHome = 200
const windowsMinutes = [5, 60, 1440] as const
const openWorkNames = [
  'business_reviews',
  'person_reviews',
  'stuck_payments',
  'support_cases',
  'breaks',
  'payout_approvals',
] as const
/** A payer or a merchant waits for these: an hour for a payment, a day for a payout or a break. */
const overdueAfterHours = {
  stuck_payments: 1,
  support_cases: caseOverdueSeconds / 3600,
  breaks: 24,
  payout_approvals: 24,
} as const
/** A comparison is late when none has ended for this long. */
const lateAfterSeconds = 3 * recentEveryMinutes * 60
/** The check of the books counts as stopped after this time without a result. */
const bookCheckLateSeconds = 20 * 60

const providerSchema = z.object({
  environment: environmentSchema,
  provider: z.string(),
  direction: directionSchema,
  circuit: circuitStateSchema,
  calls: z.int().meta({ description: 'Calls in the last five minutes.' }),
  success_rate: z.number().nullable(),
  latency_ms: z.object({ median: z.number(), p95: z.number() }).nullable(),
  last_webhook_at: moment.nullable(),
  other_signature: z
    .string()
    .nullable()
    .meta({ description: 'The form in which the signature of refused webhooks is right, instead of the configured one.' }),
})

export const overviewSchema = z
  .object({
    as_of: moment.meta({ description: 'At most ten seconds ago.' }),
    networks: z.array(
      z.object({
        environment: environmentSchema,
        network: networkSchema,
        status: networkStatusSchema,
        switched_off: z.boolean(),
        since: moment,
        windows: z
          .array(
            z.object({
              minutes: z.int(),
              begun: z.int(),
              completed: z.int(),
              failed: z.int(),
              unknown: z.int(),
              success_rate: z.number().nullable().meta({ description: 'Share of ended charges that succeeded, 0 to 1.' }),
              median_seconds: z.number().nullable().meta({ description: 'Seconds from checkout to credit.' }),
            }),
          )
          .meta({
            description: `Charges started in the last minutes; at most the newest ${perHome} of each of the 256 partitions of merchants.`,
          }),
      }),
    ),
    providers: z.array(providerSchema).meta({ description: 'The circuit breakers of the process that answers.' }),
    queues: z
      .array(
        z.object({
          name: z.enum(queueNames),
          due: z.int().meta({ description: `Counted up to ${countedAtMost}.` }),
          oldest_seconds: seconds,
        }),
      )
      .meta({ description: 'Work that is due and not done yet.' }),
    webhooks: z
      .object({ succeeded: z.int(), failed: z.int(), failure_rate: z.number().nullable() })
      .meta({ description: 'Attempts in the last hour.' }),
    unknown_payments: z
      .array(z.object({ environment: environmentSchema, count: z.int(), amount: z.int(), oldest_seconds: seconds }))
      .meta({ description: 'Charges whose outcome is still not known a minute after they were started.' }),
    reserved_payouts: z.array(
      z.object({
        environment: environmentSchema,
        count: z.int(),
        amount: z.int(),
        oldest_seconds: seconds,
        waiting_for_approval: z.int(),
      }),
    ),
    open_breaks: z.array(
      z.object({ environment: environmentSchema, kind: z.string(), count: z.int(), proposed: z.int(), oldest_at: moment }),
    ),
    reconciliation: z.array(
      z.object({
        subject: directionSchema,
        environment: environmentSchema,
        provider: z.string(),
        last_ended_at: moment.nullable(),
        late: z.boolean().meta({ description: `Whether no run has ended for ${lateAfterSeconds / 60} minutes.` }),
        last_day: z.iso.date().nullable().meta({ description: 'The last day that was compared.' }),
      }),
    ),
    books: z.object({
      checked_at: moment.nullable(),
      late: z.boolean(),
      violations: z.array(
        z.object({
          invariant: z.string(),
          severity: severitySchema.meta({ description: 'Only `money` stops payouts.' }),
          promise: z.string(),
          what: z.string(),
        }),
      ),
    }),
    switched_off: z.array(z.object({ name: z.string(), reason: z.string().nullable() })),
    open_work: z
      .array(
        z.object({
          name: z.enum(openWorkNames),
          count: z.int(),
          oldest_seconds: seconds,
          overdue_after_seconds: z.int().meta({ description: 'What waits longer is overdue.' }),
        }),
      )
      .meta({ description: 'The queues that wait for an operator, each with the number of rows in its list.' }),
    waiting_reviews: z.array(z.object({ kind: reviewedKindSchema, waiting: z.int(), overdue: z.int() })),
  })
  .meta({ id: 'OperationsOverview' })

type Overview = z.infer<typeof overviewSchema>

export type OverviewDeps = {
  db: Db
  providers: Providers
  providerHealth(): CircuitHealth[]
  networks: Pick<Networks, 'view'>
  switches: Pick<Switches, 'read'>
}

const whole = (value: number | null): number | null => (value === null ? null : Math.floor(value))

function windowOf(minutes: number, charges: RecentCharges[]): Overview['networks'][number]['windows'][number] {
  const sum = (of: (one: RecentCharges) => number): number => charges.reduce((total, one) => total + of(one), 0)
  const [completed, failed] = [sum((one) => one.completed), sum((one) => one.failed)]
  const busiest = charges.toSorted((a, b) => b.completed - a.completed)[0]
  return {
    minutes,
    begun: sum((one) => one.begun),
    completed,
    failed,
    unknown: sum((one) => one.unknown),
    success_rate: completed + failed === 0 ? null : completed / (completed + failed),
    // If several providers serve one network, the busiest one is shown.
    median_seconds: busiest?.medianSeconds ?? null,
  }
}

type OpenWork = {
  reviews: Awaited<ReturnType<typeof countWaiting>>
  unknown: Awaited<ReturnType<typeof countUnknownPayments>>
  cases: Awaited<ReturnType<typeof readCaseQueue>>
  breaks: Awaited<ReturnType<typeof countOpenBreaks>>
  reserved: Awaited<ReturnType<typeof readReservedPayouts>>
}

function openWorkOf(
  { reviews, unknown, cases, breaks, reserved }: OpenWork,
  now: Date,
  reviewHours: number,
): Overview['open_work'] {
  const ageOf = (at: Date | null): number | null => (at === null ? null : (now.getTime() - at.getTime()) / 1000)
  const reviewsOf = (kind: MerchantKind) =>
    reviews.filter((one) => one.kind === kind).map((one) => ({ count: one.waiting, age: ageOf(one.oldestSubmittedAt) }))
  const parts: Record<(typeof openWorkNames)[number], { hours: number; parts: { count: number; age: number | null }[] }> = {
    business_reviews: { hours: reviewHours, parts: reviewsOf('business') },
    person_reviews: { hours: reviewHours, parts: reviewsOf('personal') },
    stuck_payments: {
      hours: overdueAfterHours.stuck_payments,
      parts: unknown.map((one) => ({ count: one.count, age: one.oldestSeconds })),
    },
    support_cases: {
      hours: overdueAfterHours.support_cases,
      parts: cases.map((one) => ({ count: one.rows, age: one.oldestSeconds })),
    },
    breaks: { hours: overdueAfterHours.breaks, parts: breaks.map((one) => ({ count: one.count, age: ageOf(one.oldestAt) })) },
    payout_approvals: {
      hours: overdueAfterHours.payout_approvals,
      parts: reserved.map((one) => ({ count: one.waitingForApproval, age: one.oldestWaitingSeconds })),
    },
  }
  return openWorkNames.map((name) => {
    const ages = parts[name].parts.flatMap(({ age }) => (age === null ? [] : [age]))
    return {
      name,
      count: parts[name].parts.reduce((total, one) => total + one.count, 0),
      oldest_seconds: ages.length === 0 ? null : Math.max(0, Math.floor(Math.max(...ages))),
      overdue_after_seconds: parts[name].hours * 3600,
    }
  })
}

/** Reads everything; `overdueHours` is how long a review may wait. */
export async function readOverview(deps: OverviewDeps, overdueHours: number): Promise<Overview> {
  const { db } = deps
  const accounts = accountsOf(deps.providers).map(({ account }) => account)
  const [summaries, queues, webhooks, unknown, reserved, breaks, runs, books, states, reviews, clock, cases] = await Promise.all([
    Promise.all(
      windowsMinutes.map(async (minutes) => ({
        minutes,
        charges: await summariseRecentCharges(db, { windowSeconds: minutes * 60, perHome }),
      })),
    ),
    readQueues(db, countedAtMost),
    tallyWebhooks(db, perHome),
    countUnknownPayments(db),
    readReservedPayouts(db),
    countOpenBreaks(db),
    readLastRuns(db, accounts),
    readBookCheck(db),
    deps.switches.read(),
    countWaiting(db, overdueHours),
    readMoment(db),
    readCaseQueue(db),
  ])
  return {
    as_of: clock.toISOString(),
    networks: liveFirst.flatMap((side) =>
      deps.networks.view(side).map((view) => ({
        environment: side,
        network: view.network,
        status: view.status,
        switched_off: view.isSwitchedOff,
        since: view.since.toISOString(),
        windows: summaries.map(({ minutes, charges }) =>
          windowOf(
            minutes,
            charges.filter((one) => one.environment === side && one.network === view.network),
          ),
        ),
      })),
    ),
    providers: deps.providerHealth().map((circuit) =>
      answerOf(providerSchema, circuit, {
        circuit: circuit.state,
        latency_ms: circuit.latencyMs,
        other_signature: circuit.otherSignature?.form ?? null,
      }),
    ),
    queues: queues.map(({ name, due, oldestSeconds }) => ({
      name,
      due,
      oldest_seconds: whole(oldestSeconds),
    })),
    webhooks: {
      ...webhooks,
      failure_rate: webhooks.succeeded + webhooks.failed === 0 ? null : webhooks.failed / (webhooks.succeeded + webhooks.failed),
    },
    unknown_payments: unknown.map(({ oldestSeconds, environment, count, amount }) => ({
      environment,
      count,
      amount,
      oldest_seconds: whole(oldestSeconds),
    })),
    reserved_payouts: reserved.map(({ oldestSeconds, waitingForApproval, environment, count, amount }) => ({
      environment,
      count,
      amount,
      oldest_seconds: whole(oldestSeconds),
      waiting_for_approval: waitingForApproval,
    })),
    open_breaks: breaks.map(({ oldestAt, ...one }) => ({ ...one, oldest_at: oldestAt.toISOString() })),
    reconciliation: runs.map((run) => ({
      subject: run.subject as Direction,
      environment: run.environment,
      provider: run.provider,
      last_ended_at: run.endedAt?.toISOString() ?? null,
      late: run.secondsAgo === null || run.secondsAgo > lateAfterSeconds,
      last_day: run.lastDay,
    })),
    books: {
      checked_at: books?.checkedAt.toISOString() ?? null,
      late: books === undefined || clock.getTime() - books.checkedAt.getTime() > bookCheckLateSeconds * 1000,
      violations: (books?.violations ?? []).map(({ invariant, severity, promise, what }) => ({
        invariant,
        severity,
        promise,
        what,
      })),
    },
    switched_off: switches
      .filter(({ name }) => states.get(name)?.isOn === false)
      .map(({ name }) => ({ name, reason: states.get(name)?.reason ?? null })),
    open_work: openWorkOf({ reviews, unknown, cases, breaks, reserved }, clock, overdueHours),
    waiting_reviews: reviews.map(({ kind, waiting, overdue }) => ({
      kind: kind === 'personal' ? ('person' as const) : kind,
      waiting,
      overdue,
    })),
  }
}
