/** The commands of the quick start, ready to paste into a terminal. */

/** The placeholder for a missing key. */
export const keyPlace = 'svc_test_…'

/** The simulator's number of a payer who pays. */
const payingPhone = '+255754000789'

const lines = (...parts: string[]): string => parts.join(' \\\n  ')

export function createPageCommand(base: string, key: string): string {
  const body = JSON.stringify({ type: 'payment', title: 'Chai', amount: 1500 })
  return lines(`curl ${base}/v1/payment-pages`, `-H 'X-API-Key: ${key}'`, `-H 'Content-Type: application/json'`, `-d '${body}'`)
}

/** With one `idempotencyKey` it pays once, however often it runs. `slug`: of a page on which the payer chooses the amount. */
export function payCommand(base: string, idempotencyKey: string, slug?: string): string {
  const body = JSON.stringify({
    slug: slug ?? 'SLUG',
    ...(slug !== undefined && { amount: 1500 }),
    phone_number: payingPhone,
    customer_name: 'Asha Mushi',
    customer_email: 'asha@example.com',
    idempotency_key: idempotencyKey,
  })
  return lines(`curl ${base}/v1/payments/checkout`, `-H 'Content-Type: application/json'`, `-d '${body}'`)
}

export function listCommand(base: string, key: string): string {
  return lines(`curl '${base}/v1/transactions?limit=1'`, `-H 'X-API-Key: ${key}'`)
}
