-- Whose turn it is to be gone through for rows whose time is over, and how far that has come: one process at a time works on a rule, and
-- whoever comes next goes on from there.
create table retention_turns (
  rule text primary key,
  next_at timestamptz(3) not null default clock_now(),
  -- Until then a process has it in its hands; the moment also tells one turn from the next.
  lease_until timestamptz(3),
  -- For rules that look at each row once: the last one that they have looked at.
  position text,
  ended_at timestamptz(3),
  removed bigint not null default 0,
  constraint retention_turns_removed_not_negative check (removed >= 0)
);

-- What is over is found by its end, and by nothing else.
create index sessions_by_end on sessions (expires_at);
create index sign_in_challenges_by_end on sign_in_challenges (expires_at);
create index mailed_tokens_by_end on mailed_tokens (expires_at);
create index mails_finished on mails (finished_at) where finished_at is not null;
create index provider_inbox_done on provider_inbox (state, received_at) where state <> 'received';
create index document_views_by_session on document_views (session_id);

-- Files that nobody submitted and addresses that were given out go when their time is over; what was submitted is pinned by its package,
-- and each look at it stands in the audit log.
grant delete on documents, document_views to malipo_service;
