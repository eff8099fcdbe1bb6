/**
 * The PostgreSQL login of this process. Invariant: a serving process cannot become the owner of the tables: an action that its
 * role forbids is impossible for it. This file checks the login before the pool opens, and makes the logins of an embedded
 * database.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { connectionTo } from './primary.ts'

/** The serving login, which is the role of the service, and the migrating login (ops/logins.sql). */
export const [servingLogin, owningLogin] = ['malipo_service', 'malipo_owner'] as const

export async function withClient<Result>(
  url: string,
  timeoutMs: number,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const { connectionString, Client } = connectionTo(url, timeoutMs)
  const client = new Client({ connectionString, connectionTimeoutMillis: timeoutMs, application_name: 'malipo-login' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The rights of a login beyond serving, in words; undefined when it has none. */
export async function excessOf(url: string, timeoutMs: number): Promise<string | undefined> {
  return withClient(url, timeoutMs, async (client) => {
    const { rows } = await client.query<{ name: string; isSuper: boolean; owns: boolean; makes: boolean; becomes: string[] }>(
      `select session_user::text as name, r.rolsuper as "isSuper", r.rolcreaterole or r.rolcreatedb or r.rolbypassrls or r.rolreplication as makes,
         exists (select from pg_class where relowner = r.oid and relnamespace = 'public'::regnamespace)
           or exists (select from pg_namespace where nspowner = r.oid) or exists (select from pg_database where datdba = r.oid) as owns,
         array(select o.rolname::text from pg_roles o where o.rolname not in (session_user, $1) and pg_has_role(r.oid, o.oid, 'member') order by 1) as becomes
       from pg_roles r where r.rolname = session_user`,
      [servingLogin],
    )
    const { name, isSuper, owns, makes, becomes } = rows[0]!
    if (isSuper) return `${name} is a superuser`
    if (owns) return `${name} owns the tables or their schema`
    if (makes) return `${name} may make roles or databases, replicate or pass by row security`
    return becomes.length > 0 ? `${name} may become ${becomes.join(', ')}` : undefined
  })
}

/** What this login lacks to migrate, as a sentence; undefined when it has every right. */
export async function lackOf(client: Pick<pg.ClientBase, 'query'>): Promise<string | undefined> {
  const { rows } = await client.query<{
    name: string
    isServingLogin: boolean
    mayCreate: boolean
    hasServingRole: boolean
    mayMakeRoles: boolean
    mayGrant: boolean
    foreign: string | null
  }>(
    `select current_user::text as name, current_user = $1 as "isServingLogin", has_schema_privilege('public', 'create') as "mayCreate",
       s.oid is not null as "hasServingRole", r.rolsuper or r.rolcreaterole as "mayMakeRoles",
       coalesce(pg_has_role(s.oid, 'member with admin option'), false) as "mayGrant",
       (select c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S') and not pg_has_role(c.relowner, 'usage')
          -- What an extension has made is never migrated.
          and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
        order by 1 limit 1) as foreign
     from pg_roles r left join pg_roles s on s.rolname = $1 where r.rolname = current_user`,
    [servingLogin],
  )
  const { name, isServingLogin, mayCreate, hasServingRole, mayMakeRoles, mayGrant, foreign } = rows[0]!
  if (isServingLogin) return `The login ${name} serves and may not migrate.`
  if (!mayCreate) return `The login ${name} may not create tables in the schema public.`
  if (!hasServingRole && !mayMakeRoles) return `The role ${servingLogin} does not exist, and the login ${name} may not create it.`
  if (hasServingRole && !mayMakeRoles && !mayGrant) return `The login ${name} may not grant the role ${servingLogin}.`
  return foreign === null ? undefined : `The login ${name} does not own the table ${foreign}.`
}

/** The same address with another login, without a password. */
export function withLogin(url: string, login: string): string {
  const [address, query] = url.split('?') as [string, string | undefined]
  const parameters = new URLSearchParams(query ?? '')
  const named = address.replace(/^(\w+:\/\/)(?:[^@/]*@)?/, parameters.has('user') ? '$1' : `$1${login}@`)
  if (parameters.has('user')) parameters.set('user', login)
  return parameters.size === 0 ? named : `${named}?${parameters.toString()}`
}

/** Makes both logins in an embedded database, and gives the existing objects to the migrating login. One process at a time. */
export async function makeLogins(superuserUrl: string, timeoutMs: number): Promise<void> {
  const text = await readFile(join(import.meta.dirname, '../../../ops/logins.sql'), 'utf8')
  await withClient(superuserUrl, timeoutMs, async (client) => {
    await client.query(`select pg_advisory_lock(hashtext('malipo logins'))`)
    await client.query(text)
  })
}
