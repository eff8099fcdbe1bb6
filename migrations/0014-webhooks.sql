-- Tables of server/merchants/webhooks.

create table webhook_endpoints (
  id uuid primary key,
  app_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  url text not null,
  -- Sealed (platform/crypto/secrets.ts), bound to this row.
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamptz(3),
  secret_rotated_at timestamptz(3),
  enabled boolean not null default true,
  disabled_reason text,
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  deleted_at timestamptz(3),
  -- Since when it has been switched on continuously: earlier events are not delivered, and old failures do not count.
  enabled_at timestamptz(3) not null default clock_now(),
  -- The types of events that it receives; `*`: all, including later ones.
  events text[] not null default '{payment.completed}',
  -- When that choice last changed; null: never. Earlier events are not delivered by the sweep.
  events_changed_at timestamptz(3),
  constraint webhook_endpoints_receive_completed check (events && '{payment.completed,*}'),
  constraint webhook_endpoints_previous_secret_ends check ((previous_secret_sealed is null) = (previous_secret_expires_at is null)),
  constraint webhook_endpoints_app foreign key (app_id, merchant_id, environment) references apps (id, merchant_id, environment)
);
create unique index webhook_endpoints_one_per_app on webhook_endpoints (app_id) where deleted_at is null;
create index webhook_endpoints_by_owner on webhook_endpoints (merchant_id, environment) where deleted_at is null and enabled;

-- The id of the event of a transition: always the same, so that a receiver recognises an event that is made again after a restored backup.
-- It has the time of its subject's id, the home, and a hash.
create function event_id(home smallint, kind text, subject uuid) returns uuid language plpgsql immutable strict parallel safe as $$
declare
  hash constant bytea := substr(sha256(convert_to(kind || ':' || subject::text, 'utf8')), 1, 8);
begin
  return (substr(subject::text, 1, 15) || lpad(to_hex(home::integer), 3, '0')
    || encode(set_byte(hash, 0, (get_byte(hash, 0) & 63) | 128), 'hex'))::uuid;
end $$;

-- One row for each transition of a subject that merchants may be notified of.
create table events (
  home smallint not null,
  id uuid not null,
  type text not null,
  merchant_id uuid not null,
  environment text not null,
  payment_id uuid,
  payout_id uuid,
  -- 2 and more if the same subject makes the same transition again, as a payout that is completed after it was reversed.
  occurrence integer not null default 1,
  -- `data` of the event, in the bytes that every webhook sends: type json keeps bytes and order of keys. Built by the statement that makes
  -- the transition. It must not contain personal data, because an event is never changed.
  data json not null,
  created_at timestamptz(3) not null default clock_now(),
  primary key (home, id),
  constraint events_one_per_payment unique (home, payment_id, type),
  constraint events_type_known check (type in (
    'payment.completed', 'payment.failed', 'payment.voided', 'payment.expired',
    'payout.completed', 'payout.failed', 'payout.reversed', 'payout.cancelled',
    'refund.completed', 'refund.failed', 'payout_batch.completed', 'business.verified', 'business.rejected')),
  constraint events_names_its_subject check (
    (payment_id is not null) = (type like 'payment.%') and (payout_id is not null) = (type like 'payout.%' or type like 'refund.%')),
  constraint events_payment foreign key (home, payment_id) references payments (home, id),
  constraint events_payout foreign key (home, payout_id) references payouts (home, id)
);
create unique index events_one_per_payout_transition on events (home, payout_id, type, occurrence) where payout_id is not null;
-- The subject is the merchant. Its occurrence is the version of the review. The event exists in both environments.
create unique index events_one_per_decision on events (home, merchant_id, environment, type, occurrence) where type like 'business.%';
create index events_by_merchant on events (home, merchant_id, environment, created_at desc, id desc);
-- Finds recent events for the sweeps after settlement. Events are stored in the order of time, so BRIN is enough, and costs almost nothing on
-- insert.
create index events_by_time on events using brin (created_at) with (pages_per_range = 16, autosummarize = on);

