/**
 * Removes a payer's data from payments and from the messages exchanged with providers. Invariant: amounts, states, references and times
 * do not change, so the books do not change.
 */
import { sql, type Tx } from '../../platform/db/db.ts'
import { eraseMessages } from '../../money/providers/inbox.sql.ts'

/** The reasons why a payment of a phone cannot lose its payer yet. */
export type OpenPayments = { unfinished: number; inDoubt: number; mayStillSucceed: number }

/** All payments of a phone, locked until the transaction ends, so that none of them is settled meanwhile. */
export async function lockPaymentsOf(tx: Tx, phoneNumber: string, lateHours: number): Promise<OpenPayments> {
  return tx.one<OpenPayments>(sql`
    with held as materialized (
      select home, id, status, held, created_at from payments where phone_number = ${phoneNumber}
      order by home, id
      for no key update
    )
    select count(*) filter (where status in ('pending', 'processing')) as unfinished,
      count(*) filter (where held or exists (
        select from breaks b where b.home = held.home and b.payment_id = held.id and b.resolved_at is null)) as in_doubt,
      -- A provider's late success could no longer be reported to the payer.
      count(*) filter (where status in ('failed', 'voided', 'expired')
        and created_at > clock_now() - make_interval(hours => ${lateHours}::integer)) as may_still_succeed
    from held`)
}

export async function emailsOfPayer(tx: Tx, phoneNumber: string): Promise<string[]> {
  return tx.values<string>(sql`
    select distinct lower(customer_email) as email from payments where phone_number = ${phoneNumber} and customer_email is not null`)
}

/** Replaces the payer of a phone with a pseudonym. Returns the number of payments. */
export async function pseudonymisePayer(tx: Tx, phoneNumber: string, pseudonym: string): Promise<number> {
  return tx.rowCount(sql`
    with erased as (
      -- The hash of the request would reveal the phone number: all numbers can be tried.
      update payments set phone_number = ${pseudonym},
        customer_name = case when customer_name is not null then ${pseudonym} end,
        customer_email = case when customer_email is not null then ${pseudonym} end,
        custom_fields = null,
        -- Free text of the merchant: it may name the payer.
        merchant_reference = null, metadata = '{}', description = case when description is not null then 'Erased' end,
        request_hash = sha256(gen_random_uuid()::text::bytea), failure_text = null,
        -- Not null, or a later message of the provider would bring the number back.
        network_receipt = ${pseudonym}
      where phone_number = ${phoneNumber}
      returning home, id
    ),
    receipts as (
      delete from payment_receipts r using erased e where r.home = e.home and r.payment_id = e.id
    ),
    charges as (
      update provider_charges c set request_body = '{}' from erased e where c.home = e.home and c.payment_id = e.id
    ),
    ${eraseMessages(sql`erased`)}
    select id from erased`)
}
