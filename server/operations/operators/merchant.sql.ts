/** The data of one merchant for operators, over the tables of other slices: read only. Every count has an upper limit, for any history. */
import type { BreakKind } from '../../domain/break.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { joinMember } from '../../accounts/members/access.sql.ts'
import { sql, type Runner } from '../../platform/db/db.ts'

/** The live sessions of a person, and whether they may sign in at all. */
export type AccountState = { isDisabled: boolean; sessions: number; lastUsedAt: Date | null }

export async function readAccountState(db: Runner, userId: string): Promise<AccountState> {
  return db.one<AccountState>(sql`
    select u.disabled_at is not null as is_disabled, count(s.id) as sessions, max(s.last_used_at) as last_used_at
    from users u
    left join sessions s on s.user_id = u.id and s.revoked_at is null and s.idle_expires_at > clock_now() and s.expires_at > clock_now()
    where u.id = ${userId}
    group by u.id`)
}

export type PageCounts = { pages: number; active: number; suspended: number }

/** Counts the newest pages of an owner, at most `among` of them. */
export async function countPages(db: Runner, { merchant, environment }: Owner, among: number): Promise<PageCounts> {
  return db.one<PageCounts>(sql`
    select count(*) as pages, count(*) filter (where active and suspended_at is null) as active,
      count(*) filter (where suspended_at is not null) as suspended
    from (
      select active, suspended_at from payment_pages
      where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment} and not is_hidden
      order by created_at desc, id desc limit ${among}
    ) newest`)
}

export type MaskedKey = {
  id: string
  appId: string
  appName: string
  environment: Environment
  keyName: string
  scopes: string[]
  last4: string
  expiresAt: Date | null
  lastUsedAt: Date | null
  createdAt: Date
}

/** The working keys, the last used first. */
export async function listWorkingKeys(db: Runner, merchantId: string, limit: number): Promise<MaskedKey[]> {
  return db.rows<MaskedKey>(sql`
    select k.id, k.app_id, a.name as app_name, k.environment, k.key_name, k.scopes, k.last4, k.expires_at, k.last_used_at, k.created_at
    from apps a join api_keys k on k.app_id = a.id
    where a.merchant_id = ${merchantId} and a.deleted_at is null and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > clock_now())
    order by k.last_used_at desc nulls last, k.created_at desc
    limit ${limit}`)
}

export type WebhookHealth = {
  id: string
  appId: string
  appName: string
  environment: Environment
  url: string
  enabled: boolean
  disabledReason: string | null
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  succeeded: number
  failed: number
  waiting: number
  oldestDueAt: Date | null
}

/** The webhooks of a merchant, with the outcomes of the newest attempts of a day and the waiting deliveries, each counted up to `among`. */
export async function listWebhookHealth(
  db: Runner,
  merchant: { id: string; home: number },
  among: number,
): Promise<WebhookHealth[]> {
  return db.rows<WebhookHealth>(sql`
    select w.id, w.app_id, a.name as app_name, w.environment, w.url, w.enabled, w.disabled_reason, w.last_success_at, w.last_failure_at,
      t.succeeded, t.failed, q.waiting, q.oldest_due_at
    from webhook_endpoints w
    join apps a on a.id = w.app_id and a.merchant_id = w.merchant_id
    cross join lateral (
      select count(*) filter (where newest.outcome = 'succeeded') as succeeded, count(*) filter (where newest.outcome = 'failed') as failed
      from (
        select outcome from webhook_attempts
        where home = ${merchant.home} and app_id = w.app_id and attempted_at > clock_now() - interval '1 day'
        order by attempted_at desc, id desc limit ${among}
      ) newest
    ) t
    cross join lateral (
      select count(*) as waiting, min(due.next_attempt_at) as oldest_due_at
      from (
        select next_attempt_at from webhook_deliveries
        where endpoint_id = w.id and status = 'pending' order by next_attempt_at limit ${among}
      ) due
    ) q
    where w.merchant_id = ${merchant.id} and w.deleted_at is null and a.deleted_at is null
    order by w.created_at desc
    limit 50`)
}

export type OpenBreak = {
  id: string
  kind: BreakKind
  environment: Environment
  openedAt: Date
  paymentId: string | null
  payoutId: string | null
}

/** The open breaks about a merchant's payments and payouts, oldest first. */
export async function listOpenBreaksOf(db: Runner, merchantId: string, limit: number): Promise<OpenBreak[]> {
  return db.rows<OpenBreak>(sql`
    select b.id, b.kind, b.environment, b.opened_at, b.payment_id, b.payout_id
    from breaks b
    left join payments p on p.home = b.home and p.id = b.payment_id
    left join payouts o on o.home = b.home and o.id = b.payout_id
    where b.resolved_at is null and coalesce(p.merchant_id, o.merchant_id) = ${merchantId}
    order by b.id
    limit ${limit}`)
}

/** The businesses that a person is a member of, newest first. */
export async function listBusinessesOf(
  db: Runner,
  userId: string,
  limit: number,
): Promise<{ id: string; displayName: string; status: string }[]> {
  return db.rows(sql`
    select m.id, m.display_name, m.verification_status as status from merchants m ${joinMember(userId, sql`m.id`)}
    where m.kind = 'business' order by m.created_at desc limit ${limit}`)
}
