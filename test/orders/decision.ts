/** A decision about a break: one operator has proposed it, and two others may confirm it. */
import assert from 'node:assert/strict'
import type { Resolution } from '../../server/money/breaks/break.ts'
import { toWire } from '../../server/platform/ids.ts'
import type { Met, UseCase } from './pair.ts'
import type { World } from './world.ts'

/** A break with a proposal, which two other operators may confirm. */
export type Proposed = {
  breakId: string
  confirmation: { resolution: Resolution; proposed_at: string }
  operators: readonly string[]
}

/** The id of the open break of this payment or payout. */
export async function openBreakOf({ app }: World, id: string): Promise<string> {
  const { rows } = await app.owner.pool.query<{ id: string }>(
    'select id from breaks where (payment_id = $1 or payout_id = $1) and resolved_at is null',
    [id],
  )
  assert.equal(rows.length, 1, 'one break is open')
  return rows[0]!.id
}

export async function proposed(
  world: World,
  breakId: string,
  resolution: Resolution,
  parameters?: Record<string, string>,
): Promise<Proposed> {
  const operators = await world.operators()
  const body = { resolution, note: 'Letter of 12 May.', ...(parameters && { parameters }) }
  const path = `/v1/admin/breaks/${toWire('brk', breakId)}/propose`
  const answer = await world.app.call('POST', path, { token: operators[0]!, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { breakId, confirmation: { resolution, proposed_at: answer.body.data.proposal.proposed_at }, operators }
}

/** The first or the second other operator confirms the proposal. */
export const decided =
  (operator: 1 | 2): UseCase<Proposed & Met> =>
  (side, { breakId, confirmation, operators }) =>
    side.call('POST', `/v1/admin/breaks/${toWire('brk', breakId)}/confirm`, { token: operators[operator]!, body: confirmation })
