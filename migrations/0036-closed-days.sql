-- What lets the books be checked without reading all that ever was. A day of the ledger that is over: how many transfers it has, and a
-- digest of all that they say; the audit log has the same. And up to which line the chain of each account was found right.
create table closed_days (
  day date primary key,
  transfers bigint not null,
  digest bytea not null,
  closed_at timestamptz(3) not null,
  rechecked_at timestamptz(3) not null,
  constraint closed_days_digest_length check (octet_length(digest) = 32)
);
revoke update, delete, truncate on closed_days from malipo_service;
grant update (rechecked_at) on closed_days to malipo_service;

create table checked_accounts (
  home smallint not null,
  account_id uuid not null,
  seq bigint not null,
  balance bigint not null,
  primary key (home, account_id)
);

-- A day as East Africa has it. What a digest covers, unambiguously: the JSON text of each transfer, in the order of their ids.
create function ledger_day_digest(of_day date, out transfers bigint, out digest bytea) language sql stable as $$
  with lines as (
    select home, id, sha256(convert_to(jsonb_build_array(
      home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount, debit_seq, credit_seq, debit_balance_after,
      credit_balance_after, payment_id, page_id, payout_id, actor, request_id, (extract(epoch from created_at) * 1000)::bigint)::text, 'utf8')) as line
    from ledger_transfers
    where created_at >= (of_day::timestamp - interval '3 hours') at time zone 'UTC'
      and created_at < (of_day::timestamp + interval '21 hours') at time zone 'UTC'
  ),
  homes as (
    select home, count(*) as transfers, sha256(string_agg(line, ''::bytea order by id)) as digest from lines group by home
  )
  select coalesce(sum(homes.transfers), 0)::bigint, sha256(coalesce(string_agg(homes.digest, ''::bytea order by homes.home), ''::bytea))
  from homes
$$;

-- Rows come in the order of time, so that a summary of each stretch of the table finds what is recent, at next to no cost.
create index ledger_transfers_by_time on ledger_transfers using brin (created_at);
create index events_by_time on events using brin (created_at);
create index payments_by_time on payments using brin (created_at, updated_at);
create index webhook_deliveries_by_time on webhook_deliveries using brin (created_at);
-- Few: what was put aside.
create index ledger_transfers_put_aside on ledger_transfers (home, environment)
  where kind in ('suspense', 'suspense_release', 'suspense_return');

-- When all books were last read, and not only what had changed.
alter table book_checks add column whole_at timestamptz(3);
