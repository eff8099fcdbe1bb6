/** The only statements on `webhook_endpoints`, except those of sending. An app has at most one webhook that is not deleted. */
import { alwaysSent, type DisabledReason, type EventChoice } from '../../domain/webhook.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { notifyAfterCommit, webhooksDue } from '../../platform/db/notify.sql.ts'
import type { Endpoint } from './endpoint.ts'
import { eventData, recordEvents } from './event.sql.ts'

const columns = sql`id, app_id, url, secret_sealed, events, enabled, disabled_reason, disabled_at, secret_rotated_at, last_success_at,
  last_failure_at, created_at, updated_at`

export type Secrets = Pick<Endpoint, 'id' | 'secretSealed' | 'secretRotatedAt'> & {
  previousSecretSealed: string | null
  /** When the previous secret stops (or stopped) signing. */
  previousSecretExpiresAt: Date | null
}

export type NewEndpoint = {
  id: string
  appId: string
  merchantId: string
  environment: string
  url: string
  secretSealed: string
  /** Undefined: the choice stays; a new webhook has the default. */
  events: EventChoice[] | undefined
}

/**
 * Creates the webhook of an app, or changes its address and its choice of events. A change also enables it again. The secret of an existing webhook
 * stays.
 */
export async function upsertEndpoint(db: Runner, endpoint: NewEndpoint): Promise<Endpoint & { isNew: boolean }> {
  const { events = null } = endpoint
  return db.one<Endpoint & { isNew: boolean }>(sql`
    insert into webhook_endpoints (id, app_id, merchant_id, environment, url, secret_sealed, events)
    values (${endpoint.id}, ${endpoint.appId}, ${endpoint.merchantId}, ${endpoint.environment}, ${endpoint.url}, ${endpoint.secretSealed},
      coalesce(${events}::text[], ${[alwaysSent]}::text[]))
    on conflict (app_id) where deleted_at is null
    do update set url = excluded.url, enabled = true, disabled_reason = null, disabled_at = null, updated_at = clock_now(),
      enabled_at = case when webhook_endpoints.enabled then webhook_endpoints.enabled_at else clock_now() end,
      events = coalesce(${events}::text[], webhook_endpoints.events),
      events_changed_at = case when coalesce(${events}::text[], webhook_endpoints.events) = webhook_endpoints.events
        then webhook_endpoints.events_changed_at else clock_now() end
    returning ${columns}, id = ${endpoint.id} as is_new`)
}

/**
 * Records that a webhook which had been disabled is enabled again. Runs after `upsertEndpoint` in its transaction, so that the webhook itself
 * is among the receivers: the delivery of this event shows that its server works. `before`: the webhook as it was.
 */
export async function recordEnabled(tx: Tx, before: Pick<Endpoint, 'id' | 'disabledReason' | 'disabledAt'>): Promise<void> {
  const { id, disabledReason, disabledAt } = before
  const [row] = await tx.rows<{ hasDueDeliveries: boolean }>(sql`
    with ${recordEvents(sql`
      select m.home, event_id(m.home, 'webhook.enabled:' || wire_time(w.enabled_at), w.id) as id, 'webhook.enabled' as type, m.id as merchant_id,
        w.environment, null::uuid as payment_id, null::uuid as payout_id, 1 as occurrence,
        ${eventData(sql`
          select wire_id('wh', w.id) as id, wire_id('app', w.app_id) as app_id, 'enabled' as status, ${disabledReason}::text as disabled_reason,
            wire_time(${disabledAt}::timestamptz) as disabled_at, wire_time(w.enabled_at) as enabled_at, wire_time(w.updated_at) as updated_at`)} as data
      from webhook_endpoints w
      join merchants m on m.id = w.merchant_id
      where w.id = ${id}`)}
    select exists (select from enqueued_deliveries) as has_due_deliveries`)
  if (row!.hasDueDeliveries) await notifyAfterCommit(tx, [webhooksDue])
}

/** The current secrets of a webhook. A removed webhook has none to show. */
export async function findSecrets(db: Runner, endpointId: string): Promise<Secrets | undefined> {
  return db.maybeOne<Secrets>(sql`
    select id, secret_sealed, secret_rotated_at, previous_secret_sealed, previous_secret_expires_at
    from webhook_endpoints where id = ${endpointId} and deleted_at is null`)
}

export async function findEndpoint(db: Runner, appId: string): Promise<Endpoint | undefined> {
  return db.maybeOne<Endpoint>(sql`
    select ${columns} from webhook_endpoints where app_id = ${appId} and deleted_at is null`)
}

