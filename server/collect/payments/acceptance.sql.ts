/**
 * Records that a provider has a charge, when nothing else is known about it: almost every checkout needs nothing more before its result.
 * Invariant: it locks charges only, and no statement locks a charge before a payment.
 */
import type { Config } from '../../config/config.ts'
import type { Batch } from '../../platform/db/batch.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { createIsolatingBatch } from '../../platform/db/isolating-batch.ts'
import { recordset } from '../../platform/db/recordset.ts'
import type { Acceptance } from './settlement.ts'

const acceptanceColumns = {
  home: 'smallint',
  paymentId: 'uuid',
  environment: 'text',
  provider: 'text',
  reference: 'text',
  nextAttemptSeconds: 'double precision',
  providerExpiresAt: 'timestamptz',
} as const

/** Binds charges to the provider's references. Returns false for a charge that is already bound: it needs the full settlement. */
export async function recordAcceptances(db: Runner, items: Acceptance[]): Promise<boolean[]> {
  return db.values<boolean>(sql`
    with input as (
      select *
      from ${recordset(items, 'i', acceptanceColumns, 'ord')}
    ),
    charged as (
      update provider_charges c
      set state = 'accepted', provider_reference = i.reference, provider_expires_at = i.provider_expires_at,
        next_attempt_at = clock_now() + make_interval(secs => i.next_attempt_seconds), updated_at = clock_now()
      from input i
      where c.home = i.home and c.payment_id = i.payment_id and c.provider_reference is null and c.state <> 'rejected'
      returning i.ord, i.provider, i.environment, i.reference, c.home, c.payment_id
    ),
    bound as (
      insert into provider_references (provider, environment, reference, home, payment_id)
      select provider, environment, reference, home, payment_id from charged
    )
    select c.ord is not null as recorded from input i left join charged c on c.ord = i.ord order by i.ord`)
}

/** Records the acceptances of one moment with one statement. A locked charge delays only the charges of its home. */
export function createAcceptanceRecord(
  db: Runner,
  { lockTimeoutMs }: Pick<Config['database'], 'lockTimeoutMs'>,
): Batch<Acceptance, boolean> {
  return createIsolatingBatch({
    run: (acceptances: Acceptance[]) => recordAcceptances(db, acceptances),
    groupOf: (acceptance) => acceptance.home,
    patienceMs: lockTimeoutMs,
  })
}
