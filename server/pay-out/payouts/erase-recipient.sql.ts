/** Removes a recipient's data from payouts. Invariant: amounts, states, references and times do not change. */
import { sql, type Tx } from '../../platform/db/db.ts'

/** How many payouts to a phone are unfinished or in doubt; all of them are locked until the transaction ends. */
export async function lockPayoutsTo(tx: Tx, phoneNumber: string): Promise<number> {
  return tx.value<number>(sql`
    with held as materialized (
      select home, id, status, held from payouts where phone_number = ${phoneNumber}
      order by home, id
      for no key update
    )
    select count(*) filter (where status in ('pending', 'processing') or held or exists (
      select from breaks b where b.home = held.home and b.payout_id = held.id and b.resolved_at is null)) as open
    from held`)
}

/** Replaces the recipient of a phone with a pseudonym. Returns the number of payouts. */
export async function pseudonymiseRecipient(tx: Tx, phoneNumber: string, pseudonym: string): Promise<number> {
  return tx.rowCount(sql`
    with erased as (
      update payouts set phone_number = ${pseudonym}, recipient_name = ${pseudonym}, narration = null, metadata = '{}', reference = null, reason = null,
        request_hash = sha256(gen_random_uuid()::text::bytea), failure_text = null
      where phone_number = ${phoneNumber}
      returning home, id
    ),
    orders as (
      update provider_payouts c set request_body = '{}' from erased e where c.home = e.home and c.payout_id = e.id
    )
    select id from erased`)
}
