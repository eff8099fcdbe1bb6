/** For tests of reconciliation: drives runs to their end without waiting, counts the calls to a provider, and moves the clock. */
import assert from 'node:assert/strict'
import type { Direction } from '../domain/provider.ts'
import type { RunKind } from '../domain/reconciliation.ts'
import type { Admin, Answer, TestApp } from '../../test/app.ts'
import { recheckEnded } from '../payments/recheck-ended.ts'
import { newId } from '../platform/ids.ts'
import { wrapProviders, type Provider } from '../providers/provider.ts'
import type { Dependencies } from '../dependencies.ts'
import { createReconciler, type Reconciler } from './reconcile.ts'
import { insertRun } from './run.sql.ts'

export type Calls = { lists: number; fetches: number }

/** Counts the calls to the provider, and lets a test answer instead of it. */
export function counting(calls: Calls, instead: Partial<Provider> = {}): (deps: Dependencies) => Dependencies {
  return (deps) => ({
    ...deps,
    providers: wrapProviders(deps.providers, (provider) => ({
      ...provider,
      ...instead,
      listCharges(page) {
        calls.lists += 1
        return (instead.listCharges ?? provider.listCharges)(page)
      },
      fetchCharge(key, priority) {
        calls.fetches += 1
        return (instead.fetchCharge ?? provider.fetchCharge)(key, priority)
      },
    })),
  })
}

/** Moves the time of the database. */
export async function moveClock(app: TestApp, interval: string): Promise<void> {
  await app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() + interval '${interval}' $$`,
  )
}

/** Steps until no run of the kind can continue. */
export async function drive(reconciler: Reconciler, kind: RunKind): Promise<number> {
  for (let steps = 0; steps < 5_000; steps += 1) {
    if ((await reconciler.step(kind)) === 0) return steps
  }
  return assert.fail('the runs do not come to an end')
}

export async function reconcileRecent(app: TestApp): Promise<void> {
  const reconciler = createReconciler(app.deps)
  await reconciler.plan()
  await drive(reconciler, 'recent')
}

/** The work of a worker every few minutes for payments that ended without a credit. */
export async function lookForLate(app: TestApp): Promise<void> {
  const reconciler = createReconciler(app.deps)
  await reconciler.plan()
  await drive(reconciler, 'late')
  await recheckEnded(app.deps, 100)
}

type Sums = { records: number; provider: number; credited: number; suspended: number; in_breaks: number }

export type EndedRun = {
  phase: string
  seen: number
  matched: number
  repaired: number
  breaks: number
  unreadable: number
  by_network: Record<string, Sums>
}

/** A comparison of the test environment's whole day, or of a later day, started by hand. */
export async function reconcileToday(
  app: TestApp,
  subject: Direction = 'charges',
  daysLater = 0,
  provider = 'snippe',
): Promise<EndedRun> {
  const id = newId()
  const day = new Date(Date.now() + daysLater * 86_400_000).toISOString().slice(0, 10)
  const account = { subject, environment: 'test', provider } as const
  assert.ok(await insertRun(app.db, { ...account, id, kind: 'daily', day, requestedBy: 'system' }))
  await drive(createReconciler(app.deps), 'daily')
  const { rows } = await app.owner.pool.query<EndedRun>('select * from reconciliation_runs where id = $1', [id])
  return rows[0]!
}

/** Two operators decide about a break. Returns the answer to the confirmation, or to the proposal if that was refused. */
export async function decide(
  app: TestApp,
  [one, other]: readonly [Admin, Admin],
  breakId: string,
  proposed: { resolution: string; parameters?: Record<string, string> },
): Promise<Answer> {
  const path = `/v1/admin/breaks/${breakId}`
  const proposal = await app.call('POST', `${path}/propose`, {
    token: one.token,
    body: { note: 'Letter of 12 May.', ...proposed },
  })
  if (proposal.status !== 200) return proposal
  const { resolution, proposed_at } = proposal.body.data.proposal
  return app.call('POST', `${path}/confirm`, { token: other.token, body: { resolution, proposed_at } })
}

/** Our clearing accounts equal the provider's balance for us, after fees and payouts. */
export async function assertClearingIsTrue(app: TestApp): Promise<void> {
  const { opening_balance: opening, expected_balance: balance } = (await app.truth()).accounts.test
  const { rows } = await app.owner.pool.query<{ ours: number }>(
    `select -coalesce(sum(balance), 0)::integer as ours from ledger_accounts where environment = 'test' and kind = 'provider_clearing'`,
  )
  assert.equal(rows[0]!.ours, balance - opening, 'clearing is not what the provider holds')
}

export async function control(app: TestApp, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${app.simulatorUrl}/__control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.ok(response.ok, await response.clone().text())
  return response.json()
}

/** Changes switches of the simulator. */
export async function setSwitches(app: TestApp, switches: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${app.simulatorUrl}/__control/switches`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(switches),
  })
  assert.ok(response.ok, await response.clone().text())
}
