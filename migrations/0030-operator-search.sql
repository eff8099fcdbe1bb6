-- What operators look merchants and money up by: whole, or by how it begins. Payments by phone have their index already.
create index payouts_by_phone on payouts (phone_number, created_at desc, id desc);
create index users_by_email_beginning on users (email text_pattern_ops);
create index users_by_name_beginning on users (lower(full_name) text_pattern_ops);
create index businesses_by_email_beginning on businesses (lower(email) text_pattern_ops);
create index businesses_by_legal_name_beginning on businesses (lower(legal_name) text_pattern_ops);
create index merchants_by_name_beginning on merchants (lower(display_name) text_pattern_ops);
