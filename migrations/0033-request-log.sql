-- The last calls that API keys made, for whoever owns them: a ring of places for each merchant, so that it never grows.
create table api_request_places (
  merchant_id uuid primary key references merchants (id),
  used bigint not null default 0
);
create table api_requests (
  merchant_id uuid not null references merchants (id),
  place integer not null,
  id uuid not null,
  environment text not null,
  app_id uuid not null,
  key_id uuid not null,
  method text not null,
  route text not null,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  request_id text not null,
  requested_at timestamptz(3) not null,
  primary key (merchant_id, place),
  constraint api_requests_environment_known check (environment in ('test', 'live'))
) with (fillfactor = 70); -- its places are written over again and again
create index api_requests_by_time on api_requests (merchant_id, environment, requested_at desc, id desc);
create index api_requests_old on api_requests (requested_at);
