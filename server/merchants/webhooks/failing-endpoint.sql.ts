/** Finds the webhooks to disable, from their attempts. The rules are only in these statements. */
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import type { DisabledReason } from '../../domain/webhook.ts'

export type FailingEndpoint = { id: string; appId: string; appName: string; merchantId: string; reason: DisabledReason }

/**
 * The enabled webhooks whose last three chains ended in 410, and those with at least 20 failed attempts over at least 5 days and no success
 * since. Attempts before the webhook was last enabled do not count.
 */
function failing(wanted: Sql): Sql {
  return sql`
    select w.id, w.app_id, a.name as app_name, w.merchant_id,
      case when chains.gone = 3 then 'endpoint_gone' else 'endpoint_failing' end as reason
    from webhook_endpoints w
    join apps a on a.id = w.app_id
    join merchants m on m.id = w.merchant_id
    cross join lateral (
      select count(*) filter (where c.response_status = 410) as gone
      from (
        select t.response_status from webhook_attempts t
        where t.home = m.home and t.app_id = w.app_id and t.endpoint_id = w.id and t.attempted_at > w.enabled_at
          and t.trigger = 'automatic' and t.next_attempt_at is null
        order by t.attempted_at desc, t.id desc limit 3
      ) c
    ) chains
    cross join lateral (
      select max(t.attempted_at) as at from webhook_attempts t
      where t.home = m.home and t.app_id = w.app_id and t.endpoint_id = w.id and t.attempted_at > w.enabled_at
        and t.outcome = 'succeeded'
        -- Most webhooks had a recent success: nothing is read for them.
        and coalesce(w.last_success_at, '-infinity') < clock_now() - interval '5 days'
    ) success
    cross join lateral (
      select count(*) >= 20 and max(t.attempted_at) - min(t.attempted_at) >= interval '5 days' as is_all from webhook_attempts t
      where t.home = m.home and t.app_id = w.app_id and t.endpoint_id = w.id
        and t.attempted_at > greatest(w.enabled_at, success.at) and t.outcome = 'failed'
        and coalesce(w.last_success_at, '-infinity') < clock_now() - interval '5 days'
    ) failures
    where ${wanted} and w.enabled and w.deleted_at is null and a.deleted_at is null and (chains.gone = 3 or failures.is_all)`
}

/**
 * Only an exhausted chain can make a webhook meet the conditions, so it reads only the webhooks with an exhausted chain in the last hour.
 */
export async function findFailingEndpoints(db: Runner): Promise<FailingEndpoint[]> {
  return db.rows<FailingEndpoint>(
    failing(sql`w.id in (
      select g.endpoint_id from webhook_attempts g
      where g.outcome = 'failed' and g.trigger = 'automatic' and g.next_attempt_at is null
        and g.attempted_at > clock_now() - interval '1 hour')`),
  )
}

/** Checks that a webhook still meets the conditions. Locks it until the transaction ends. */
export async function lockFailingEndpoint(tx: Tx, id: string): Promise<FailingEndpoint | undefined> {
  // Two statements: the second one sees the changes that were made while the first one waited for the lock.
  await tx.rows(sql`select id from webhook_endpoints where id = ${id} for no key update`)
  return tx.maybeOne<FailingEndpoint>(failing(sql`w.id = ${id}`))
}
