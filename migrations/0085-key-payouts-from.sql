-- From when on a key may make payouts: a live key that was made without a second factor has to wait (LIVE_KEY_PAYOUT_WAIT_SECONDS).
set local lock_timeout = '2s';

alter table api_keys add column payouts_from timestamptz;
