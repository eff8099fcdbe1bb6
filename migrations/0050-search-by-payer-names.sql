-- outside a transaction
-- Operators search for payers by the beginning of a name, of payments in any state.
drop index concurrently if exists payments_by_payer_name;
create index concurrently payments_by_payer_name on payments (fold_text(customer_name) text_pattern_ops, created_at desc, id desc)
  where customer_name is not null;
