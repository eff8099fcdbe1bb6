/**
 * Fields that show more than the permission of their routes: the one table of who sees them. Invariant: a caller with none of a field's
 * permissions gets null. docs/guides/members.md and the descriptions of the fields are generated from it.
 */
import { permissions, type Permission } from './permissions.ts'

type Rule = { what: string; needs: readonly [Permission, ...Permission[]] }

export const guardedFields = {
  'PaymentPage.paid_total': { what: 'what a page has earned', needs: ['wallet.read', 'statements.read'] },
  'timeline.balance_after': {
    what: 'the balance in the history of a payment or payout',
    needs: ['wallet.read', 'statements.read'],
  },
  'timeline.url': { what: 'the address of a webhook in the history of a payment', needs: ['apps.write', 'events.read'] },
  'insufficient_balance.available': {
    what: 'the balance in a refusal for too little money',
    needs: ['wallet.read', 'statements.read', 'payouts.approve'],
  },
  'PaymentRequest.customer.phone_number': {
    what: 'the whole phone number of the customer of a payment request',
    // A server that makes requests knows the numbers that it sent.
    needs: ['payers.read', 'pages.write'],
  },
} as const satisfies Record<string, Rule>

export type GuardedField = keyof typeof guardedFields

/** The guarded fields that a caller sees. */
export type Sight = ReadonlySet<GuardedField>

export function sightOf(held: readonly Permission[]): Sight {
  const fields = Object.keys(guardedFields) as GuardedField[]
  return new Set(fields.filter((field) => guardedFields[field].needs.some((permission) => held.includes(permission))))
}

export const shown = <Value>(sight: Sight, field: GuardedField, value: Value): Value | null => (sight.has(field) ? value : null)

/** For the description of a field: who gets null. */
export function nullWithout(field: GuardedField): string {
  const { needs } = guardedFields[field]
  const scopes = needs.flatMap((permission) => permissions[permission].scope ?? [])
  const named = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(' or ')
  return `Null for a person without the permission ${named(needs)}, and for a key without the scope ${named(scopes)}.`
}
