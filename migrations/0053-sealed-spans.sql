-- Stretches of time of which what was written is digested soon afterwards, so that a row that is changed or removed later on the same day is
-- found, though no promise about its columns is broken. A day of the ledger has its own digest once it is over (closed_days).
create table sealed_spans (
  -- The table that is digested, by the created_at of its rows, over the columns that never change.
  what text not null,
  from_at timestamptz(3) not null,
  to_at timestamptz(3) not null,
  row_count bigint not null,
  digest bytea not null,
  sealed_at timestamptz(3) not null,
  primary key (what, from_at),
  constraint sealed_spans_what_known check (what in ('ledger_transfers', 'payments', 'events', 'payouts')),
  constraint sealed_spans_goes_forward check (from_at < to_at),
  constraint sealed_spans_digest_length check (octet_length(digest) = 32)
);
-- Old ones are pruned.
revoke update, truncate on sealed_spans from malipo_service;
