/** What people call a payment, for lists of operators: its merchant, its payer and its page, read when they are shown. */
import type { MerchantKind } from '../../domain/merchant.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { homeOfId } from '../../platform/ids.ts'

export type PaymentNames = {
  id: string
  merchantId: string
  merchantKind: MerchantKind
  merchantName: string
  /** Null: the payer gave none. */
  customerName: string | null
  /** E.164, or a pseudonym after an erasure. */
  phoneNumber: string
  pageId: string
  pageTitle: string
  pageSlug: string
  /** A payment request or a direct payment has a page that no one opens. */
  isPageHidden: boolean
}

/** The columns of `PaymentNames` without the id, of a payment `p` with the joins below. */
export const namesOfPayment = sql`p.merchant_id, m.kind as merchant_kind, m.display_name as merchant_name, p.customer_name, p.phone_number,
  g.id as page_id, g.title as page_title, g.slug as page_slug, g.is_hidden as is_page_hidden`

export const joinNames = sql`
  join merchants m on m.id = p.merchant_id
  join payment_pages g on g.home = p.home and g.id = p.page_id`

/** The names of these payments, each by its key: one page of a list. */
export async function readPaymentNames(db: Runner, ids: string[]): Promise<Map<string, PaymentNames>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<PaymentNames>(sql`
    select p.id, ${namesOfPayment}
    from unnest(${ids.map(homeOfId)}::smallint[], ${ids}::uuid[]) as wanted (home, id)
    join payments p on p.home = wanted.home and p.id = wanted.id ${joinNames}`)
  return new Map(rows.map((row) => [row.id, row]))
}
