-- outside a transaction
drop index concurrently if exists receipts_mailed_by_page;
create index concurrently receipts_mailed_by_page on receipts (page_id, created_at) where outcome = 'mailed';
drop index concurrently if exists mails_of_receipts;
create index concurrently mails_of_receipts on mails (lower(recipient), created_at) where kind = 'receipt';
