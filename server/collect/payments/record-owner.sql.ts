/**
 * The owner of each record of a provider: one payment, one payout, or the break that has booked its money. The only statements on
 * `provider_references` outside settling. Invariant: whatever books the money of a record owns the record, so it is booked once.
 */
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

/** A charge or an order of the provider, by its own reference. */
export type ProviderRecord = { provider: string; environment: Environment; reference: string }

export type RecordOwner = { home: number; paymentId: string | null; payoutId: string | null; breakId: string | null }

export async function findRecordOwner(db: Runner, record: ProviderRecord): Promise<RecordOwner | undefined> {
  return db.maybeOne<RecordOwner>(sql`
    select home, payment_id, payout_id, break_id from provider_references
    where provider = ${record.provider} and environment = ${record.environment} and reference = ${record.reference}`)
}

/**
 * Takes a record for its first owner, or locks it for the owner that it has, until the transaction ends. Returns the owner. `to` undefined:
 * a record without an owner stays without one.
 */
export async function lockRecord(
  tx: Tx,
  record: Omit<ProviderRecord, 'provider' | 'reference'> & { provider: string | null; reference: string | null },
  to: Partial<RecordOwner> & { home: number },
): Promise<RecordOwner | undefined> {
  const { home, paymentId = null, payoutId = null, breakId = null } = to
  return tx.maybeOne<RecordOwner>(sql`
    insert into provider_references (provider, environment, reference, home, payment_id, payout_id, break_id)
    select ${record.provider}::text, ${record.environment}::text, ${record.reference}::text, ${home}::smallint, ${paymentId}::uuid, ${payoutId}::uuid, ${breakId}::uuid
    where ${record.provider}::text is not null and ${record.reference}::text is not null
    on conflict (provider, environment, reference) do update set reference = excluded.reference
    returning home, payment_id, payout_id, break_id`)
}

/** A break gives up a record whose money it no longer holds. The next owner takes it in the same transaction. */
export async function freeRecord(tx: Tx, record: ProviderRecord, one: { home: number; id: string }): Promise<void> {
  await tx.rows(sql`
    delete from provider_references
    where provider = ${record.provider} and environment = ${record.environment} and reference = ${record.reference}
      and home = ${one.home} and break_id = ${one.id}`)
}

/** A payment that other money has completed gives up the record of its earlier charge, whose money is a second charge. */
export async function freeEarlierCharge(
  db: Runner,
  record: ProviderRecord,
  payment: { home: number; paymentId: string },
): Promise<void> {
  await db.rows(sql`
    delete from provider_references r
    using provider_charges c
    where r.provider = ${record.provider} and r.environment = ${record.environment} and r.reference = ${record.reference}
      and r.home = ${payment.home} and r.payment_id = ${payment.paymentId}
      and c.home = r.home and c.payment_id = r.payment_id and c.provider_reference <> r.reference`)
}
