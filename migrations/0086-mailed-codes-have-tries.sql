-- A mailed code has six digits: after a few wrong ones it ends.
set local lock_timeout = '2s';

alter table mailed_tokens
  add column wrong_tries integer not null default 0,
  add constraint mailed_tokens_tries_counted check (wrong_tries >= 0) not valid;
