/** No operator decides about a merchant that they are a member of. */
import type { Runner } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { isMember } from './access.sql.ts'

/** Refuses a member of the merchant with 403 `self_review_forbidden`. */
export async function refuseOwnMerchant(db: Runner, merchantId: string, operatorId: string): Promise<void> {
  if (!(await isMember(db, operatorId, merchantId))) return
  throw new Refusal(
    403,
    'self_review_forbidden',
    'You cannot decide about your own account, or about a business that you are a member of. Another operator must decide.',
  )
}
