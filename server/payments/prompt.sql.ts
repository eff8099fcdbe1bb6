/** The door to prompts: the payment requests that go to real phones, counted per phone over all pages and processes. */
import { sql, type Runner, type Tx } from '../platform/db/db.ts'
import { recordset } from '../platform/db/recordset.ts'
import { judgePaces } from './pace.sql.ts'
import { endStatuses } from './payment.ts'

/** So many prompts within so many seconds. */
export type PromptQuota = Readonly<{ quota: number; windowSeconds: number }>

export type NewPrompt = {
  home: number
  pageId: string
  idempotencyHash: Buffer
  phoneKey: Buffer
  repeats?: Buffer | null
  /** It is the first that is sent for the request it repeats. */
  isConfirmed?: boolean
  /** Whose page it is, where its pace is watched. */
  merchantId?: string | null
  /** HMAC of the network that asks. */
  networkKey?: Buffer | null
  /** The phone's mobile network is not operational. */
  isCarrierAway?: boolean
}

export type PromptTaken = {
  outcome:
    | 'taken'
    /** The same request was counted before. */
    | 'known'
    /** The same key was counted for another phone. */
    | 'of_another_phone'
    /** One of this page waits on this phone for its answer. */
    | 'open'
    | 'too_many'
  /** How long it stays so; null for what may go on. */
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
  isCarrierAway: 'boolean',
} as const

/**
 * Counts prompts where they are allowed; no phone may stand in a batch twice. Two that come at once for one phone are decided one after
 * the other: the lock is taken by a statement of its own, so that the next one sees what was counted before it.
 */
export async function takePrompts(
  tx: Tx,
  items: NewPrompt[],
  limits: { quotas: readonly PromptQuota[]; openSeconds: number },
): Promise<PromptTaken[]> {
  const phoneKeys = items.map((item) => item.phoneKey)
  // In one order for everybody. The lock's number is a part of the HMAC; two phones that share it only wait for each other.
  await tx.rows(sql`
    select pg_advisory_xact_lock(number) from (
      select ('x' || encode(substr(phone_key, 1, 8), 'hex'))::bit(64)::bigint as number
      from unnest(${phoneKeys}::bytea[]) as phone_key
      order by 1 offset 0) as phones`)
  const rows = items.map((item) => ({
    ...item,
    isConfirmed: item.isConfirmed ?? false,
    isCarrierAway: item.isCarrierAway ?? false,
  }))
  return tx.rows<PromptTaken>(sql`
    with input as (
      select *
      from ${recordset(rows, 'i', promptColumns, 'ord')}
    ),
    judged as materialized (
      select i.*,
        -- Null: this key was not counted yet. Only for its own phone is it known: else a key would carry a prompt to any.
        (
          select p.phone_key = i.phone_key from prompts p
          where p.home = i.home and p.page_id = i.page_id and p.idempotency_hash = i.idempotency_hash) as is_known,
        (
          select p.is_sent from prompts p
          where p.home = i.home and p.page_id = i.page_id and p.idempotency_hash = i.idempotency_hash) as is_sent,
        (
          select extract(epoch from max(p.prompted_at) - clock_now()) + ${limits.openSeconds}
          from prompts p
          -- A prompt that is shown again is the one that is open.
          where (i.repeats is null or i.is_confirmed) and p.is_sent and p.phone_key = i.phone_key and p.home = i.home and p.page_id = i.page_id
            and p.prompted_at > clock_now() - make_interval(secs => ${limits.openSeconds})
            and not exists (
              select from payments y
              where y.home = p.home and y.page_id = p.page_id and y.idempotency_hash = coalesce(p.repeats, p.idempotency_hash)
                and y.status = any(${[...endStatuses]}::text[]))
        ) as open_seconds,
        (
          -- A quota is full for as long as the prompt that stands so many places back is within its window.
          select max(extract(epoch from q_nth.prompted_at - clock_now()) + q.window_seconds)
          from unnest(
            ${limits.quotas.map(({ quota }) => quota)}::integer[], ${limits.quotas.map(({ windowSeconds }) => windowSeconds)}::double precision[]
          ) as q (quota, window_seconds)
          cross join lateral (
            select p.prompted_at from prompts p where p.phone_key = i.phone_key and p.is_sent
            order by p.prompted_at desc offset q.quota - 1 limit 1
          ) as q_nth
        ) as full_seconds
      from input i
    ),
    candidates as materialized (
      select home, page_id, idempotency_hash, phone_key, repeats, merchant_id, network_key, ord,
        network_key is not null and not is_carrier_away and not exists (
          select from prompts p where p.phone_key = judged.phone_key and p.is_sent and p.network_key = judged.network_key) as is_new_phone
      from judged
      where is_known is null and open_seconds is null and coalesce(full_seconds, 0) <= 0
    ),
    ${judgePaces},
    taken as (
      insert into prompts (home, page_id, idempotency_hash, phone_key, repeats, network_key, is_sent)
      select home, page_id, idempotency_hash, phone_key, repeats, network_key, not needs_confirmation from paced
      -- The same key with another phone is under another lock, and may stand in this batch.
      on conflict do nothing
      returning home, page_id, idempotency_hash, phone_key, is_sent
    )
    select
      case
        when j.is_known then 'known'
        when coalesce(j.full_seconds, 0) > 0 then 'too_many'
        when j.open_seconds is not null then 'open'
        when t.home is null then 'of_another_phone'
        else 'taken'
      end as outcome,
      case when j.is_known then null when coalesce(j.full_seconds, 0) > 0 then j.full_seconds else j.open_seconds end::double precision as wait_seconds,
      not coalesce(t.is_sent, j.is_sent, true) as needs_confirmation
    from judged j
    left join taken t on t.home = j.home and t.page_id = j.page_id and t.idempotency_hash = j.idempotency_hash and t.phone_key = j.phone_key
    order by j.ord`)
}

/** Uncounts a prompt that was never sent; it stays where the same request, come twice, has made its payment meanwhile. */
export async function untakePrompt(db: Runner, prompt: Omit<NewPrompt, 'phoneKey' | 'repeats'>): Promise<void> {
  await db.rows(sql`
    delete from prompts p
    where p.home = ${prompt.home} and p.page_id = ${prompt.pageId} and p.idempotency_hash = ${prompt.idempotencyHash}
      and not exists (
        select from payments y
        where y.home = p.home and y.page_id = p.page_id and y.idempotency_hash = p.idempotency_hash and y.created_at >= p.prompted_at)`)
}

/** Removes prompts that count no longer; answers with how many, at most `limit`. */
export async function deleteOldPrompts(db: Runner, olderThanSeconds: number, limit: number): Promise<number> {
  const rows = await db.rows<{ home: number }>(sql`
    delete from prompts
    where (home, page_id, idempotency_hash) in (
      select home, page_id, idempotency_hash from prompts
      where prompted_at < clock_now() - make_interval(secs => ${olderThanSeconds})
      order by prompted_at limit ${limit}
      for update skip locked)
    returning home`)
  return rows.length
}
