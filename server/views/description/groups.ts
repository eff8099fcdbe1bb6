/** The groups of operations in the reference, in its order, with the paths that belong to each: those below the longest path of a group. */
import { assert } from '../../platform/refusal.ts'

type Group = { name: string; description: string; paths: readonly string[] }

export const groups: readonly Group[] = [
  {
    name: 'Payments',
    description: 'Charge a payer’s phone and follow the payment. Browsers call the public part without an API key.',
    paths: ['/v1/payments', '/v1/pay', '/v1/networks'],
  },
  { name: 'Payment pages', description: 'Pages and links on which payers pay you.', paths: ['/v1/payment-pages'] },
  { name: 'Payment requests', description: 'Links on which one customer pays one order.', paths: ['/v1/payment-requests'] },
  {
    name: 'Webhooks',
    description: 'The addresses of your servers to which events are sent, and the deliveries to them.',
    paths: ['/v1/events', '/developers/apps/:app_id/webhook'],
  },
  {
    name: 'Webhook events',
    description: 'The requests that this service sends to your server, with their signatures.',
    paths: [],
  },
  { name: 'Wallet', description: 'Balance and transactions.', paths: ['/v1/balance', '/v1/statement', '/v1/transactions'] },
  { name: 'Payouts', description: 'Payments from your wallet to a mobile money number.', paths: ['/v1/payouts'] },
  {
    name: 'Members',
    description: 'The people of a business, their roles, and what they did.',
    paths: ['/v1/businesses/:business_id/members', '/v1/businesses/:business_id/activity', '/v1/invitations', '/v1/memberships'],
  },
  { name: 'Brand', description: 'The logo and the colour that payers see.', paths: [] },
  { name: 'Customers', description: 'The people who have paid a wallet, with their totals.', paths: [] },
  { name: 'Recipients', description: 'The names and numbers that a wallet pays again and again.', paths: ['/v1/recipients'] },
  {
    name: 'Payout batches',
    description: 'Up to 10,000 payouts in one file, which one person approves.',
    paths: ['/v1/payout-batches'],
  },
  {
    name: 'Refunds',
    description: 'Money of a payment returned from your wallet to the phone that paid.',
    paths: ['/v1/refunds', '/v1/payments/:reference/refunds'],
  },
  {
    name: 'Apps and keys',
    description: 'Developer apps and the API keys of your programs.',
    paths: ['/developers', '/v1/profile', '/v1/requests'],
  },
  {
    name: 'Dashboard',
    description:
      'What a signed-in owner sees in the dashboard. What a key can do exists here too, in the same form, under `/v1/merchant`: see /openapi.json.',
    paths: ['/v1/merchant', '/v1/changes'],
  },
  { name: 'Businesses', description: 'Registration of a business and its documents (KYB).', paths: ['/v1/businesses'] },
  { name: 'Verification', description: 'Verification of a person’s identity (KYC).', paths: ['/v1/kyc'] },
  { name: 'People', description: 'Accounts, sessions and second factors.', paths: ['/v1/auth', '/v1/me', '/.well-known'] },
  { name: 'Operators', description: 'For operators of the service, with a second factor.', paths: ['/v1/admin'] },
  { name: 'Operations', description: 'Health checks.', paths: ['/livez', '/readyz'] },
]

const byPath = groups
  .flatMap(({ name, paths }) => paths.map((path) => ({ name, path })))
  .toSorted((one, other) => other.path.length - one.path.length)

export function groupOf(url: string): string {
  const found = byPath.find(({ path }) => `${url}/`.startsWith(`${path}/`))
  assert(found, `no group in server/views/description/groups.ts has a path above ${url}`)
  return found.name
}
