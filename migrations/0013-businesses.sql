-- Businesses: merchants that are not a person, each represented by one. What stands here was claimed; whether it was proven is the
-- status of the merchant.
create table businesses (
  id uuid primary key references merchants (id),
  legal_name text not null,
  trading_name text,
  business_type text not null,
  registration_number text not null,
  tax_identification_number text,
  country text not null,
  address text not null,
  city text not null,
  region text not null,
  website text,
  phone text not null,
  email text not null,
  representative_role text not null,
  -- As it was at registration: kept for audit.
  representative_student_id text,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  constraint businesses_type_known check (business_type in ('sole_proprietor', 'company', 'partnership', 'ngo', 'other')),
  constraint businesses_country_is_tanzania check (country = 'TZ'),
  constraint businesses_registered_unless_sole_proprietor check (registration_number <> '' or business_type = 'sole_proprietor'),
  constraint businesses_website_is_https check (website like 'https://%')
);
create index businesses_by_time on businesses (created_at desc, id desc);
create index businesses_by_registration_number on businesses (registration_number) where registration_number <> '';
create index businesses_by_tax_number on businesses (tax_identification_number) where tax_identification_number is not null;
create index businesses_by_phone on businesses (phone);
