/**
 * Tests the webhook of a test app: a simulated payment whose event is sent like any other. Invariant: the event comes from a real
 * simulated payment, and nothing is done in the live environment.
 */
import type { App } from '../../accounts/developers/app.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { ceilingAmount } from '../pages/page.ts'
import { findWebhookTestSlug, type OpenPage } from '../pages/page.sql.ts'
import { createPage, type SavePageDeps } from '../pages/save-page.ts'
import { violates } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import { must, Refusal } from '../../platform/refusal.ts'
import { findEndpoint } from '../../merchants/webhooks/endpoint.sql.ts'
import { webhookNotEnabled } from '../../merchants/webhooks/resend-delivery.ts'
import { startCheckout, type Checkout, type CheckoutDeps } from './start-checkout.ts'

export type TestWebhookDeps = {
  checkout: CheckoutDeps
  readPage(slug: string): Promise<OpenPage | undefined>
} & SavePageDeps

const amount = 1_000
/** The simulator's number of a payer who pays. */
const payingPhone = '+255754000789'

async function slugOfTestPage(deps: TestWebhookDeps, owner: Owner): Promise<string> {
  const found = await findWebhookTestSlug(deps.db, owner)
  if (found !== undefined) return found
  try {
    const { slug } = await createPage(
      deps,
      owner,
      { type: 'payment', title: 'Webhook test', amount, kind: 'webhook_tests' },
      { person: null },
    )
    return slug
  } catch (error) {
    // A concurrent test has just created the page.
    if (!violates(error, 'payment_pages_one_for_webhook_tests')) throw error
    return must(await findWebhookTestSlug(deps.db, owner), 'the page that another test made is there')
  }
}

/** Refuses a live app with 403 `test_environment_only`. As for all of a sandbox, no verification is needed. */
export function requireTestable(deps: Pick<TestWebhookDeps, 'checkout'>, owner: Owner): void {
  const isSimulated = deps.checkout.config.providers[owner.environment].isSimulated
  if (owner.environment !== 'test' || !isSimulated) {
    throw new Refusal(403, 'test_environment_only', 'Only webhooks of test apps can be tested. A live app gets real events only.')
  }
}

/**
 * Starts a simulated payment whose event goes to every webhook of the owner's test environment. Refuses in the cases of
 * `requireTestable`, an app without a webhook with 409, and a test page that its owner has closed with the refusal of a checkout.
 */
export async function testWebhook(deps: TestWebhookDeps, app: App, owner: Owner, requestId: string): Promise<Checkout> {
  requireTestable(deps, owner)
  const endpoint = await findEndpoint(deps.db, app.id)
  if (!endpoint?.enabled) throw webhookNotEnabled()
  const page = must(await deps.readPage(await slugOfTestPage(deps, owner)), 'a page that has a slug can be read by it')
  const request = {
    phoneNumber: payingPhone,
    customerName: 'Webhook test',
    customerEmail: 'webhook-test@example.com',
    idempotencyKey: newId(),
    language: 'sw' as const,
    // The owner may have allowed custom amounts.
    ...(page.allowCustomAmount && { amount: Math.min(Math.max(amount, page.minAmount), page.maxAmount ?? ceilingAmount) }),
  }
  return startCheckout(deps.checkout, page, request, requestId)
}
