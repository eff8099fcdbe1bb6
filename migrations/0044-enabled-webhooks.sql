-- contract: a list of words grows, so its constraint is made again; no version loses a word.
-- A webhook that was disabled is enabled again, and its event says since when nothing was sent to it (server/merchants/webhooks/save-endpoint.ts).
alter table webhook_endpoints add column disabled_at timestamptz(3);
alter table events drop constraint events_type_known;
alter table events add constraint events_type_known check (type in ('payment.completed', 'payment.failed', 'payment.voided', 'payment.expired',
  'payout.completed', 'payout.failed', 'payout.reversed', 'payout.cancelled', 'refund.completed', 'refund.failed', 'payout_batch.completed',
  'business.verified', 'business.rejected', 'webhook.enabled')) not valid;
