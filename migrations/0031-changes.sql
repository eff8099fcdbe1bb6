-- Hints for open dashboards: each statement that changes what a screen shows raises one NOTICE with the names of what has changed. The
-- service collects them and sends them on after the commit (server/platform/db/changes.ts). A trigger cannot use NOTIFY itself: it would
-- make every commit wait for the one before. A name is "subject|merchant or person|environment"; the parts may be empty.

create function tell_changes(names text) returns void language plpgsql as $$
begin
  if names is not null then raise notice using message = 'changed', detail = names, errcode = 'MLPCH'; end if;
end $$;

create function tell_wallets() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', tg_argv[0], merchant_id, environment), ',') from changed));
  return null;
end $$;

create function tell_merchants() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', tg_argv[0], merchant_id, ''), ',') from changed where merchant_id is not null));
  return null;
end $$;

create function tell_accounts() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', tg_argv[0], id, ''), ',') from changed));
  return null;
end $$;

create function tell_balances() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'balance', holder, environment), ',') from changed where kind in ('wallet', 'payouts_reserved', 'receivable')));
  return null;
end $$;

create function tell_deliveries() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'deliveries', a.merchant_id, a.environment), ',') from changed c join apps a on a.id = c.app_id));
  return null;
end $$;

create function tell_requests() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'pages', p.merchant_id, p.environment), ',') from changed c join payment_pages p on p.home = c.home and p.id = c.id));
  return null;
end $$;

create function tell_votes() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'approvals', r.merchant_id, r.environment), ',') from changed c join approval_requests r on r.home = c.home and r.id = c.request_id));
  return null;
end $$;

create function tell_members() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct name, ',') from changed,
    lateral (values (concat_ws('|', 'members', merchant_id, '')), ('memberships|' || user_id || '|')) as t (name)));
  return null;
end $$;

create function tell_operators() returns trigger language plpgsql as $$
begin
  perform tell_changes((select string_agg(distinct tg_argv[0] || '||', ',') from changed));
  return null;
end $$;

create function tell_person() returns trigger language plpgsql as $$
begin
  perform tell_changes('person|' || new.id || '|');
  return null;
end $$;

create function tell_sessions() returns trigger language plpgsql as $$
begin
  perform tell_changes('sessions|' || new.user_id || '|');
  return null;
end $$;

-- A look at the payment of a case, and a lease, change nothing that a screen shows.
create function tell_cases() returns trigger language plpgsql as $$
begin
  perform tell_changes(concat_ws('|', 'cases', new.merchant_id, new.environment));
  return null;
end $$;

