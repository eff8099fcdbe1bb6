/**
 * The callers, and what their requests use up, by subject. Invariant: the effects of one route leave the things of the next route
 * unchanged.
 */
import type { TestContext } from 'node:test'
import type { Answer, TestApp } from '../app.ts'
import { makeAccounts } from './fixtures/accounts.ts'
import { makeDevelopers } from './fixtures/developers.ts'
import { makeActors, startGround, type Actors, type WantedBy } from './fixtures/ground.ts'
import { makeOperations } from './fixtures/operations.ts'
import { makePayments } from './fixtures/payments.ts'
import { makePayouts } from './fixtures/payouts.ts'
import { makeReviews } from './fixtures/reviews.ts'

export type Fixtures = {
  app: TestApp
  actors: Actors
  wantedBy: WantedBy
  /** Remembers an answer that a later request needs. */
  record(operationId: string, answer: Answer): void
  /** Restores what time or the last route has changed. */
  renew(): Promise<void>
  /** The faults logged since the last call. */
  takeFaults(): string[]
}

/** Log lines about money and messages that do not match; these are not faults of the service. */
const noFaults =
  /event_changed|(amount|settled)_differs|amount_to_confirm|reference_conflict|orphan_message|payout_contradicts|"alert":true/

/** Returns the log lines that report faults. */
export function faultsOf(lines: string[]): string[] {
  return lines.splice(0).filter((line) => !noFaults.test(line))
}

export async function startFixtures(t: TestContext): Promise<Fixtures> {
  const lines: string[] = []
  const ground = await startGround(t, (line) => lines.push(line))
  const payments = await makePayments(ground)
  const reviews = await makeReviews(ground)
  const payouts = await makePayouts(ground)
  const accounts = await makeAccounts(ground)
  const operations = await makeOperations(ground)
  return {
    app: ground.app,
    actors: await makeActors(ground),
    wantedBy: {
      ...payments,
      ...reviews,
      ...payouts.wantedBy,
      ...accounts.wantedBy,
      ...operations.wantedBy,
      ...makeDevelopers(ground),
    },
    record(operationId, answer) {
      accounts.record(operationId, answer)
      operations.record(operationId, answer)
    },
    async renew() {
      await ground.run('delete from switches')
      await payouts.renew()
      await accounts.renew()
    },
    takeFaults: () => faultsOf(lines),
  }
}
