/** HTTP of reconciliation runs, for operators: read comparisons, and start one now. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import { directionSchema } from '../../domain/provider.ts'
import { runKindSchema, runStatusSchema } from '../../domain/reconciliation.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { z } from 'zod'
import { appendAudit } from '../../base/audit/audit.ts'
import { confirmOperator, originOf } from '../../accounts/identity/authenticate.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { answerPage, toPage, type Cursors } from '../../platform/http/page.ts'
import { calendarDay } from '../../platform/http/text.ts'
import { invalidFields, invalidState } from '../../platform/refusal.ts'
import type { Providers } from '../../money/providers/provider.ts'
import { accountsOf } from './reconcile.ts'
import { findRun, insertRun, listDays, listRuns, type DayRow, type RunRow } from './run.sql.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type RunRouteDeps = OperatorRouteDeps & { cursors: Cursors; providers: Providers }

const day = calendarDay.meta({ example: '2026-01-25' })

const runSchema = z
  .object({
    id: z.string(),
    kind: runKindSchema.meta({
      description:
        '`recent`: charges and payouts that have not ended. `late`: those that ended without a credit in the last day. `daily`: all records of the provider for one day. `weekly`: the last 30 days, for late changes. `balance`: the balance of the account; its subject is always `payouts`.',
    }),
    subject: directionSchema,
    environment: environmentSchema,
    provider: z.string(),
    day: day.nullable().meta({ description: 'UTC.' }),
    status: runStatusSchema,
    requested_by: z.string(),
    due_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
    calls: z.int().meta({ description: 'Calls to the provider.' }),
    failed_tries: z.int().meta({ description: 'Consecutive calls without a usable answer.' }),
    seen: z.int(),
    matched: z.int(),
    repaired: z.int().meta({ description: 'Missed changes that this run settled.' }),
    breaks: z.int(),
    unreadable: z.int(),
    by_network: z
      .record(
        z.string(),
        z.object({ records: z.int(), provider: z.int(), credited: z.int(), suspended: z.int(), in_breaks: z.int() }),
      )
      .meta({ description: 'TZS of the day by network: successful at the provider, and where it is in our books.' }),
  })
  .meta({ id: 'ReconciliationRun' })

function runToJson(run: RunRow): z.infer<typeof runSchema> {
  return answerOf(runSchema, run, {
    id: toWire('rec', run.id),
    status: run.endedAt !== null ? 'ended' : run.startedAt !== null ? 'running' : 'planned',
    failed_tries: run.attempts,
    by_network: run.byNetwork,
  })
}

const tzs = z.int().meta({ description: 'TZS.' })

const dayTotalsSchema = z
  .object({
    day: day.meta({ description: 'UTC.' }),
    environment: environmentSchema,
    subject: directionSchema,
    provider: z.string(),
    run_id: z.string(),
    compared_at: z.iso.datetime(),
    networks: z.array(
      z.object({
        network: z.string().meta({ description: '`unknown` if the provider does not report it.' }),
        records: z.int().meta({ description: 'Records that succeeded at the provider.' }),
        provider: tzs.meta({ description: 'TZS according to the provider.' }),
        ledger: tzs.meta({ description: 'TZS in our books: credited or paid out.' }),
        suspended: tzs,
        in_breaks: tzs.meta({ description: 'TZS that are part of a break.' }),
        difference: tzs.meta({ description: 'TZS that none of these explains. Must be zero.' }),
      }),
    ),
    provider_total: tzs,
    ledger_total: tzs,
    difference: tzs,
    breaks: z.int(),
    unreadable: z.int(),
  })
  .meta({ id: 'ReconciliationDay' })

function dayToJson(row: DayRow): z.infer<typeof dayTotalsSchema> {
  const networks = Object.entries(row.byNetwork)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([network, { records, provider, credited, suspended, in_breaks }]) => ({
      network,
      records,
      provider,
      ledger: credited,
      suspended,
      in_breaks,
      difference: provider - credited - suspended - in_breaks,
    }))
  const sum = (of: (one: (typeof networks)[number]) => number): number => networks.reduce((total, one) => total + of(one), 0)
  return answerOf(dayTotalsSchema, row, {
    run_id: toWire('rec', row.id),
    compared_at: row.endedAt.toISOString(),
    networks,
    provider_total: sum((one) => one.provider),
    ledger_total: sum((one) => one.ledger),
    difference: sum((one) => one.difference),
  })
}

const mostDays = 92

export async function reconciliationRoutes(http: Http, deps: RunRouteDeps): Promise<void> {
  const { db, cursors } = deps

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/reconciliation/runs',
    operationId: 'listReconciliationRuns',
    summary: 'List reconciliation runs',
    description: 'Comparisons with the providers, newest first, including planned ones.',
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      kind: runKindSchema.optional(),
      environment: environmentSchema.optional(),
    }),
    answers: { 200: listOf(runSchema) },
    handler: async (request) => {
      const { limit, cursor } = request.query
      const wanted = { kind: request.query.kind ?? null, environment: request.query.environment ?? null }
      const scope = `reconciliation ${JSON.stringify(wanted)}`
      const [beforeId = null] = cursors.decode(scope, cursor)
      const rows = await listRuns(db, { ...wanted, beforeId: beforeId === null ? null : String(beforeId), limit })
      const page = toPage(rows, limit, (last) => cursors.encode(scope, [last.id]))
      return answerPage(page, runToJson)
    },
  })

  operatorRoute(http, deps, {
    route: 'GET /v1/admin/reconciliation/days',
    operationId: 'listReconciliationDays',
    summary: 'List daily reconciliation totals',
    description: `The totals of the provider and of our books for each day, both ends included, at most ${mostDays} days, newest first. For each day and account: the last comparison.`,
    query: z.strictObject({
      from: day,
      to: day,
      environment: environmentSchema.optional(),
      subject: directionSchema.optional(),
    }),
    answers: { 200: dataOf(z.array(dayTotalsSchema)) },
    handler: async (request) => {
      const { from, to, environment: side = null, subject: of = null } = request.query
      const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
      if (days < 1 || days > mostDays) {
        throw invalidFields([{ field: 'to', code: 'invalid', message: `Choose one to ${mostDays} days.` }])
      }
      return { data: (await listDays(db, { environment: side, subject: of, from, to })).map(dayToJson) }
    },
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/reconciliation/runs',
    operationId: 'startReconciliationRun',
    summary: 'Start a reconciliation run',
    description:
      'A worker starts the run within seconds. A `daily` run needs a `day` (UTC), today at the latest. `late` and `daily` need a provider that can list its records. Requires a recent sign-in or step-up.',
    body: z.strictObject({
      kind: runKindSchema,
      environment: environmentSchema,
      provider: z.string().max(50),
      subject: directionSchema.default('charges'),
      day: day.optional(),
    }),
    answers: { 200: dataOf(runSchema) },
    refuses: ['invalid_state'],
    handler: async (request) => {
      const { day: wantedDay = null, ...wanted } = request.body
      const account = accountsOf(deps.providers).find(
        ({ account: one }) =>
          one.environment === wanted.environment && one.provider === wanted.provider && one.subject === wanted.subject,
      )
      if (!account)
        throw invalidFields([{ field: 'provider', code: 'invalid', message: 'There is no such provider in this environment.' }])
      if (wanted.kind !== 'recent' && !account.lists) {
        throw invalidFields([
          { field: 'provider', code: 'invalid', message: 'This provider cannot list its records. Use `recent`.' },
        ])
      }
      if (wanted.kind === 'balance' && wanted.subject !== 'payouts')
        throw invalidFields([{ field: 'subject', code: 'invalid', message: 'An account has one balance: send `payouts`.' }])
      if ((wanted.kind === 'daily') !== (wantedDay !== null)) {
        throw invalidFields([
          { field: 'day', code: 'invalid', message: 'Send a day with a daily run, and only with a daily run.' },
        ])
      }
      const id = newId()
      const origin = originOf(request)
      await db.tx(async (tx) => {
        await confirmOperator(tx, request.signedIn)
        const run = { ...account.account, id, kind: wanted.kind, day: wantedDay, requestedBy: origin.actor }
        if (!(await insertRun(tx, run)))
          throw invalidState(
            'A reconciliation run of this kind for this account is already starting.',
            'Ulinganisho wa aina hii wa akaunti hii tayari unaanza.',
          )
        await appendAudit(tx, origin, {
          action: 'reconciliation.requested',
          object: toWire('rec', id),
          after: { ...wanted, day: wantedDay },
        })
      })
      return { data: runToJson(await findRun(db, id)) }
    },
  })
}
