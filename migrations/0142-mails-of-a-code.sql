-- A code for a forgotten password takes the place of the one before, as long as that one has tries left: how often it was mailed.
set local lock_timeout = '2s';

alter table mailed_tokens add column mails integer not null default 1;
