-- What operators list of all payouts is found by time, and what waits for them by itself: neither reads the history.
create index payouts_by_time on payouts (created_at desc, id desc);
create index payouts_to_approve on payouts (created_at desc, id desc) where approval = 'required';
