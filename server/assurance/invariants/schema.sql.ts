/** The actual schema of the database, one line per object, for the comparison with the result of the migrations. */
import { sql, type Runner } from '../../platform/db/db.ts'

export type SchemaObject = { name: string; definition: string }

/** The role whose privileges are part of the schema. */
const serviceRole = 'malipo_service'

/**
 * Everything in the schema that a promise depends on, in a form that survives a dump and a restore and does not depend on the version of
 * the server: constraints, indexes, triggers, functions, columns, privileges, and the rows of the state machines. No owners, no sizes, no
 * statistics.
 */
export async function readSchema(db: Runner): Promise<SchemaObject[]> {
  return db.rows<SchemaObject>(sql`
    with relations as (
      select c.oid, c.relname, c.relkind, c.relpersistence, c.relrowsecurity, c.relacl
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
        and c.relname not like 'kysely\\_%'
    )
    select 'table ' || r.relname as name, concat_ws(' ', r.relkind, r.relpersistence, r.relrowsecurity,
      -- Foreign keys are enforced by triggers: count those that are switched off.
      (select 'switched off: ' || count(*) from pg_trigger t where t.tgrelid = r.oid and t.tgenabled <> 'O' having count(*) > 0),
      (select string_agg(rw.rulename, ',' order by rw.rulename) from pg_rewrite rw where rw.ev_class = r.oid and rw.rulename <> '_RETURN'),
      (select string_agg(a.privilege_type || case when a.is_grantable then '*' else '' end, ',' order by a.privilege_type)
        from aclexplode(r.relacl) a where a.grantee = to_regrole(${serviceRole})),
      (select 'public: ' || string_agg(a.privilege_type, ',' order by a.privilege_type) from aclexplode(r.relacl) a where a.grantee = 0)) as definition
    from relations r
    union all
    select format('column %s.%s', r.relname, a.attname), concat_ws(' ', format_type(a.atttypid, a.atttypmod),
      case when a.attcollation = (select y.typcollation from pg_type y where y.oid = a.atttypid) then null else a.attcollation::regcollation::text end, a.attnotnull, a.attidentity::text,
      a.attgenerated::text, pg_get_expr(d.adbin, d.adrelid),
      (select string_agg(g.privilege_type, ',' order by g.privilege_type) from aclexplode(a.attacl) g where g.grantee = to_regrole(${serviceRole})))
    from relations r
    join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
    union all
    select format('constraint %s.%s', r.relname, c.conname), concat_ws(' ', pg_get_constraintdef(c.oid), c.convalidated)
    from relations r join pg_constraint c on c.conrelid = r.oid and c.contype <> 'n'
    union all
    select format('index %s.%s', r.relname, i.relname), concat_ws(' ', pg_get_indexdef(x.indexrelid), x.indisunique, x.indisvalid, x.indisready)
    from relations r join pg_index x on x.indrelid = r.oid join pg_class i on i.oid = x.indexrelid
    union all
    select format('trigger %s.%s', r.relname, t.tgname), concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled::text)
    from relations r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
    union all
    select format('function %s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)), concat_ws(' ', pg_get_functiondef(p.oid),
      has_function_privilege(${serviceRole}, p.oid, 'execute'))
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
      and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
    union all
    select 'event trigger ' || e.evtname, concat_ws(' ', e.evtevent, e.evtenabled::text) from pg_event_trigger e
    union all
    select 'rows of payment_transitions', string_agg(t::text, ' ' order by t::text) from payment_transitions t
    union all
    select 'rows of payout_transitions', string_agg(t::text, ' ' order by t::text) from payout_transitions t
    union all
    select 'rows of verification_moves', string_agg(t::text, ' ' order by t::text) from verification_moves t
    union all
    select 'rows of sealed_tables', string_agg((name, key, covers, moves_money)::text, ' ' order by name) from sealed_tables
    order by 1, 2`)
}

export type Applied = { name: string; isOfLastHour: boolean }

/** The migrations that the database has. */
export async function readLevel(db: Runner): Promise<Applied[]> {
  return db.rows<Applied>(sql`
    select name, timestamp::timestamptz between clock_now() - interval '1 hour' and clock_now() as is_of_last_hour from kysely_migration order by name`)
}
