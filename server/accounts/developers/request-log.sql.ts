/**
 * The only statements on `api_requests` and `api_request_places`. Invariant: a merchant has a limited number of places, which
 * hold the newest calls.
 */
import type { Outcome } from '../../domain/outcome.ts'
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import type { ListRange } from '../../platform/http/page.ts'

export type KeyRequest = {
  id: string
  merchantId: string
  environment: Environment
  appId: string
  keyId: string
  method: string
  route: string
  status: number
  errorCode: string | null
  durationMs: number
  requestId: string
  requestedAt: Date
}

const requestColumns = {
  merchantId: 'uuid',
  id: 'uuid',
  environment: 'text',
  appId: 'uuid',
  keyId: 'uuid',
  method: 'text',
  route: 'text',
  status: 'smallint',
  errorCode: 'text',
  durationMs: 'integer',
  requestId: 'text',
  requestedAt: 'timestamptz',
} as const

/** Stores calls; once a merchant has used its `places`, they replace its oldest calls. */
export async function insertRequests(db: Runner, requests: readonly KeyRequest[], places: number): Promise<void> {
  await db.rows(sql`
    with given as (
      select g.*, row_number() over (partition by merchant_id order by requested_at, id) as turn
      from ${recordset(requests, 'g', requestColumns)}
    ),
    taken as (
      insert into api_request_places as p (merchant_id, used)
      -- In one order, so that two processes that write at once wait for each other rather than lock each other out.
      select merchant_id, count(*) from given group by merchant_id order by merchant_id
      on conflict (merchant_id) do update set used = p.used + excluded.used
      returning merchant_id, used
    ),
    counted as (select merchant_id, count(*) as requests from given group by merchant_id)
    insert into api_requests (merchant_id, place, id, environment, app_id, key_id, method, route, status, error_code, duration_ms, request_id,
      requested_at)
    select g.merchant_id, ((t.used - c.requests + g.turn - 1) % ${places}::bigint)::integer, g.id, g.environment, g.app_id, g.key_id, g.method,
      g.route, g.status, g.error_code, g.duration_ms, g.request_id, g.requested_at
    from given g join taken t using (merchant_id) join counted c using (merchant_id)
    -- Keeps only the newest if there are more than places: no place is written twice in one statement.
    where g.turn > c.requests - ${places}::bigint
    on conflict (merchant_id, place) do update set id = excluded.id, environment = excluded.environment, app_id = excluded.app_id,
      key_id = excluded.key_id, method = excluded.method, route = excluded.route, status = excluded.status, error_code = excluded.error_code,
      duration_ms = excluded.duration_ms, request_id = excluded.request_id, requested_at = excluded.requested_at`)
}

export type ListedRequest = KeyRequest & { createdAt: Date; keyName: string; last4: string }

/** The calls of the last seven days, newest first, one more than the limit. */
export async function listRequests(
  db: Runner,
  wanted: { merchantId: string; environment: Environment; appId?: string; keyId?: string; outcome?: Outcome },
  range: ListRange,
): Promise<ListedRequest[]> {
  const { merchantId, environment, appId = null, keyId = null, outcome } = wanted
  const { after, createdFrom = null, createdTo = null, limit } = range
  return db.rows<ListedRequest>(sql`
    select r.id, r.merchant_id, r.environment, r.app_id, r.key_id, r.method, r.route, r.status, r.error_code, r.duration_ms, r.request_id,
      r.requested_at, r.requested_at as created_at, k.key_name, k.last4
    from api_requests r join api_keys k on k.id = r.key_id
    where r.merchant_id = ${merchantId} and r.environment = ${environment} and r.requested_at > clock_now() - interval '7 days'
      and (${appId}::uuid is null or r.app_id = ${appId}::uuid)
      and (${keyId}::uuid is null or r.key_id = ${keyId}::uuid)
      ${outcome === undefined ? sql`` : outcome === 'failed' ? sql`and r.status >= 400` : sql`and r.status < 400`}
      and (${createdFrom}::timestamptz is null or r.requested_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or r.requested_at < ${createdTo}::timestamptz)
      ${after ? sql`and (r.requested_at, r.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by r.requested_at desc, r.id desc
    limit ${limit + 1}`)
}

/** Removes calls older than seven days, at most `limit`; returns how many. */
export async function deleteOldRequests(db: Runner, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from api_requests
    where (merchant_id, place) in (
      select merchant_id, place from api_requests where requested_at < clock_now() - interval '7 days' order by requested_at limit ${limit})
    returning place`)
}
