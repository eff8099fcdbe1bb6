-- What lists of payments are asked for by, where it never changes: an index on a state would cost every settlement a new version of all
-- index entries of the row. States, networks and amounts are looked for along these, and along payments_by_merchant.
create index payments_by_page on payments (home, page_id, created_at desc, id desc);
create index payments_by_phone on payments (phone_number, created_at desc, id desc);
