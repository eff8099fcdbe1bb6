/**
 * The only access to checkout_paces and network_paces: how fast checkouts start and are paid, by page, merchant and network of payers.
 * Locks are taken in one order: paces by (home, subject), then networks by key.
 */
import type { ConfirmingReason } from '../../domain/page.ts'
import type { OnOff } from '../../domain/switch.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { longestWait } from '../../platform/db/longest-wait.sql.ts'
import { secondStepRules } from './second-step.ts'

const { pace, network } = secondStepRules

/** The subject of an order for all pages. */
export const everyone = '00000000-0000-0000-0000-000000000000'

/**
 * Whether the current minute of a pace `s`, which starts with its first checkout, is not over. One that begins too far in the future is
 * over, too: then a clock was set back.
 */
const isRunning = sql`(s.minute > clock_now() - interval '1 minute' and s.minute <= clock_now() + ${longestWait})`

/** The factor by which a network's counts `n` have decayed by now. */
const left = sql`power(0.5::double precision, greatest(extract(epoch from clock_now() - n.counted_at)::double precision, 0) / ${network.halfLifeSeconds}::double precision)`

/** The allowance of a network: new phones that have not paid, in addition to those that have. */
const openToNetwork = sql`(${network.unpaid}::double precision + ${network.timesPaid}::double precision * n.paid)`

/** Caps the stored count: after a flood of any length, its network is back at the limit within some minutes. */
const remembered = sql`least(n.phones, n.paid + ${openToNetwork} + 1)`

/** The best minute of a pace `s`, if it is recent enough. */
const usual = sql`(case when s.best_at > clock_now() - make_interval(days => ${pace.bestOfDays}) then s.best else 0 end)`

const started = sql`(case when ${isRunning} then s.started else 0 end + excluded.started)`
const allowed = sql`greatest(${pace.checkoutsPerMinute}::integer, ${pace.timesBest}::integer * ${usual})`

/**
 * A pace shows its merchant since when checkouts are confirmed. After this many minutes without such a checkout, the next one starts a
 * new period.
 */
export const confirmingMinutes = 5
const isConfirming = sql`s.confirming_at > clock_now() - make_interval(mins => ${confirmingMinutes})`

/**
 * Counts the rows of a CTE of the statement, which `candidates` names (home, page_id, merchant_id, network_key, is_by_key, is_new_phone, ord;
 * no merchant_id: not watched; by a key: only an order for its page or merchant holds it back), and judges each: the CTE `paced` has
 * `needs_confirmation` for each row, so that a flood inside one batch is judged too.
 */
export const judgePaces = (candidates: Sql): Sql => sql`
  begun as (
    insert into checkout_paces as s (home, subject, minute, started)
    select c.home, v.subject, clock_now(), count(*)
    from ${candidates} c
    cross join lateral (values (c.page_id), (c.merchant_id)) as v (subject)
    where c.merchant_id is not null and not c.is_by_key
    group by c.home, v.subject
    order by c.home, v.subject
    on conflict (home, subject) do update set started = ${started}, minute = case when ${isRunning} then s.minute else excluded.minute end,
      confirming_since = case when ${started} <= ${allowed} or ${isConfirming} then s.confirming_since else clock_now() end,
      confirming_at = case when ${started} > ${allowed} then clock_now() else s.confirming_at end
    returning home, subject, started, ${allowed} as allowed
  ),
  prompting as (
    insert into network_paces as n (network_key, phones, counted_at)
    select c.network_key, count(*) filter (where c.is_new_phone), clock_now()
    from ${candidates} c
    -- Read first, so that the order of locks is the same for all.
    where c.merchant_id is not null and c.network_key is not null and (select count(*) from begun) >= 0
    group by c.network_key
    order by c.network_key
    on conflict (network_key) do update set phones = ${remembered} * ${left} + excluded.phones, paid = n.paid * ${left}, counted_at = clock_now()
    returning network_key, phones, paid
  ),
  ranked as (
    select c.*,
      row_number() over by_page - count(*) over all_of_page as behind_page,
      row_number() over by_merchant - count(*) over all_of_merchant as behind_merchant,
      count(*) filter (where c.is_new_phone) over by_network - count(*) filter (where c.is_new_phone) over all_of_network as behind_network
    from ${candidates} c
    window by_page as (partition by c.home, c.page_id order by c.ord), all_of_page as (partition by c.home, c.page_id),
      by_merchant as (partition by c.home, c.merchant_id, c.is_by_key order by c.ord), all_of_merchant as (partition by c.home, c.merchant_id, c.is_by_key),
      by_network as (partition by c.network_key order by c.ord), all_of_network as (partition by c.network_key)
  ),
  paced as (
    select r.*, r.merchant_id is not null and coalesce(op.mode = 'on', om.mode = 'on', oa.mode = 'on',
      coalesce(p.started + r.behind_page > p.allowed, false)
      or coalesce(m.started + r.behind_merchant > m.allowed, false)
      or (r.is_new_phone and coalesce(n.phones - n.paid + r.behind_network > ${openToNetwork}, false))
    ) as needs_confirmation
    from ranked r
    left join begun p on p.home = r.home and p.subject = r.page_id
    left join begun m on m.home = r.home and m.subject = r.merchant_id and not r.is_by_key
    left join prompting n on n.network_key = r.network_key
    left join second_step_orders op on op.subject = r.page_id
    left join second_step_orders om on om.subject = r.merchant_id
    left join second_step_orders oa on oa.subject = ${everyone} and not r.is_by_key
  )`

