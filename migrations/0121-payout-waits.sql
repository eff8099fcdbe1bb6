-- When somebody may have taken over an account, payouts wait: after a mailed code set the password, from a device that is new, and to a
-- recipient who was never paid.
set local lock_timeout = '2s';

alter table users add column password_reset_at timestamptz;

-- Since when the device of a session is known; null for sessions from before this was kept, whose own beginning counts.
alter table sessions add column device_since timestamptz;

-- Until when a payout is not sent; null: it never waited.
alter table payouts add column waits_until timestamptz;
