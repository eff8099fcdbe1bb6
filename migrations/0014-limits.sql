-- What the limits of all processes count together. The columns are those of the package that counts (server/platform/limits.ts); a key
-- is a HMAC, so that no address, phone or e-mail stands here. `expire` is in milliseconds since the epoch.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
alter table rate_limits set (fillfactor = 70); -- a counter is updated in place while its window lasts
create index rate_limits_by_expiry on rate_limits (expire);