/** The enabled webhooks of an owner, of all their apps or of one. Deleted apps receive nothing. */
export async function listEnabledEndpoints(
  db: Runner,
  owner: { merchantId: string; environment: string },
  appId?: string,
): Promise<Endpoint[]> {
  return db.rows<Endpoint>(sql`
    select ${columns} from webhook_endpoints
    where merchant_id = ${owner.merchantId} and environment = ${owner.environment} and deleted_at is null and enabled
      and (${appId ?? null}::uuid is null or app_id = ${appId ?? null}::uuid)
      and exists (select from apps a where a.id = app_id and a.deleted_at is null)
    order by created_at, id`)
}

/** The number of an owner's webhooks that are enabled, that we disabled, and that are enabled but failed at the last attempt. */
export type EndpointCounts = { enabled: number; disabled: number; failing: number }

export async function countEndpoints(db: Runner, owner: { merchantId: string; environment: string }): Promise<EndpointCounts> {
  return db.one<EndpointCounts>(sql`
    select count(*) filter (where e.enabled) as enabled, count(*) filter (where not e.enabled) as disabled,
      count(*) filter (where e.enabled and e.last_failure_at > coalesce(e.last_success_at, '-infinity')) as failing
    from apps a
    join webhook_endpoints e on e.app_id = a.id and e.deleted_at is null
    where a.merchant_id = ${owner.merchantId} and a.environment = ${owner.environment} and a.deleted_at is null`)
}

export async function ownerOfEndpoint(db: Runner, appId: string): Promise<{ merchantId: string; appName: string } | undefined> {
  return db.maybeOne<{ merchantId: string; appName: string }>(sql`
    select e.merchant_id, a.name as app_name from webhook_endpoints e join apps a on a.id = e.app_id
    where e.app_id = ${appId} and e.deleted_at is null`)
}

/** Locks the webhook of an app until the transaction ends. Settlements that refer to it do not wait. */
export async function lockEndpoint(tx: Tx, appId: string): Promise<Endpoint | undefined> {
  return tx.maybeOne<Endpoint>(sql`
    select ${columns} from webhook_endpoints where app_id = ${appId} and deleted_at is null for no key update`)
}

/** The previous secret signs too until `overlapHours` from now. */
export async function replaceSecret(
  tx: Tx,
  id: string,
  sealed: { secret: string; previousSecret: string },
  overlapHours: number,
): Promise<Endpoint> {
  return tx.one<Endpoint>(sql`
    update webhook_endpoints
    set secret_sealed = ${sealed.secret}, previous_secret_sealed = ${sealed.previousSecret},
      previous_secret_expires_at = clock_now() + make_interval(hours => ${overlapHours}), secret_rotated_at = clock_now(),
      updated_at = clock_now()
    where id = ${id}
    returning ${columns}`)
}

/** Disables a webhook: nothing is enqueued for it any more, and pending deliveries are not sent. */
export async function disableEndpoint(tx: Tx, id: string, reason: DisabledReason): Promise<void> {
  await tx.rows(sql`
    update webhook_endpoints set enabled = false, disabled_reason = ${reason}, disabled_at = clock_now(), updated_at = clock_now() where id = ${id}`)
}

/** Removes the webhook of an app and cancels its pending deliveries. The attempts stay on record. */
export async function deleteEndpoint(db: Runner, appId: string): Promise<string | undefined> {
  return db.maybeValue<string>(sql`
    with removed as (
      update webhook_endpoints set deleted_at = clock_now(), updated_at = clock_now()
      where app_id = ${appId} and deleted_at is null
      returning id, merchant_id
    ),
    cancelled as (
      update webhook_deliveries d
      set status = 'cancelled', next_attempt_at = null, leased_by = null, lease_until = null, finished_at = clock_now()
      from removed r
      join merchants m on m.id = r.merchant_id
      where d.home = m.home and d.endpoint_id = r.id and d.status = 'pending'
    )
    select id from removed`)
}

/** Erases the addresses and secrets of removed webhooks of these merchants. */
export async function eraseEndpoints(db: Runner, merchantIds: string[]): Promise<void> {
  await db.rows(sql`
    update webhook_endpoints set url = 'https://erased.invalid/', secret_sealed = '', previous_secret_sealed = null,
      previous_secret_expires_at = null, enabled = false, updated_at = clock_now()
    where merchant_id = any(${merchantIds}::uuid[]) and deleted_at is not null`)
}
