-- What is left to people is counted while it is new, without reading what has settled.
create index provider_inbox_left on provider_inbox (received_at) where state = 'orphan';
