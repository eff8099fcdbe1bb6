-- Disconnecting a second factor makes payouts wait as connecting one does, so when it happened is kept.
set local lock_timeout = '2s';

-- When the last factor was disconnected; null: never, since this is kept.
alter table second_factors add column removed_at timestamptz;
