-- outside a transaction
alter table payouts validate constraint payouts_warnings_known;
