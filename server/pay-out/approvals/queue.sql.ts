/** What the entries of the queue show about the payouts that wait. Read only. */
import type { PayoutMethod } from '../../domain/payout.ts'
import type { Network } from '../../domain/network.ts'
import { sql, type Runner } from '../../platform/db/db.ts'

export type WaitingPayout = {
  id: string
  method: PayoutMethod
  fee: number
  recipientName: string
  /** E.164. */
  phoneNumber: string
  network: Network | null
  narration: string | null
  /** The payment that a refund returns. */
  refundOf: string | null
}

export async function findWaitingPayouts(db: Runner, home: number, ids: string[]): Promise<Map<string, WaitingPayout>> {
  const rows = await db.rows<WaitingPayout>(sql`
    select p.id, p.method, p.fee, p.recipient_name, p.phone_number, p.network, p.narration, p.refund_of
    from unnest(${ids}::uuid[]) as k (id) join payouts p on p.home = ${home} and p.id = k.id`)
  return new Map(rows.map((row) => [row.id, row]))
}
