/**
 * Fields that show more than the permission of their routes: the one table of who sees them. Invariant: a caller with none of a field's
 * permissions gets null. The schema of such a field accepts only what `shown` returned, so an answer that copies the value does not
 * compile. docs/guides/members.md and the descriptions of the fields are generated from this table.
 */
import type { z } from 'zod'
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

/** The value of a guarded field that went through `shown`. The mark exists only for the compiler. */
export type Shown<Field extends GuardedField, Value> = (Value & z.core.$brand<Field>) | null

export const shown = <Field extends GuardedField, Value>(sight: Sight, field: Field, value: Value): Shown<Field, Value> =>
  sight.has(field) ? (value as Value & z.core.$brand<Field>) : null

/** The schema of a guarded field. `about`: what its description says besides who gets null. */
export function guarded<Field extends GuardedField, Schema extends z.ZodType>(
  field: Field,
  schema: Schema,
  about = '',
): z.ZodNullable<z.core.$ZodBranded<Schema, Field>> {
  const marked = schema.brand<Field>().nullable() as z.ZodNullable<z.core.$ZodBranded<Schema, Field>>
  return marked.meta({ description: `${about} ${nullWithout(field)}`.trim() })
}

/** For the description of a field: who gets null. */
function nullWithout(field: GuardedField): string {
  const { needs } = guardedFields[field]
  const scopes = needs.flatMap((permission) => permissions[permission].scope ?? [])
  const named = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(' or ')
  return `Null for a person without the permission ${named(needs)}, and for a key without the scope ${named(scopes)}.`
}
