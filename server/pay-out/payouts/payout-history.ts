/** The history of a payout for its merchant: when it was requested, sent and ended, and each of its lines in the wallet. */
import { z } from 'zod'
import { lineDirectionSchema } from '../../domain/wallet.ts'
import { payoutStatusSchema } from '../../domain/payout.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { guarded, shown, type Sight } from '../../accounts/members/sight.ts'
import { listPayoutLines } from '../../money/ledger/transfer.sql.ts'
import type { Runner } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { payoutSchema, payoutToJson, type Payout } from './payout.ts'
import { findFirstSentAt } from './payout.sql.ts'

const moment = z.iso.datetime()

const entrySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('status'), at: moment, status: payoutStatusSchema }),
  z.object({ type: z.literal('sent'), at: moment }),
  z.object({
    type: z.literal('transaction'),
    at: moment,
    transaction_id: z.string(),
    kind: z.enum(['payout', 'fee', 'payout_reversal', 'payout_again', 'payout_raised', 'payout_lowered']),
    direction: lineDirectionSchema,
    amount: z.int(),
    balance_after: guarded('timeline.balance_after', z.int()),
  }),
])

type Entry = z.infer<typeof entrySchema>

export const payoutWithTimelineSchema = payoutSchema
  .extend({
    timeline: z.array(entrySchema).meta({ description: 'Oldest first. `sent`: the payout was first sent to the provider.' }),
  })
  .meta({ id: 'PayoutWithTimeline' })

const kinds = {
  payout: 'payout',
  payout_fee: 'fee',
  payout_reversal: 'payout_reversal',
  payout_again: 'payout_again',
  payout_raised: 'payout_raised',
  payout_lowered: 'payout_lowered',
} as const

/** If two entries have the same time, the cause comes before its effect. */
const rank: Record<Entry['type'], number> = { status: 0, transaction: 1, sent: 2 }

function statusEntry(status: Payout['status'], at: Date | null): Entry[] {
  return at === null ? [] : [{ type: 'status', at: at.toISOString(), status }]
}

export async function payoutWithTimeline(
  deps: { db: Runner },
  owner: Owner,
  sight: Sight,
  payout: Payout,
): Promise<z.infer<typeof payoutWithTimelineSchema>> {
  const { home, id } = payout
  const [lines, sentAt] = await Promise.all([
    listPayoutLines(deps.db, { home, payoutId: id, merchantId: owner.merchant.id }),
    findFirstSentAt(deps.db, { home, id }),
  ])
  // A failed or cancelled payout returned the money in the same step.
  const endedAt = lines.find(({ kind }) => kind === 'payout_reversal')?.createdAt ?? payout.updatedAt
  const entries: Entry[] = [
    ...statusEntry('pending', payout.createdAt),
    ...statusEntry('completed', payout.completedAt),
    ...statusEntry('reversed', payout.reversedAt),
    ...(payout.status === 'processing' ? statusEntry('processing', payout.updatedAt) : []),
    ...(payout.status === 'failed' || payout.status === 'cancelled' ? statusEntry(payout.status, endedAt) : []),
    ...(sentAt === null ? [] : [{ type: 'sent' as const, at: sentAt.toISOString() }]),
    ...lines.map((line): Entry => ({
      type: 'transaction',
      at: line.createdAt.toISOString(),
      transaction_id: toWire('txn', line.transferId),
      kind: kinds[line.kind as keyof typeof kinds],
      direction: line.direction,
      amount: line.amount,
      balance_after: shown(sight, 'timeline.balance_after', line.balanceAfter),
    })),
  ]
  return {
    ...payoutToJson(payout),
    timeline: entries.toSorted((a, b) => (a.at === b.at ? rank[a.type] - rank[b.type] : a.at < b.at ? -1 : 1)),
  }
}
