-- outside a transaction
alter table users validate constraint users_students_complete;
