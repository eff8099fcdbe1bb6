/** A payer's actions at a form, and the browsers of payers. */
import type { BrowserContextOptions, Page } from 'playwright-core'

export const phoneOf360: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  locale: 'sw-TZ',
  timezoneId: 'Africa/Dar_es_Salaam',
}

/** Opens the part of a form that a payer may leave out. */
export async function openOptional(tab: Page): Promise<void> {
  if (!(await tab.locator('#customer_email').isVisible())) await tab.locator('#pay summary').click()
}

/** Types into the form of a page; the amount of the page stays unless another is given. */
export async function fillIn(tab: Page, typed: { phone: string; name?: string; email?: string; amount?: string }): Promise<void> {
  if (typed.amount !== undefined) await tab.locator('#amount').fill(typed.amount)
  await tab.locator('#phone_number').fill(typed.phone)
  await tab.locator('#customer_name').fill(typed.name ?? 'Juma Hamisi')
  await openOptional(tab)
  await tab.locator('#customer_email').fill(typed.email ?? 'juma@example.com')
}

export const pressPay = (tab: Page): Promise<void> => tab.locator('#send').click()

/** Waits for the page of a payment and returns its reference. */
export async function arrive(tab: Page): Promise<string> {
  await tab.waitForURL(/\/pay\/[^/]+\/pay_\w{26}\?/)
  return /pay_\w{26}/.exec(tab.url())![0]
}
