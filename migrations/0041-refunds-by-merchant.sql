-- outside a transaction
-- The refunds of all payments of a merchant are listed without a walk through all its payouts.
drop index concurrently if exists payouts_refunds_by_merchant;
create index concurrently payouts_refunds_by_merchant on payouts (home, merchant_id, environment, created_at desc, id desc) where purpose = 'refund';
