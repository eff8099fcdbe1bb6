-- outside a transaction
-- contract: a version that searches with lower() still runs, and reads the table in place of the index
drop index concurrently if exists users_by_folded_name;
create index concurrently users_by_folded_name on users (fold_text(full_name) text_pattern_ops);
drop index concurrently if exists businesses_by_folded_name;
create index concurrently businesses_by_folded_name on businesses (fold_text(legal_name) text_pattern_ops);
drop index concurrently if exists merchants_by_folded_name;
create index concurrently merchants_by_folded_name on merchants (fold_text(display_name) text_pattern_ops);
drop index concurrently if exists users_by_name_beginning;
drop index concurrently if exists businesses_by_legal_name_beginning;
drop index concurrently if exists merchants_by_name_beginning;
