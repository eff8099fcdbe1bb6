-- Table of server/support-cases.

-- When the payment of a case is next looked at, for a credit after the last answer. Null: not looked at yet, so at once.
alter table support_cases add column next_look_at timestamptz(3);
