-- contract: a list of words grows, so its constraint is made again; no version loses a word.
-- A refund may leave less of its payment than the minimum of another one (server/pay-out/payouts/request-refund.ts).
alter table payouts drop constraint payouts_warnings_known;
alter table payouts add constraint payouts_warnings_known
  check (warnings <@ array['recipient_name_differs', 'rest_below_minimum']) not valid;
