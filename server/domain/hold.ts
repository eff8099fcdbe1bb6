/** Why money waits, since when, until when, and who can change it: one form for payments, payouts, refunds and wallets. */
import { z } from 'zod'

/** Of a wallet: new payouts are refused, and payouts that wait are not sent. */
export const walletHoldReasons = ['books_under_review', 'payout_under_review', 'amount_owed'] as const
const holdReasons = ['under_review', 'approval', 'new_recipient', ...walletHoldReasons] as const

export const holdSchema = z
  .object({
    reason: z.enum(holdReasons).meta({
      description:
        '`under_review`: the provider’s record does not match our books. `approval`: it waits for an approval. `new_recipient`: a first payout to a recipient waits. Of a wallet: `books_under_review`, `payout_under_review`, and `amount_owed` (see `receivable`).',
    }),
    since: z.iso.datetime().nullable().meta({ description: 'Null if only its end is known.' }),
    until: z.iso.datetime().nullable().meta({ description: 'When it ends by itself. Null: when those decide who can act.' }),
    who_can_act: z.enum(['you', 'members', 'operators']).nullable().meta({
      description:
        '`you`: the owner, who can cancel what waits, or pay what is owed. `members`: those of your business who may approve. `operators`: of this service.',
    }),
  })
  .meta({ id: 'Hold' })

export type Hold = z.infer<typeof holdSchema>

/** The hold of what operators are reviewing; null: no break about it is open. */
export function reviewHold({ reviewSince }: { reviewSince: Date | null }): Hold | null {
  return reviewSince === null
    ? null
    : { reason: 'under_review', since: reviewSince.toISOString(), until: null, who_can_act: 'operators' }
}
