-- What is unique among money is unique in its home: a break that is about nobody's record has one too, the first.
create unique index breaks_one_open_per_record_in_home on breaks (home, provider, environment, provider_reference, kind)
  where resolved_at is null and payment_id is null and payout_id is null;
drop index breaks_one_open_per_record;
alter index breaks_one_open_per_record_in_home rename to breaks_one_open_per_record;
