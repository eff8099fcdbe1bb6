/** Payouts that have to wait because somebody may have taken over the account: how that is said. */
import { Refusal } from '../platform/refusal.ts'

const reasons = {
  new_key: 'This key was made a short while ago without a second factor.',
} as const

export type WaitReason = keyof typeof reasons

/** 409 `payout_must_wait`: nothing was debited, and from `until` on the same request is not refused for this. */
export function payoutMustWait(reason: WaitReason, until: Date): Refusal {
  const message = `${reasons[reason]} It pays out from ${until.toISOString()} on. Nothing was debited.`
  return new Refusal(409, 'payout_must_wait', message, { details: { reason, until: until.toISOString() } })
}
