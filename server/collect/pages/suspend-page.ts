/** Suspends and unsuspends one payment page: payments in flight continue to their end, and its owner is notified of the reason. */
import { appendAudit } from '../../base/audit/audit.ts'
import { confirmOperator } from '../../accounts/identity/authenticate.ts'
import type { Operator, SuspendDeps } from '../../money/controls/suspend-merchant.ts'
import { mailOwners } from '../../accounts/members/mail-owners.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, orNotFound } from '../../platform/refusal.ts'
import { lockAnyPage, setPageSuspension } from './page.sql.ts'
import type { PaymentPage } from './page.ts'

type PageKey = { home: number; id: string }

/** The owner reads `reason`. Null lifts the suspension, and refuses with 409 `invalid_state` a page that is not suspended. */
export async function setSuspensionOfPage(
  deps: SuspendDeps,
  key: PageKey,
  { reason, note }: { reason: string; note?: undefined } | { reason: null; note: string },
  operator: Operator,
): Promise<PaymentPage> {
  return deps.db.tx(async (tx) => {
    const before = orNotFound(await lockAnyPage(tx, key))
    await confirmOperator(tx, operator)
    await refuseOwnMerchant(tx, before.merchantId, operator.userId)
    if (reason === null && before.suspendedAt === null) {
      throw invalidState('This page is not suspended.', 'Ukurasa huu haujasimamishwa.')
    }
    const page = await setPageSuspension(tx, key, reason)
    const { title } = page
    await mailOwners(
      deps,
      tx,
      before.merchantId,
      reason === null
        ? {
            kind: 'page_unsuspended',
            subject: 'Ukurasa wako umefunguliwa · Your page is open again',
            sw: `Ukurasa wa malipo "${title}" umefunguliwa tena.`,
            en: `The payment page "${title}" is open again.`,
            reason,
          }
        : {
            kind: 'page_suspended',
            subject: 'Ukurasa wako umesimamishwa · Your page is suspended',
            sw: `Ukurasa wa malipo "${title}" umesimamishwa na haupokei malipo mapya. Malipo yaliyokwisha kuanza yatakamilika.`,
            en: `The payment page "${title}" is suspended and accepts no new payments. Payments that were already started still settle.`,
            reason,
          },
    )
    await appendAudit(tx, operator.origin, {
      action: reason === null ? 'payment_page.unsuspended' : 'payment_page.suspended',
      object: toWire('page', page.id),
      merchantId: before.merchantId,
      before: { suspended: before.suspendedAt !== null, reason: before.suspensionReason },
      after: { suspended: reason !== null, ...(reason === null ? { note } : { reason }) },
    })
    return page
  })
}
