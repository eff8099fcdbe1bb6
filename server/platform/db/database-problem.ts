/** Says in a sentence, for the operator of a command or a start, why the database did not do what was asked. */
import { databaseErrorCode, isUnavailable } from './db.ts'
import { owningLogin } from './logins.sql.ts'

const poolerLosesStatements =
  'The pooler in DATABASE_URL does not keep prepared statements. Use PgBouncer 1.21 or newer with max_prepared_statements (docs/operations/proxies.md).'

const stoppedStatement = (message: string): string =>
  `The database stopped a statement: ${message}. Run the command again when the database has less to do.`

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const sentences: Readonly<Record<string, (message: string) => string>> = {
  '28000': (message) =>
    `The database refuses the login: ${message}. Check pg_hba.conf, and whether the login exists and may log in.`,
  '28P01': (message) => `The database refuses the login: ${message}. Check user and password in the address.`,
  '3D000': (message) => `The database does not exist: ${message}. Create it, or correct the address.`,
  '42501': (message) =>
    `The login lacks a right: ${message}. Let an administrator run ops/logins.sql in this database once; migrate and back up as ${owningLogin}.`,
  '42P01': (message) => `The database has no tables of this version: ${message}. Run the command "migrate" first.`,
  '42703': (message) =>
    `The database has the tables of another version: ${message}. Run the command "migrate" of this version first.`,
  '42883': (message) =>
    `The database has the functions of another version: ${message}. Run the command "migrate" of this version first.`,
  '22023': (message) => `The database refuses the session: ${message}. Run the command "migrate" first.`,
  '55P03': stoppedStatement,
  '57014': stoppedStatement,
  '57P03': (message) => `The database does not serve yet: ${message}. Wait until it has started.`,
  '26000': () => poolerLosesStatements,
  '42P05': () => poolerLosesStatements,
  '53100': () => 'The disk of the database is full. Free space, and run the command again.',
  '53300': () => 'The database has no free connection. Raise max_connections, or lower DATABASE_POOL_SIZE.',
  '25006': () => 'The database is read-only: the address leads to a replica. Use the address of the primary.',
}

/** Errors of the driver, which have no code. */
const unsaid: [message: RegExp, sentence: string][] = [
  [/^SASL: .*password must be/, 'The database asks for a password: put it into the address.'],
  [/does not support SSL/, 'The database offers no TLS, which the address asks for (sslmode): turn ssl on in its configuration.'],
  [
    /is a standby/,
    'The database takes no writes: it still recovers, or the address leads to a replica. Wait, or use the address of the primary.',
  ],
  [/certificate|ERR_TLS/, 'The certificate of the database is not trusted: give its authority in the address (sslrootcert).'],
]

/** The sentence; undefined if the error is none that an operator can correct. */
export function databaseProblem(error: unknown): string | undefined {
  const code = databaseErrorCode(error) ?? ''
  const known = sentences[code]?.((error as Error).message)
  if (known !== undefined) return known
  const [, sentence] = unsaid.find(([message]) => message.test((error as Error).message)) ?? []
  if (sentence !== undefined) return sentence
  if (!isUnavailable(error)) return undefined
  return `The database at DATABASE_URL (or DATABASE_OWNER_URL) does not answer: ${code || (error as Error).message}. Start it, or correct the address.`
}
