-- The payment requests that went to real phones, for as long as they are counted (a day). Homeless: a phone is counted over all pages.
-- It stands here as a HMAC, and a request by the payer's own key, so that sending it again counts nothing.
create table prompts (
  home smallint not null,
  page_id uuid not null,
  idempotency_hash bytea not null,
  phone_key bytea not null,
  prompted_at timestamptz(3) not null default clock_now(),
  primary key (home, page_id, idempotency_hash)
);
create index prompts_by_phone on prompts (phone_key, prompted_at);
create index prompts_by_time on prompts (prompted_at);
