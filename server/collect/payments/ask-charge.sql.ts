/** What is known about the charge of one payment, for a question to its provider; and the payments whose receipt has a number. */
import type { Environment } from '../../domain/environment.ts'
import type { ChargeState, PaymentStatus } from '../../domain/payment.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import type { PaymentKey } from './code.sql.ts'
import { lettersOf, partsOfReceipt } from './receipt-parts.ts'

export type KnownCharge = {
  home: number
  paymentId: string
  environment: Environment
  status: PaymentStatus
  held: boolean
  /** It was credited, and taken back because the network showed that it was not paid. It stays completed. */
  isTakenBack: boolean
  networkReceipt: string | null
  isPastExpiry: boolean
  /** Until its expiry. */
  secondsLeft: number
  provider: string
  state: ChargeState
  providerReference: string | null
  attempts: number
  requestId: string
}

export async function findKnownCharge(db: Runner, { home, id }: PaymentKey): Promise<KnownCharge | undefined> {
  return db.maybeOne<KnownCharge>(sql`
    select p.home, p.id as payment_id, p.environment, p.status, p.held, p.credit_reversed_at is not null as is_taken_back, p.network_receipt, p.expires_at <= clock_now() as is_past_expiry,
      greatest(extract(epoch from p.expires_at - clock_now()), 0)::double precision as seconds_left,
      c.provider, c.state, c.provider_reference, c.attempts, p.request_id
    from payments p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    where p.home = ${home} and p.id = ${id}`)
}

/** How many payments that have all parts of a number are compared with it: a payer may send `000000`, which many have. */
const mostCompared = 1_000

/** The newest payment of an environment whose receipt has exactly these letters and digits. */
export async function findReceiptOwner(db: Runner, environment: Environment, letters: string): Promise<PaymentKey | undefined> {
  const parts = partsOfReceipt(letters)
  return db.maybeOne<PaymentKey>(sql`
    with found as materialized (
      select r.home, r.payment_id from payment_receipts r where r.parts @> ${parts}::text[]
    )
    select p.home, p.id
    from (select f.home, f.payment_id from found f order by f.payment_id desc limit ${mostCompared}) f
    join payments p on p.home = f.home and p.id = f.payment_id
    where upper(regexp_replace(p.network_receipt, '[^0-9A-Za-z]', '', 'g')) = ${lettersOf(letters)} and p.environment = ${environment}
    order by p.id desc limit 1`)
}