create trigger payments_tell_insert after insert on payments referencing new table as changed for each statement execute function tell_wallets('payments');
create trigger payments_tell_update after update on payments referencing new table as changed for each statement execute function tell_wallets('payments');
create trigger payouts_tell_insert after insert on payouts referencing new table as changed for each statement execute function tell_wallets('payouts');
create trigger payouts_tell_update after update on payouts referencing new table as changed for each statement execute function tell_wallets('payouts');
create trigger payment_pages_tell_insert after insert on payment_pages referencing new table as changed for each statement execute function tell_wallets('pages');
create trigger payment_pages_tell_update after update on payment_pages referencing new table as changed for each statement execute function tell_wallets('pages');
create trigger approval_requests_tell_insert after insert on approval_requests referencing new table as changed for each statement execute function tell_wallets('approvals');
create trigger approval_requests_tell_update after update on approval_requests referencing new table as changed for each statement execute function tell_wallets('approvals');
create trigger approval_rules_tell_insert after insert on approval_rules referencing new table as changed for each statement execute function tell_wallets('approvals');
create trigger approval_rules_tell_update after update on approval_rules referencing new table as changed for each statement execute function tell_wallets('approvals');
create trigger payout_batches_tell_insert after insert on payout_batches referencing new table as changed for each statement execute function tell_wallets('batches');
create trigger payout_batches_tell_update after update on payout_batches referencing new table as changed for each statement execute function tell_wallets('batches');
create trigger payout_batches_tell_delete after delete on payout_batches referencing old table as changed for each statement execute function tell_wallets('batches');
create trigger payout_freezes_tell_insert after insert on payout_freezes referencing new table as changed for each statement execute function tell_wallets('account');
create trigger payout_freezes_tell_update after update on payout_freezes referencing new table as changed for each statement execute function tell_wallets('account');
create trigger payout_freezes_tell_delete after delete on payout_freezes referencing old table as changed for each statement execute function tell_wallets('account');
create trigger webhook_endpoints_tell_insert after insert on webhook_endpoints referencing new table as changed for each statement execute function tell_wallets('webhooks');
create trigger webhook_endpoints_tell_update after update on webhook_endpoints referencing new table as changed for each statement execute function tell_wallets('webhooks');
create trigger api_requests_tell_insert after insert on api_requests referencing new table as changed for each statement execute function tell_wallets('api_requests');
create trigger api_requests_tell_update after update on api_requests referencing new table as changed for each statement execute function tell_wallets('api_requests');
create trigger businesses_tell_insert after insert on businesses referencing new table as changed for each statement execute function tell_accounts('account');
create trigger businesses_tell_update after update on businesses referencing new table as changed for each statement execute function tell_accounts('account');
create trigger verifications_tell_insert after insert on verifications referencing new table as changed for each statement execute function tell_merchants('account');
create trigger verifications_tell_update after update on verifications referencing new table as changed for each statement execute function tell_merchants('account');
create trigger documents_tell_insert after insert on documents referencing new table as changed for each statement execute function tell_merchants('account');
create trigger documents_tell_update after update on documents referencing new table as changed for each statement execute function tell_merchants('account');
create trigger audit_log_tell_insert after insert on audit_log referencing new table as changed for each statement execute function tell_merchants('activity');
create trigger ledger_accounts_tell_update after update on ledger_accounts referencing new table as changed for each statement execute function tell_balances();
create trigger webhook_deliveries_tell_insert after insert on webhook_deliveries referencing new table as changed for each statement execute function tell_deliveries();
create trigger webhook_deliveries_tell_update after update on webhook_deliveries referencing new table as changed for each statement execute function tell_deliveries();
create trigger payment_requests_tell_insert after insert on payment_requests referencing new table as changed for each statement execute function tell_requests();
create trigger payment_requests_tell_update after update on payment_requests referencing new table as changed for each statement execute function tell_requests();
create trigger approval_votes_tell_insert after insert on approval_votes referencing new table as changed for each statement execute function tell_votes();
create trigger members_tell_insert after insert on members referencing new table as changed for each statement execute function tell_members();
create trigger members_tell_update after update on members referencing new table as changed for each statement execute function tell_members();
create trigger members_tell_delete after delete on members referencing old table as changed for each statement execute function tell_members();
create trigger merchants_tell_insert after insert on merchants referencing new table as changed for each statement execute function tell_accounts('account');
create trigger merchants_tell_update after update on merchants referencing new table as changed for each statement execute function tell_accounts('account');
create trigger breaks_tell_insert after insert on breaks referencing new table as changed for each statement execute function tell_operators('breaks');
create trigger breaks_tell_update after update on breaks referencing new table as changed for each statement execute function tell_operators('breaks');
create trigger switches_tell_insert after insert on switches referencing new table as changed for each statement execute function tell_operators('switches');
create trigger switches_tell_update after update on switches referencing new table as changed for each statement execute function tell_operators('switches');
create trigger network_states_tell_insert after insert on network_states referencing new table as changed for each statement execute function tell_operators('networks');
create trigger network_states_tell_update after update on network_states referencing new table as changed for each statement execute function tell_operators('networks');
create trigger reconciliation_runs_tell_insert after insert on reconciliation_runs referencing new table as changed for each statement execute function tell_operators('reconciliation');
create trigger reconciliation_runs_tell_update after update on reconciliation_runs referencing new table as changed for each statement execute function tell_operators('reconciliation');
create trigger review_claims_tell_insert after insert on review_claims referencing new table as changed for each statement execute function tell_operators('reviews');
create trigger review_claims_tell_update after update on review_claims referencing new table as changed for each statement execute function tell_operators('reviews');
create trigger review_claims_tell_delete after delete on review_claims referencing old table as changed for each statement execute function tell_operators('reviews');
-- Most changes of a session only note its use.
create trigger sessions_tell_insert after insert on sessions for each row execute function tell_sessions();
create trigger sessions_tell_update after update on sessions for each row
  when (new.revoked_at is distinct from old.revoked_at or new.amr is distinct from old.amr) execute function tell_sessions();
create trigger users_tell_update after update on users for each row execute function tell_person();
create trigger support_cases_tell_insert after insert on support_cases for each row execute function tell_cases();
create trigger support_cases_tell_update after update on support_cases for each row
  when (new.state is distinct from old.state or new.updated_at is distinct from old.updated_at or new.sms_number is distinct from old.sms_number)
  execute function tell_cases();
