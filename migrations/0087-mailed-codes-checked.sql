-- outside a transaction
alter table mailed_tokens validate constraint mailed_tokens_tries_counted;
