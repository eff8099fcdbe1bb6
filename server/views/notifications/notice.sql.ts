/** The payments that owners are notified of. Read only. */
import { sql, type Runner } from '../../platform/db/db.ts'
import { joinMember } from '../../accounts/members/access.sql.ts'

export type ReceivedPayment = {
  paymentId: string
  merchantName: string
  pageTitle: string
  /** Null: the payer gave none. */
  customerName: string | null
  /** E.164. */
  phoneNumber: string
  amount: number
  completedAt: Date
}

/** Live payments between two times to a wallet of a person, or of a business that they own, oldest first. */
export async function listReceivedPayments(
  db: Runner,
  wanted: { userId: string; from: Date; to: Date; limit: number },
): Promise<ReceivedPayment[]> {
  return db.rows<ReceivedPayment>(sql`
    select e.payment_id, m.display_name as merchant_name, coalesce(p.description, g.title) as page_title, p.customer_name, p.phone_number,
      coalesce(p.amount_received, p.amount) as amount, e.created_at as completed_at
    from merchants m ${joinMember(wanted.userId, sql`m.id`)}
    cross join lateral (
      select e.home, e.payment_id, e.created_at from events e
      where e.home = m.home and e.merchant_id = m.id and e.environment = 'live' and e.type = 'payment.completed'
        and e.created_at >= ${wanted.from}::timestamptz and e.created_at < ${wanted.to}::timestamptz
      order by e.created_at, e.id
      limit ${wanted.limit}
    ) e
    join payments p on p.home = e.home and p.id = e.payment_id
    join payment_pages g on g.home = p.home and g.id = p.page_id
    where x.role = 'owner'
    order by e.created_at
    limit ${wanted.limit}`)
}
