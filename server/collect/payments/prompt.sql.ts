/** The only access to prompts: the payment requests sent to real phones, counted per phone across all pages and processes. */
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { judgePaces } from './pace.sql.ts'
import { endStatuses } from './payment.ts'

/** The maximum number of prompts within a window of seconds. */
export type PromptQuota = Readonly<{ quota: number; windowSeconds: number }>

export type NewPrompt = {
  home: number
  pageId: string
  idempotencyHash: Buffer
  phoneKey: Buffer
  repeats?: Buffer | null
  /** It is the first prompt that is sent for the request it repeats. */
  isConfirmed?: boolean
  /** The merchant of the page, if the page's pace is watched. */
  merchantId?: string | null
  /** HMAC of the caller's network. */
  networkKey?: Buffer | null
  /** The merchant's server makes it with a key: no pace is counted or asked. */
  isByKey?: boolean
  /** The phone's mobile network is not operational. */
  isCarrierAway?: boolean
}

export type PromptDecision = {
  outcome:
    | 'counted'
    /** The same request was counted before. */
    | 'known'
    /** The same key was counted for another phone. */
    | 'of_another_phone'
    /** A prompt of this page waits for an answer on this phone. */
    | 'open'
    | 'too_many'
  /** How long this outcome lasts; null if the request may continue. */
  waitSeconds: number | null
  /** Nothing may be sent before the payer has confirmed it. */
  needsConfirmation: boolean
}

const promptColumns = {
  home: 'smallint',
  pageId: 'uuid',
  idempotencyHash: 'bytea',
  phoneKey: 'bytea',
  repeats: 'bytea',
  isConfirmed: 'boolean',
  merchantId: 'uuid',
  networkKey: 'bytea',
  isByKey: 'boolean',
  isCarrierAway: 'boolean',
} as const

const quotaColumns = { quota: 'integer', windowSeconds: 'double precision' } as const

/**
 * Counts prompts if they are allowed; a phone may occur in a batch only once. Two concurrent prompts for one phone are decided one after
 * the other: a separate statement takes the lock, so that the next statement sees the prompts counted before it.
 */
export async function takePrompts(
  tx: Tx,
  items: NewPrompt[],
  limits: { quotas: readonly PromptQuota[]; openSeconds: number },
): Promise<PromptDecision[]> {
  const phoneKeys = items.map((item) => item.phoneKey)
  // All transactions lock in the same order. The lock's number is a part of the HMAC; two phones with the same number only wait for each
  // other.
  await tx.rows(sql`
    select pg_advisory_xact_lock(number) from (
      select ('x' || encode(substr(phone_key, 1, 8), 'hex'))::bit(64)::bigint as number
      from unnest(${phoneKeys}::bytea[]) as phone_key
      order by 1 offset 0) as phones`)
  const rows = items.map((item) => ({
    ...item,
    isConfirmed: item.isConfirmed ?? false,
    isByKey: item.isByKey ?? false,
    isCarrierAway: item.isCarrierAway ?? false,
  }))
  return tx.rows<PromptDecision>(sql`
    with input as (
      select *
      from ${recordset(rows, 'i', promptColumns, 'ord')}
    ),
    judged as materialized (
      select i.*,
        -- Null: this key was not counted yet. A key is known for one phone only; otherwise it would allow prompts to any phone.
        (
          select p.phone_key = i.phone_key from prompts p
          where p.home = i.home and p.page_id = i.page_id and p.idempotency_hash = i.idempotency_hash) as is_known,
        (
          select p.is_sent from prompts p
          where p.home = i.home and p.page_id = i.page_id and p.idempotency_hash = i.idempotency_hash) as is_sent,
        (
          select extract(epoch from max(p.prompted_at) - clock_now()) + ${limits.openSeconds}
          from prompts p
          -- A prompt that is sent again is the open prompt itself.
          where (i.repeats is null or i.is_confirmed) and p.is_sent and p.phone_key = i.phone_key and p.home = i.home and p.page_id = i.page_id
            and p.prompted_at > clock_now() - make_interval(secs => ${limits.openSeconds})
            and not exists (
              select from payments y
              where y.home = p.home and y.page_id = p.page_id and y.idempotency_hash = coalesce(p.repeats, p.idempotency_hash)
                and y.status = any(${[...endStatuses]}::text[]))
        ) as open_seconds,
        (
          -- A quota is full while the prompt that many places before this one is within its window.
          select max(extract(epoch from q_nth.prompted_at - clock_now()) + q.window_seconds)
          from ${recordset(limits.quotas, 'q', quotaColumns)}
          cross join lateral (
            select p.prompted_at from prompts p where p.phone_key = i.phone_key and p.is_sent
            order by p.prompted_at desc offset q.quota - 1 limit 1
          ) as q_nth
        ) as full_seconds
      from input i
    ),
    candidates as materialized (
      select home, page_id, idempotency_hash, phone_key, repeats, merchant_id, network_key, is_by_key, ord,
        network_key is not null and not is_carrier_away and not exists (
          select from prompts p where p.phone_key = judged.phone_key and p.is_sent and p.network_key = judged.network_key) as is_new_phone
      from judged
      where is_known is null and open_seconds is null and coalesce(full_seconds, 0) <= 0
    ),
    ${judgePaces(sql`candidates`)},
    counted as (
      insert into prompts (home, page_id, idempotency_hash, phone_key, repeats, network_key, is_sent)
      select home, page_id, idempotency_hash, phone_key, repeats, network_key, not needs_confirmation from paced
      -- The same key with another phone has a different lock, and may be in this batch.
      on conflict do nothing
      returning home, page_id, idempotency_hash, phone_key, is_sent
    )
    select
      case
        when j.is_known then 'known'
        when coalesce(j.full_seconds, 0) > 0 then 'too_many'
        when j.open_seconds is not null then 'open'
        when t.home is null then 'of_another_phone'
        else 'counted'
      end as outcome,
      case when j.is_known then null when coalesce(j.full_seconds, 0) > 0 then j.full_seconds else j.open_seconds end::double precision as wait_seconds,
      not coalesce(t.is_sent, j.is_sent, true) as needs_confirmation
    from judged j
    left join counted t on t.home = j.home and t.page_id = j.page_id and t.idempotency_hash = j.idempotency_hash and t.phone_key = j.phone_key
    order by j.ord`)
}

/**
 * Removes a prompt that was never sent from the count. The prompt stays if the same request was sent twice and its payment exists
 * meanwhile.
 */
export async function uncountPrompt(db: Runner, prompt: Omit<NewPrompt, 'phoneKey' | 'repeats'>): Promise<void> {
  await db.rows(sql`
    delete from prompts p
    where p.home = ${prompt.home} and p.page_id = ${prompt.pageId} and p.idempotency_hash = ${prompt.idempotencyHash}
      and not exists (
        select from payments y
        where y.home = p.home and y.page_id = p.page_id and y.idempotency_hash = p.idempotency_hash and y.created_at >= p.prompted_at)`)
}

/** Removes prompts that no longer count. Returns how many, at most `limit`. */
export async function deleteOldPrompts(db: Runner, olderThanSeconds: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from prompts
    where (home, page_id, idempotency_hash) in (
      select home, page_id, idempotency_hash from prompts
      where prompted_at < clock_now() - make_interval(secs => ${olderThanSeconds})
      order by prompted_at limit ${limit}
      for update skip locked)
    returning home`)
}
