-- Table of server/merchants/brands.

-- The logo and the colour of a merchant. Without a row, payers see the first letter of its name and the service's own colours.
create table merchant_brands (
  merchant_id uuid not null primary key references merchants (id),
  -- As the merchant chose it; shown with enough contrast.
  color text,
  -- A small picture that the service made from the pixels of the merchant's file. The file itself is not kept.
  logo bytea,
  logo_type text,
  logo_width smallint,
  logo_height smallint,
  logo_sha256 bytea,
  -- The last logo that operators removed, and the reason, which the merchant reads. The same picture cannot come back.
  removed_sha256 bytea,
  removed_reason text,
  removed_at timestamptz(3),
  -- A user.
  changed_by text not null,
  updated_at timestamptz(3) not null default clock_now(),
  constraint merchant_brands_color_is_one check (color ~ '^#[0-9a-f]{6}$'),
  constraint merchant_brands_logo_is_whole check (num_nonnulls(logo, logo_type, logo_width, logo_height, logo_sha256) in (0, 5)),
  constraint merchant_brands_logo_is_small check (octet_length(logo) <= 12288 and logo_width between 1 and 256 and logo_height between 1 and 160),
  constraint merchant_brands_logo_type check (logo_type in ('image/jpeg', 'image/png')),
  constraint merchant_brands_removal_is_whole check (num_nonnulls(removed_sha256, removed_reason, removed_at) in (0, 3))
);

-- The public address of a logo names its hash.
create index merchant_brands_logo on merchant_brands (logo_sha256) where logo is not null;
