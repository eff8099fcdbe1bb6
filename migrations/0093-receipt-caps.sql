-- The page of a payment that a receipt was mailed for: receipts are counted by page. Older ones are not counted.
alter table receipts add column page_id uuid;