/** How long after its checkout a payment is counted as paid or unpaid: the time to confirm and to enter a PIN. */
const paidWithinSeconds = secondStepRules.confirmWithinSeconds + 600

/** Counts payments that were paid since the last run, by page, merchant and network. Returns how many, at most `limit`. */
export async function countPaid(db: Runner, limit: number): Promise<number> {
  // The payments of a minute are not all found before those of the next one: a process may have been slow to commit some.
  const isEarlier = sql`(excluded.paid_minute < s.paid_minute and s.paid_minute <= clock_now() + ${longestWait})`
  const paidNow = sql`(case when ${isEarlier} then s.paid when s.paid_minute = excluded.paid_minute then s.paid + excluded.paid else excluded.paid end)`
  return db.rowCount(sql`
    with done as materialized (
      select r.home, r.page_id, r.idempotency_hash, p.merchant_id, p.completed_at
      from prompts r
      join payments p on p.home = r.home and p.page_id = r.page_id and p.idempotency_hash = r.idempotency_hash
      where r.network_key is not null and not r.is_paid and r.prompted_at > clock_now() - make_interval(secs => ${paidWithinSeconds})
        and p.status = 'completed'
      limit ${limit}
      for update of r skip locked
    ),
    paid as (
      update prompts r set is_paid = true
      from done d
      where r.home = d.home and r.page_id = d.page_id and r.idempotency_hash = d.idempotency_hash
      returning r.home, r.page_id, r.network_key, d.merchant_id, d.completed_at
    ),
    minutes as (
      select p.home, v.subject, date_trunc('minute', p.completed_at) as minute, count(*)::integer as paid
      from paid p cross join lateral (values (p.page_id), (p.merchant_id)) as v (subject)
      group by p.home, v.subject, date_trunc('minute', p.completed_at)
    ),
    counted as (
      insert into checkout_paces as s (home, subject, minute, started, paid_minute, paid, best, best_at)
      select distinct on (home, subject) home, subject, clock_now(), 0, minute, paid, max(paid) over (partition by home, subject), clock_now()
      from minutes order by home, subject, minute desc
      on conflict (home, subject) do update set paid = ${paidNow},
        paid_minute = case when ${isEarlier} then s.paid_minute else excluded.paid_minute end,
        best = greatest(${usual}, excluded.best, ${paidNow}),
        best_at = case when greatest(excluded.best, ${paidNow}) >= ${usual} then clock_now() else s.best_at end
      returning home
    ),
    networks as (
      insert into network_paces as n (network_key, phones, paid, counted_at)
      select network_key, 0, count(*), clock_now() from paid
      where (select count(*) from counted) >= 0
      group by network_key
      order by network_key
      on conflict (network_key) do update set phones = n.phones * ${left}, paid = n.paid * ${left} + excluded.paid, counted_at = clock_now()
    )
    select home from paid`)
}

