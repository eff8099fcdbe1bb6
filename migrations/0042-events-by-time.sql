-- outside a transaction
-- Events of a time, for what is swept up after settling. They are stored in the order of their time, so a summary of each stretch of the
-- table finds them, and costs next to nothing when one is stored.
drop index concurrently if exists events_by_time;
create index concurrently events_by_time on events using brin (created_at) with (pages_per_range = 16, autosummarize = on);
