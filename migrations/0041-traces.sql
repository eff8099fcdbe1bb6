-- Which trace a payment or payout began in (W3C Trace Context): what is done about it later belongs to the same.
set local lock_timeout = '2s';
alter table payments add column trace_id uuid;
alter table payouts add column trace_id uuid;
