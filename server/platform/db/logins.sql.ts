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

async function withClient<Result>(url: string, timeoutMs: number, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
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
