-- Where payers came from, in the words of the merchant's own links: five names, each cut to 100 characters.
-- Not validated: the column is new, so no older row can break it, and nobody waits while all of them are read.
alter table payments
  add column utm jsonb,
  add constraint payments_utm_is_small check (jsonb_typeof(utm) = 'object' and octet_length(utm::text) <= 4000) not valid;
