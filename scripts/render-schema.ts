/** The schema that all migrations make together, as one readable file: tables sorted by name, then functions. */
import { sql, type Runner } from '../server/platform/db/db.ts'

const header = `-- The schema that all migrations make together, to read: nothing runs this file. Why things are as they are stands in migrations/.
-- Written by \`node scripts/write-schema.ts\`; a test compares it with a database. Lists after a table are what the service may do with it.
`

type Table = {
  name: string
  items: string
  options: string | null
  indexes: string | null
  triggers: string | null
  privileges: string | null
}

/** PostgreSQL's text of a definition, without parts that do not help a reader. */
const plain = (text: string): string =>
  text
    .replaceAll(/timestamp(\(3\))? with time zone/g, 'timestamptz$1')
    .replaceAll(/'::text(?!\[)/g, "'")
    .replaceAll(' USING btree', '')
    .replaceAll(' public.', ' ')

function describe({ name, items, options, indexes, triggers, privileges }: Table): string {
  const rest = [indexes, triggers, `-- malipo_service: ${privileges ?? 'nothing'}`].filter((part) => part !== null)
  return plain(`create table ${name} (\n${items}\n)${options === null ? '' : ` with (${options})`};\n${rest.join('\n')}\n`)
}

export async function renderSchema(db: Runner): Promise<string> {
  const tables = await db.rows<Table>(sql`
    select c.relname as name, concat_ws(E',\n',
      (select string_agg(format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
          case when a.attcollation <> (select y.typcollation from pg_type y where y.oid = a.atttypid) then ' collate ' || a.attcollation::regcollation end, case when a.attnotnull then ' not null' end,
          case when a.attgenerated = 's' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
            else ' default ' || pg_get_expr(d.adbin, d.adrelid) end), E',\n' order by a.attnum)
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      (select string_agg(format('  constraint %I %s', k.conname, regexp_replace(pg_get_constraintdef(k.oid), '\\s+', ' ', 'g')), E',\n' order by strpos('pucf', k.contype::text), k.conname)
        from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f'))) as items,
      array_to_string(c.reloptions, ', ') as options,
      (select string_agg(pg_get_indexdef(x.indexrelid) || ';', E'\n' order by i.relname)
        from pg_index x join pg_class i on i.oid = x.indexrelid
        where x.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.oid and k.conrelid = c.oid)) as indexes,
      (select string_agg(pg_get_triggerdef(t.oid) || ';', E'\n' order by t.tgname) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers,
      concat_ws(', ',
        (select string_agg(lower(g.privilege_type), ', ' order by g.privilege_type)
          from aclexplode(c.relacl) g where g.grantee = to_regrole('malipo_service')),
        (select string_agg(format('%s (%I)', lower(g.privilege_type), a.attname), ', ' order by a.attnum)
          from pg_attribute a cross join lateral aclexplode(a.attacl) g
          where a.attrelid = c.oid and g.grantee = to_regrole('malipo_service'))) as privileges
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'kysely\\_%'
    order by c.relname`)
  const functions = await db.rows<{ text: string }>(sql`
    select rtrim(pg_get_functiondef(p.oid), E'\n') || ';' as text from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
    order by p.proname`)
  const parts = [...tables.map(describe), ...functions.map(({ text }) => `${text}\n`)]
  return `${header}\n${parts.join('\n')}`
}
