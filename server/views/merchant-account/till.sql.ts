/** What was taken at the till today, read from the lines of the ledger since midnight: the caller limits how many. */
import type { Network } from '../../domain/network.ts'
import { tillChannel } from '../../domain/page.ts'
import { shownReceipt } from '../../collect/payments/payment.sql.ts'
import { sql, type Runner } from '../../platform/db/db.ts'

export type TillPayment = {
  paymentId: string
  shortCode: string
  networkReceipt: string | null
  /** TZS credited to the wallet. */
  amount: number
  network: Network | null
  customerName: string | null
  /** E.164. */
  phoneNumber: string
  creditedAt: Date
  /** Of all payments at the till that were read, with those that are not listed. */
  count: number
  volume: number
}

/**
 * The last `limit` payments of an account since `from`, each with the totals of all of them: those of requests that were made at the till,
 * and those on the page whose code it shows. `afterSeq`: a place in the account before `from`.
 */
export async function listTillPayments(
  db: Runner,
  { home, accountId }: { home: number; accountId: string },
  { afterSeq, from, pageId }: { afterSeq: number; from: Date; pageId: string | null },
  limit: number,
): Promise<TillPayment[]> {
  return db.rows<TillPayment>(sql`
    select p.id as payment_id, p.short_code, ${shownReceipt}, t.amount, p.network, p.customer_name, p.phone_number, t.created_at as credited_at,
      count(*) over () as count, (sum(t.amount) over ())::bigint as volume
    from ledger_transfers t
    -- One by one by primary key, so that the planner does not read the history of payments.
    cross join lateral (select * from payments where home = t.home and id = t.payment_id offset 0) p
    where t.home = ${home} and t.credit_account_id = ${accountId} and t.credit_seq > ${afterSeq} and t.kind = 'payment'
      and t.created_at >= ${from}::timestamptz and (p.page_id = ${pageId} or p.metadata ->> 'channel' = ${tillChannel})
    order by t.credit_seq desc
    limit ${limit}`)
}
