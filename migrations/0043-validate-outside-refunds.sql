-- outside a transaction
alter table payouts validate constraint payouts_method_known;
alter table payouts validate constraint payouts_outside_costs_nothing;
