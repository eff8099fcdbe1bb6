-- contract: an older version writes none but the kinds of approvals that it knows, and the list only grows
-- Tables of server/members. A new approver, admin or owner waits for others as money does. The hash is of a token that was mailed to the
-- requester, who confirms alone because no one else could decide.
alter table approval_requests
  add column member_id uuid,
  add column new_role text,
  add column token_hash bytea;
alter table approval_requests drop constraint approval_requests_kind_known;
alter table approval_requests drop constraint approval_requests_amount_of_money;
alter table approval_requests add constraint approval_requests_kind_known
  check (kind in ('payout', 'refund', 'payout_batch', 'rule_change', 'member_role')) not valid;
alter table approval_requests add constraint approval_requests_amount_of_money
  check ((kind in ('rule_change', 'member_role')) = (amount is null)) not valid;
alter table approval_requests add constraint approval_requests_role_complete
  check ((kind = 'member_role') = (member_id is not null) and (member_id is null) = (new_role is null)) not valid;
alter table approval_requests add constraint approval_requests_new_role_known
  check (new_role in ('owner', 'admin', 'approver', 'accountant', 'cashier', 'developer')) not valid;
