-- When a person was last mailed that somebody tried to register with their address or phone number: at most once a day.
set local lock_timeout = '2s';

alter table users add column registration_mailed_at timestamptz;
