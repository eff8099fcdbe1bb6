-- A delivery is either the chain that follows from an event by itself, or one attempt that the owner of the webhook asked for.
alter table webhook_deliveries
  add column trigger text not null default 'automatic',
  add constraint webhook_deliveries_trigger_known check (trigger in ('automatic', 'manual')),
  add constraint webhook_deliveries_manual_once check (
    trigger = 'automatic' or attempts = case when status in ('delivered', 'exhausted') then 1 else 0 end
  ),
  drop constraint webhook_deliveries_one_per_endpoint;
create unique index webhook_deliveries_one_chain on webhook_deliveries (home, event_id, endpoint_id) where trigger = 'automatic';
-- Asked for twice before it was sent, it is sent once.
create unique index webhook_deliveries_one_manual_waiting on webhook_deliveries (home, event_id, endpoint_id)
  where trigger = 'manual' and status = 'pending';
create index webhook_deliveries_manual_by_event on webhook_deliveries (home, event_id) where trigger = 'manual';

-- Since when it has been switched on without a break: what was missed before is not made up for, and old failures do not count.
alter table webhook_endpoints add column enabled_at timestamptz(3) not null default clock_now();
update webhook_endpoints set enabled_at = created_at;

-- The chains that were given up; few, so that those of an hour are found at once.
create index webhook_attempts_gave_up on webhook_attempts (attempted_at)
  where outcome = 'failed' and trigger = 'automatic' and next_attempt_at is null;
