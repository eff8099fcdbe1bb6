-- Scopes of a live key that wait until a person who has these rights grants them.
alter table api_keys
  add column waiting_scopes text[] not null default '{}',
  add constraint api_keys_waiting_scopes_are_its_own check (waiting_scopes <@ scopes) not valid;
