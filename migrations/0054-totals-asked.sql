-- A table of server/members.

-- When the owners were asked by mail for the limit of the day of a rule that is older than it; null: not yet.
alter table approval_rules add column total_asked_at timestamptz(3);
