-- What explains how a payment ended, beside the payment itself: each end, who brought it and in which request, in the order in which they
-- came. And what a provider's message said was paid, so that one of them without effect is found in the database.
set local lock_timeout = '2s';
alter table provider_charges add column ended_by text[];
-- TZS; null for what is no success of a charge, or does not say how much, and for what was stored before this version.
alter table provider_inbox add column paid_amount bigint;