/** Orders confirmations of a page, a merchant or `everyone` on or off. Returns the previous order. */
export async function setOrder(
  tx: Tx,
  order: { subject: string; name: string; mode: OnOff; reason: string; orderedBy: string },
): Promise<OnOff | undefined> {
  const before = await removeOrder(tx, order.subject)
  await tx.rows(sql`
    insert into second_step_orders (subject, name, mode, reason, ordered_by, ordered_at)
    values (${order.subject}, ${order.name}, ${order.mode}, ${order.reason}, ${order.orderedBy}, clock_now())`)
  return before
}

/** Withdraws an order. Returns the withdrawn order. */
export async function removeOrder(tx: Tx, subject: string): Promise<OnOff | undefined> {
  return tx.maybeValue<OnOff>(sql`delete from second_step_orders where subject = ${subject} returning mode`)
}

/** Pages whose checkouts need a confirmation because of their pace, and the orders of operators; newest first. */
export async function listSecondSteps(db: Runner): Promise<{ what: string; name: string; since: Date; reason: string | null }[]> {
  return db.rows(sql`
    select 'pace' as what, g.slug as name, s.confirming_since as since, null as reason
    from checkout_paces s join payment_pages g on g.home = s.home and g.id = s.subject
    where ${isConfirming}
    union all
    select mode, name, ordered_at, reason from second_step_orders
    order by since desc limit 100`)
}

/** Checkouts of the last minutes that needed a confirmation, and the pages whose own pace was the reason. */
export async function readFloods(db: Runner): Promise<{ unconfirmed: number; pages: number }> {
  return db.one<{ unconfirmed: number; pages: number }>(sql`
    select
      (select count(*) from prompts where not is_sent and prompted_at > clock_now() - make_interval(mins => ${confirmingMinutes})) as unconfirmed,
      (
        select count(*) from checkout_paces s
        join payment_pages g on g.home = s.home and g.id = s.subject
        where ${isConfirming}) as pages`)
}

export type Confirming = { since: Date; reason: ConfirmingReason }

/**
 * Since when checkouts of a merchant's page need a confirmation, and why: an order of operators, the pace of the page or of all pages of
 * the merchant, or a network of its last payers.
 */
export async function readConfirming(
  db: Runner,
  merchant: { home: number; id: string; pageId: string },
): Promise<Confirming | undefined> {
  const [row] = await db.rows<{ since: Date; reason: Confirming['reason'] | 'off' }>(sql`
    select since, reason from (
      (
        select 1 as place, ordered_at as since, case mode when 'on' then 'ordered' else mode end as reason
        from second_step_orders where subject in (${merchant.pageId}, ${merchant.id}, ${everyone})
        order by subject = ${merchant.pageId} desc, subject = ${merchant.id} desc limit 1)
      union all
      select 2, min(s.confirming_since), 'pace' from checkout_paces s
      where s.home = ${merchant.home} and s.subject in (${merchant.id}, ${merchant.pageId}) and ${isConfirming}
      union all
      select 3, min(p.prompted_at), 'network' from prompts p
      join network_paces n on n.network_key = p.network_key
      where p.home = ${merchant.home} and p.page_id = ${merchant.pageId} and not p.is_sent
        and p.prompted_at > clock_now() - make_interval(secs => ${network.halfLifeSeconds})
        -- The next new phone of that network would have to confirm as well.
        and (n.phones - n.paid) * ${left} + 1 > ${network.unpaid}::double precision + ${network.timesPaid}::double precision * n.paid * ${left}
      having max(p.prompted_at) > clock_now() - make_interval(mins => ${confirmingMinutes})
    ) reasons
    where since is not null
    order by place limit 1`)
  return row === undefined || row.reason === 'off' ? undefined : { since: row.since, reason: row.reason }
}

/** Removes paces that no longer affect any decision. Returns how many, at most `limit`. */
export async function deleteOldPaces(db: Runner, limit: number): Promise<number> {
  const paces = await db.rows(sql`
    delete from checkout_paces where (home, subject) in (
      select home, subject from checkout_paces
      where minute < clock_now() - make_interval(days => ${pace.bestOfDays})
        and (best_at is null or best_at < clock_now() - make_interval(days => ${pace.bestOfDays}))
      limit ${limit}
      for update skip locked)
    returning home`)
  const networks = await db.rows(sql`
    delete from network_paces where network_key in (
      select network_key from network_paces where counted_at < clock_now() - interval '1 day'
      order by counted_at limit ${limit}
      for update skip locked)
    returning network_key`)
  return paces.length + networks.length
}
