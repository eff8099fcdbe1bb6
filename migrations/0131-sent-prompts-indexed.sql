-- outside a transaction
drop index concurrently if exists prompts_sent_by_phone;
create index concurrently prompts_sent_by_phone on prompts (phone_key, prompted_at) where is_sent;
drop index concurrently if exists prompts_to_count;
create index concurrently prompts_to_count on prompts (prompted_at) where network_key is not null and not is_paid;
