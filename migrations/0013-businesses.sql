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

-- Whose name is on it never changes, and a business is a merchant of that kind.
create function businesses_are_business_merchants() returns trigger language plpgsql as $$
begin
  if not exists (select from merchants where id = new.id and kind = 'business') then
    raise exception 'a business belongs to a business merchant' using errcode = 'integrity_constraint_violation', constraint = 'businesses_are_business_merchants';
  end if;
  return new;
end $$;
create trigger businesses_are_business_merchants before insert on businesses for each row execute function businesses_are_business_merchants();

create function merchants_keep_their_person() returns trigger language plpgsql as $$
begin
  raise exception 'a merchant keeps its person and its kind' using errcode = 'integrity_constraint_violation', constraint = 'merchants_keep_their_person';
end $$;
create trigger merchants_keep_their_person before update on merchants for each row
  when (new.user_id is distinct from old.user_id or new.kind is distinct from old.kind)
  execute function merchants_keep_their_person();
revoke delete, truncate on businesses from malipo_service;
