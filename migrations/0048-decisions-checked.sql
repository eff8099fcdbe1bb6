-- outside a transaction
-- Tables of server/members: the constraints of 0044, checked without blocking anyone.
alter table approval_requests
  validate constraint approval_requests_exceeded_known,
  validate constraint approval_requests_exceeded_complete,
  validate constraint approval_requests_new_total_of_rule;
alter table approval_rules validate constraint approval_rules_above_total_not_negative;
