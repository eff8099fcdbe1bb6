/** Settings of the database: its logins, its connections and their time limits. */
import { z } from 'zod'
import { plainRemoteHosts } from '../platform/db/primary.ts'
import type { Frozen, Given } from './values.ts'

export const databaseVariables = {
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'write it as postgresql://user:password@host:5432/database'),
  DATABASE_OWNER_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'write it as postgresql://user:password@host:5432/database')
    .optional(),
  DATABASE_SESSION_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'write it as postgresql://user:password@host:5432/database')
    .optional(),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(100).default(8),
}

export function databaseSettings(env: Given<typeof databaseVariables>) {
  return {
    database: {
      url: env.DATABASE_URL,
      /** The login that owns the tables: for migrations and backups, never for a process that serves requests. */
      ownerUrl: env.DATABASE_OWNER_URL ?? env.DATABASE_URL,
      /** Bypasses a pooler, for work that needs the same connection from beginning to end. */
      sessionUrl: env.DATABASE_SESSION_URL ?? env.DATABASE_URL,
      poolSize: env.DATABASE_POOL_SIZE,
      /**
       * Additional connections, used only for what providers report: at most two batches of settlements, one of messages and one of
       * accepted charges are in flight.
       */
      settlingPoolSize: 4,
      /** When one request has waited this long for a connection, the next requests are refused. */
      shedAfterMs: 1_000 as number | undefined,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 15_000,
      lockTimeoutMs: 2_000,
      /** How long a batch of many merchants waits for one row before the home of that row is tried alone. */
      batchLockTimeoutMs: 150,
    },
  }
}

export type DatabaseSettings = Frozen<ReturnType<typeof databaseSettings>>

type PoolSettings = DatabaseSettings['database']

/** The pool of requests and jobs. A worker's jobs may wait for a connection: no caller waits for them. */
export function poolForRequests(database: PoolSettings, role: string): PoolSettings {
  return role === 'worker' ? { ...database, shedAfterMs: undefined } : database
}

/** The pool for what providers report, in batches of many merchants. */
export function poolForSettling(database: PoolSettings): PoolSettings {
  const { settlingPoolSize: poolSize, batchLockTimeoutMs: lockTimeoutMs } = database
  return { ...database, poolSize, lockTimeoutMs, shedAfterMs: undefined }
}

/** Well-known passwords from examples. */
const knownPasswords = new Set(
  'postgres password passwd malipo secret admin root changeme change-me test 123456 12345678'.split(' '),
)

function passwordProblem(databaseUrl: string): string | undefined {
  // A URL with several hosts cannot be parsed as a URL, but its password stands in the same place.
  const password = /^postgres(?:ql)?:\/\/[^:@/]*:([^@/]*)@/.exec(databaseUrl)?.[1]
  if (password === undefined) return undefined
  const isKnown = knownPasswords.has(decodeURIComponent(password).toLowerCase())
  return isKnown ? 'the password in DATABASE_URL and DATABASE_OWNER_URL must not be a password from an example' : undefined
}

/** What production refuses: passwords from examples, and connections to other machines without TLS. */
export function databaseProblems({ database }: DatabaseSettings): string[] {
  const problems: string[] = []
  const password = passwordProblem(database.url) ?? passwordProblem(database.ownerUrl)
  if (password !== undefined) problems.push(password)
  const plainHosts = new Set([database.url, database.ownerUrl, database.sessionUrl].flatMap(plainRemoteHosts))
  if (plainHosts.size > 0) {
    problems.push(
      `DATABASE_URL, DATABASE_OWNER_URL and DATABASE_SESSION_URL must ask for TLS (sslmode=verify-full, or require) of a host on another machine: ${[...plainHosts].join(', ')}`,
    )
  }
  return problems
}
