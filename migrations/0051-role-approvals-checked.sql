-- outside a transaction
-- Tables of server/members: the constraints of 0050, checked without blocking anyone, and the way from a member to their approval.
alter table approval_requests validate constraint approval_requests_kind_known;
alter table approval_requests validate constraint approval_requests_amount_of_money;
alter table approval_requests validate constraint approval_requests_role_complete;
alter table approval_requests validate constraint approval_requests_new_role_known;
drop index concurrently if exists approval_requests_by_member;
create index concurrently approval_requests_by_member on approval_requests (home, member_id, created_at) where member_id is not null;