-- One delivery chain per event and endpoint. The table is the queue: a row is due at next_attempt_at. A sender that claims a row sets
-- lease_until and leased_by. If the sender crashes, the row is due again at the end of the lease; an outcome after that is refused.
-- lease_until is in no index, and pages keep free space, so that a claim writes no index entry.
create table webhook_deliveries (
  home smallint not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null references webhook_endpoints (id),
  app_id uuid not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  -- Consecutive postponements of the next attempt because of a fault of this service.
  postponements integer not null default 0,
  next_attempt_at timestamptz(3),
  leased_by uuid,
  created_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  -- automatic: the chain that follows from an event; manual: one attempt that the owner of the webhook requested.
  trigger text not null default 'automatic',
  lease_until timestamptz(3),
  -- Deliveries of the test environment have a separate queue, so that test endpoints do not delay live ones.
  is_test boolean not null default false,
  primary key (home, id),
  constraint webhook_deliveries_event foreign key (home, event_id) references events (home, id),
  constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'exhausted', 'cancelled')),
  constraint webhook_deliveries_due_while_pending check ((status = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_finished_has_time check ((status = 'pending') = (finished_at is null)),
  constraint webhook_deliveries_lease_while_pending check (leased_by is null or status = 'pending'),
  constraint webhook_deliveries_five_attempts check (attempts between 0 and 5),
  constraint webhook_deliveries_trigger_known check (trigger in ('automatic', 'manual')),
  constraint webhook_deliveries_manual_once check (
    trigger = 'automatic' or attempts = case when status in ('delivered', 'exhausted') then 1 else 0 end
  )
) with (fillfactor = 70);
-- By endpoint, so that finding one endpoint's rows does not scan the backlog of another.
create index webhook_deliveries_due_by_endpoint on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'pending';
create unique index webhook_deliveries_one_chain on webhook_deliveries (home, event_id, endpoint_id) where trigger = 'automatic';
-- A manual delivery that is requested twice before it is sent is sent once.
create unique index webhook_deliveries_one_manual_waiting on webhook_deliveries (home, event_id, endpoint_id)
  where trigger = 'manual' and status = 'pending';
create index webhook_deliveries_manual_by_event on webhook_deliveries (home, event_id) where trigger = 'manual';
create index webhook_deliveries_due_live on webhook_deliveries (next_attempt_at) where status = 'pending' and not is_test;
create index webhook_deliveries_due_test on webhook_deliveries (next_attempt_at) where status = 'pending' and is_test;
create index webhook_deliveries_by_time on webhook_deliveries using brin (created_at) with (pages_per_range = 128, autosummarize = on);

create table webhook_attempts (
  home smallint not null,
  id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  endpoint_id uuid not null,
  app_id uuid not null,
  url text not null,
  attempt integer not null,
  trigger text not null,
  outcome text not null,
  response_status integer,
  response_body text,
  error_code text,
  duration_ms integer not null,
  attempted_at timestamptz(3) not null default clock_now(),
  next_attempt_at timestamptz(3),
  primary key (home, id),
  constraint webhook_attempts_delivery foreign key (home, delivery_id) references webhook_deliveries (home, id),
  constraint webhook_attempts_trigger_known check (trigger in ('automatic', 'manual', 'test')),
  constraint webhook_attempts_outcome_known check (outcome in ('succeeded', 'failed')),
  constraint webhook_attempts_failed_has_error check ((outcome = 'failed') = (error_code is not null))
);
create index webhook_attempts_by_app on webhook_attempts (home, app_id, attempted_at desc, id desc);
create index webhook_attempts_failed_by_app on webhook_attempts (home, app_id, attempted_at desc, id desc) where outcome = 'failed';
-- The frequent type needs no index: almost every row has it.
create index webhook_attempts_of_type_by_app on webhook_attempts (home, app_id, event_type, attempted_at desc, id desc)
  where event_type <> 'payment.completed';
create index webhook_attempts_by_delivery on webhook_attempts (home, delivery_id);
-- Failed chains; few rows.
create index webhook_attempts_gave_up on webhook_attempts (attempted_at)
  where outcome = 'failed' and trigger = 'automatic' and next_attempt_at is null;

revoke update, delete, truncate on events from malipo_service;
