-- contract: a check is made again that accepts more rows; every row that an older version writes passes it.
-- Who represents a business gives the student number when the business is registered, or with the personal verification. Null in rows from
-- before, so that their seals stay true.
alter table users add column is_representative boolean;
update sealed_tables set covers = covers || array['is_representative'] where name = 'users';
alter table users drop constraint users_students_complete;
alter table users add constraint users_students_complete check (role = 'admin' or (phone_number is not null
  and (was_invited or coalesce(is_representative, false) or (student_id is not null and institution is not null)))) not valid;
