-- What a reviewer found wrong, by document and field, beside the reason as one text; and the name of an uploaded file, for its owner.
-- The previous version writes neither.
alter table verifications add column problems jsonb,
  add constraint verifications_problems_are_a_list check (jsonb_typeof(problems) = 'array') not valid;
alter table documents add column file_name text;
