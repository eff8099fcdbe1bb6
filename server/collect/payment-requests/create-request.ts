/** Makes a payment request: a hidden page that takes one payment, and what fills its form. */
import { appendAudit } from '../../base/audit/audit.ts'
import type { ChangedBy } from '../../accounts/developers/owner-auth.ts'
import { requireGoodStanding, type Owner } from '../../accounts/identity/merchant.ts'
import { defaultSettings, hiddenSlugLength, randomSlug, type PageSettings } from '../pages/page.ts'
import { insertNewPage, refuseBadSettings, type SavePageDeps } from '../pages/save-page.ts'
import { toWire } from '../../platform/ids.ts'
import { must } from '../../platform/refusal.ts'
import type { PaymentRequest } from './payment-request.ts'
import { findRequest, insertRequest, type Customer } from './payment-request.sql.ts'

export type NewRequest = Customer &
  Pick<PageSettings, 'title'> &
  Partial<Pick<PageSettings, 'description' | 'expiresAt' | 'redirectUrl' | 'successMessage' | 'language' | 'metadata'>> & {
    amount: number
    merchantReference: string | null
  }

/** In live the merchant must be verified; in test every account can make requests. */
export function requireMayRequest(owner: Owner): void {
  requireGoodStanding(owner, { testWritesBeforeVerification: true })
}

export async function createRequest(
  deps: SavePageDeps,
  owner: Owner,
  wanted: NewRequest,
  { confirm, person }: ChangedBy,
): Promise<PaymentRequest> {
  requireMayRequest(owner)
  const { customerName, customerEmail, customerPhone, merchantReference, ...given } = wanted
  const settings: PageSettings = { ...defaultSettings('payment'), ...given, maxPayments: 1 }
  await refuseBadSettings(deps, owner, 'payment', settings)
  return deps.db.tx(async (tx) => {
    await confirm?.(tx)
    const slug = randomSlug(deps.config.cell.name, hiddenSlugLength)
    const page = await insertNewPage(deps, tx, owner, { type: 'payment', kind: 'request', slug, merchantReference, ...settings })
    await insertRequest(tx, page, { customerName, customerEmail, customerPhone })
    const made = must(await findRequest(tx, owner, page.id), 'a request is there once it is made')
    if (person) {
      await appendAudit(tx, person, {
        action: 'payment_request.created',
        object: toWire('preq', made.id),
        merchantId: owner.merchant.id,
        after: { environment: owner.environment, amount: wanted.amount },
      })
    }
    return made
  })
}
