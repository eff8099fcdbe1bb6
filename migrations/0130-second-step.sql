-- A checkout that looks like a part of a flood is stored, and sent only after the payer has confirmed it. Its charge is `deferred`, which older
-- versions end unsent when the payment's hour is over; `confirm_by` says what it waits for. Null: it waits for nothing.
set local lock_timeout = '2s';
alter table provider_charges add column confirm_by timestamptz(3);
alter table prompts
  -- HMAC of the payer's network (/24 or /56); null where prompts are not watched.
  add column network_key bytea,
  -- Only what was sent counts for the phone.
  add column is_sent boolean not null default true,
  add column is_paid boolean not null default false;

-- How many checkouts begin and are paid, by page and by merchant (`subject`), so that a page far above its own usual pace is seen.
create table checkout_paces (
  home smallint not null,
  subject uuid not null,
  -- When a minute of checkouts began, with the first of them, and how many began in it.
  minute timestamptz(3) not null,
  started integer not null,
  -- The minute of the last payment that was seen, how many were paid in it, and the best minute of late.
  paid_minute timestamptz(3),
  paid integer not null default 0,
  best integer not null default 0,
  best_at timestamptz(3),
  -- Since when checkouts are to be confirmed for the pace, and when the last one was.
  confirming_since timestamptz(3),
  confirming_at timestamptz(3),
  primary key (home, subject)
);
alter table checkout_paces set (fillfactor = 70);
create index checkout_paces_confirming on checkout_paces (confirming_at) where confirming_at is not null;

-- New phones that a payer's network has had prompted and how many of them paid, both halved every half hour. Homeless: it is counted over all pages.
create table network_paces (
  network_key bytea primary key,
  phones double precision not null,
  paid double precision not null default 0,
  counted_at timestamptz(3) not null
);
alter table network_paces set (fillfactor = 70);
create index network_paces_by_time on network_paces (counted_at);

-- What operators have ordered for a page, a merchant or all (a subject of zeros), whatever the pace. The narrowest order counts.
create table second_step_orders (
  subject uuid primary key,
  -- As the operator named it: all, a page's slug, a merchant's id.
  name text not null,
  mode text not null,
  reason text not null,
  ordered_by text not null,
  ordered_at timestamptz(3) not null,
  constraint second_step_orders_mode_known check (mode in ('on', 'off'))
);
