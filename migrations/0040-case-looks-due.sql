-- outside a transaction
-- The next looks in their order, without the cases that are done.
drop index concurrently if exists support_cases_looks;
create index concurrently support_cases_looks on support_cases (coalesce(next_look_at, created_at))
  where finding is distinct from 'received' and state <> 'closed';
