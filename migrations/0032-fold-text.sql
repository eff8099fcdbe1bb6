-- Function of server/platform/db, for the searches of all slices.

-- A name as it is searched: without case, accents, direction marks and the marks inside a word that some writers leave out. Names are stored
-- as they were typed. foldText in server/domain/typed.ts reads names in the same way.
create function fold_text(name text) returns text language sql immutable strict parallel safe as $$
  select lower(regexp_replace(normalize(name, NFKD),
    '[''’‘`´ʼʻʽʾʿ\u00ad\u0300-\u036f\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]',
    '', 'g'))
$$;
