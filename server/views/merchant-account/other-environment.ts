/**
 * Says to a key that names an object of its own merchant in the other environment why it is not found. Invariant: it is asked for only
 * after a refusal with 404, and an object of another merchant looks as if there were none.
 */
import type { FastifyRequest } from 'fastify'
import { findOwnerPayment } from '../../collect/payments/owner-payment.sql.ts'
import { findRequest } from '../../collect/payment-requests/payment-request.sql.ts'
import { findPage } from '../../collect/pages/page.sql.ts'
import { findOwnEvent } from '../../merchants/webhooks/event.sql.ts'
import { findBatch } from '../../pay-out/payout-batches/batch.sql.ts'
import { findPayout } from '../../pay-out/payouts/payout.sql.ts'
import { findRecipient } from '../../pay-out/recipients/recipient.sql.ts'
import type { KeyCaller } from '../../accounts/developers/authenticate-key.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'

/** By the prefix of an id in a path. */
const finders = {
  pay: findOwnerPayment,
  preq: findRequest,
  page: (db: Db, owner: Owner, id: string) => findPage(db, owner, { id }),
  po: findPayout,
  rf: (db: Db, owner: Owner, id: string) => findPayout(db, owner, id, 'refund'),
  pb: findBatch,
  rcp: findRecipient,
  evt: findOwnEvent,
} as const

/** Finds what a parameter of a path names. A page has a slug beside its id. */
async function isThere(db: Db, owner: Owner, parameter: string, value: string): Promise<boolean> {
  const prefix = (Object.keys(finders) as (keyof typeof finders)[]).find((one) => value.startsWith(`${one}_`))
  if (prefix === undefined) return parameter === 'id_or_slug' && (await findPage(db, owner, { slug: value })) !== undefined
  const id = fromWire(prefix, value)
  return id !== undefined && (await finders[prefix](db, owner, id)) !== undefined
}

const messages: Record<Environment, [en: string, sw: string]> = {
  live: [
    'The object does not exist in test, but in live. Use a live key.',
    'Hakipo kwenye majaribio (test), bali kwenye mazingira halisi (live). Tumia ufunguo halisi.',
  ],
  test: [
    'The object does not exist in live, but in test. Use a test key.',
    'Hakipo kwenye mazingira halisi (live), bali kwenye majaribio (test). Tumia ufunguo wa majaribio.',
  ],
}

/** The refusal for an object in the path that exists in the other environment of the key's merchant; undefined without one. */
export async function refusalOfOtherEnvironment(db: Db, { keyCaller, params }: FastifyRequest): Promise<Refusal | undefined> {
  const { owner } = (keyCaller as KeyCaller | null) ?? {}
  if (!owner) return undefined
  const environment = owner.environment === 'live' ? 'test' : 'live'
  for (const [parameter, value] of Object.entries(params as Record<string, string>)) {
    if (!(await isThere(db, { ...owner, environment }, parameter, value))) continue
    const [message, messageSw] = messages[environment]
    return new Refusal(404, 'not_found', message, { details: { hint: 'other_environment' }, messageSw })
  }
  return undefined
}
