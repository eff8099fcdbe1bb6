-- With DOCUMENT_STORE=disk the folder of the documents has an id, and this row has the same one: a machine with another folder is refused.
-- It would remove nothing of what the first machine stores, and report success.
create table document_folder (
  is_only boolean primary key default true,
  id uuid not null,
  constraint document_folder_one_row check (is_only)
);
revoke insert, update, delete, truncate on document_folder from malipo_service;
grant insert (id) on document_folder to malipo_service;
