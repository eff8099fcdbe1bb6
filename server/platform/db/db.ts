/**
 * The only access to PostgreSQL: the `sql` tag, rows, transactions. Statements are prepared under a name. Only this file turns
 * column names into camelCase. A transaction that loses a deadlock or serialisation race is retried, because none of it was
 * applied.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { sendChanges } from './changes.ts'
import { connectionTo, noPrimary, onlyStandby } from './primary.ts'
import { runnerOf, type Runner } from './runner.ts'
import { Sql, sql } from './sql.ts'
import type { RecordMac } from '../crypto/record-mac.ts'
import { Refusal } from '../refusal.ts'

export type { Runner } from './runner.ts'
export { Sql, sql } from './sql.ts'

export type Query = { readonly text: string; readonly values: unknown[]; readonly name: string }

/** A constant of ours, written into the statement so that the planner sees its value. Accepts only whole numbers and ids. */
export function literal(value: number | string): Sql {
  const isPlain = typeof value === 'number' ? Number.isInteger(value) : /^[0-9a-z-]+$/.test(value)
  if (!isPlain) throw new Error(`${value} must be a bound value`)
  return new Sql([typeof value === 'number' ? String(value) : `'${value}'`], [])
}

const arrayTypes = { bytea: sql`bytea[]`, text: sql`text[]` }

/**
 * Hides the array length from the planner, so that PostgreSQL keeps the generic plan. With a visible length it replans the
 * statement each time the list is short, and continues to do so for long, because it compares the average costs of the plans. For
 * such a read, planning costs more than reading.
 */
export function unplanned(list: readonly unknown[], type: keyof typeof arrayTypes): Sql {
  return sql`(select ${list}::${arrayTypes[type]})::${arrayTypes[type]}`
}

const names = new Map<string, string>()
const plainTexts = new WeakMap<readonly string[], string>()

function compile(piece: Sql): Query {
  const isPlain = !piece.values.some((value) => value instanceof Sql)
  let text = isPlain ? plainTexts.get(piece.strings) : undefined
  let values: unknown[] = []
  if (text === undefined) {
    text = render(piece, values)
    if (isPlain) plainTexts.set(piece.strings, text)
  } else {
    values = piece.values.map(parameterOf)
  }
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url')
    names.set(text, name)
  }
  return { text, values, name }
}

function render(piece: Sql, values: unknown[]): string {
  let text = piece.strings[0]!
  piece.values.forEach((value, index) => {
    if (value instanceof Sql) text += render(value, values)
    else text += `$${values.push(parameterOf(value))}`
    text += piece.strings[index + 1]!
  })
  return text
}

function parameterOf(value: unknown): unknown {
  return Array.isArray(value) ? (arrayText(value) ?? value) : value
}

/**
 * An array in PostgreSQL's text format, for the element types that batches use; undefined when another type is among them, which
 * the driver then writes. The driver checks every text twice for characters that are rare; that was the largest cost of a batch
 * here.
 */
function arrayText(elements: readonly unknown[]): string | undefined {
  let text = '{'
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index]
    if (index > 0) text += ','
    if (element === null || element === undefined) text += 'NULL'
    else if (typeof element === 'string') text += quoted(element)
    else if (typeof element === 'number' || typeof element === 'boolean') text += String(element)
    else if (element instanceof Buffer) text += `\\\\x${element.toString('hex')}`
    else return undefined
  }
  return `${text}}`
}

function quoted(text: string): string {
  return text.includes('"') || text.includes('\\') ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`
}

export type Tx = Runner & {
  readonly kind: 'tx'
  /** Runs `work` after the commit of this transaction, on its connection; its errors are dropped. */
  afterCommit(work: (runner: Runner) => Promise<void>): void
  /** Makes the codes of rows that the database alone must not be able to forge; undefined where such rows are never written. */
  readonly recordMac: RecordMac | undefined
}

export type Db = Runner & {
  /** Runs `work` in one transaction. On a deadlock or serialisation failure all of it runs again, so it must use the database only. */
  tx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /**
   * Reads in one transaction that sees one moment, so related rows are consistent with each other. Each statement may take as
   * long as any other, or `statementTimeoutMs`.
   */
  snapshot<Result>(read: (tx: Runner) => Promise<Result>, statementTimeoutMs?: number): Promise<Result>
  /**
   * Like `tx`, and every other call of this Db inside `work` joins the transaction: a `tx` becomes a part of it that can fail alone,
   * and a `snapshot` reads in it. For work that is written with transactions of its own and must commit together with something else.
   */
  joinedTx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Runs SQL that cannot be prepared (several statements, LISTEN) on a separate connection. */
  script(text: string): Promise<void>
  readonly pool: pg.Pool
  close(): Promise<void>
}

export type DbOptions = {
  /** May name several hosts (primary.ts). */
  url: string
  /** Makes the codes of rows in transactions. */
  recordMac?: RecordMac
  /** The role that every connection uses: the service's role may not rewrite the ledger. Undefined for migrations. */
  role?: string
  poolSize: number
  connectTimeoutMs: number
  statementTimeoutMs: number
  /** How long a statement waits for a row that another transaction has locked. */
  lockTimeoutMs?: number
  applicationName: string
  /**
   * When no connection has become free for this long, or a caller has waited this long for one, new callers are refused at once
   * with 503 `overloaded` instead of waiting. Undefined: all callers wait, up to the connection timeout.
   */
  shedAfterMs?: number
  /**
   * Throws when a transaction asks a pool for a second connection. Under load, such transactions wait for each other's
   * connections until all of them fail. Applies across all pools that set it; off in production, where a slow answer is better
   * than none.
   */
  refusesPoolInsideTx?: boolean
  onError(error: Error): void
  /** Called with the kind of each database failure; not called when the database refused bad input. */
  onFailure?(kind: DatabaseFailure): void
}

export const databaseFailures = ['away', 'disk_full', 'resources', 'read_only', 'timeout', 'lock_timeout'] as const
export type DatabaseFailure = (typeof databaseFailures)[number]

function failureOf(error: unknown): DatabaseFailure | undefined {
  const code = databaseErrorCode(error)
  if (code === '53100') return 'disk_full'
  if (code === '57014') return 'timeout'
  if (code === '55P03') return 'lock_timeout'
  if (code === '25006' || (error instanceof Error && error.message === onlyStandby)) return 'read_only'
  if (code?.startsWith('53')) return 'resources'
  return isUnavailable(error) ? 'away' : undefined
}

const int8Oid = 20

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`An int8 of the database does not fit a JavaScript integer: ${text}`)
  return value
}

const timestamptzOid = 1184
const parseAnyMoment = pg.types.getTypeParser(timestamptzOid) as (text: string) => unknown

/**
 * A time in PostgreSQL's UTC format, which every connection uses: `2026-03-01 12:00:00.123456+00`, with as many fraction digits
 * as needed. The driver parses all other formats (another zone, infinity, a year before 1000) by patterns.
 */
function parseMoment(text: string): unknown {
  const end = text.length - 3
  const isUsual = text[0] !== '0' && text[4] === '-' && text[10] === ' ' && end >= 19 && end <= 26 && text.endsWith('+00')
  if (!isUsual) return parseAnyMoment(text)
  const digit = (place: number): number => (place < end ? text.charCodeAt(place) - 48 : 0)
  const two = (place: number): number => digit(place) * 10 + digit(place + 1)
  const milliseconds = digit(20) * 100 + two(21)
  return new Date(Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17), milliseconds))
}

const ownParsers: Partial<Record<number, (text: string) => unknown>> = { [int8Oid]: parseInt8, [timestamptzOid]: parseMoment }

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (ownParsers[oid] ?? pg.types.getTypeParser(oid, format)) as (value: string) => unknown,
}

const camelNames = new Map<string, string>()

export function camelCase(name: string): string {
  let camel = camelNames.get(name)
  if (camel === undefined) {
    camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    camelNames.set(name, camel)
  }
  return camel
}

/** A connection whose other end has vanished never answers, and then the server's timeout cannot reach us. */
const answerTimeoutMs = (statementTimeoutMs: number): number => statementTimeoutMs + 2_000

async function run<Row>(client: pg.PoolClient, piece: Sql, statementTimeoutMs?: number): Promise<Row[]> {
  const timeout = statementTimeoutMs === undefined ? undefined : answerTimeoutMs(statementTimeoutMs)
  const query = { ...compile(piece), query_timeout: timeout, rowMode: 'array' as const }
  const result = await client.query<unknown[]>(query)
  const fields = result.fields.map((field) => camelCase(field.name))
  return result.rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < fields.length; index += 1) row[fields[index]!] = values[index]
    return row as Row
  })
}

export function databaseErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** SQLSTATE of a broken unique constraint. */
export const uniqueViolation = '23505'

/** Whether a statement failed because it would break this named constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint
}

const retryableCodes = new Set(['40001', '40P01'])
/** By class: 08 connection, 53 resources (disk, memory, connections), 58 operating system. */
const unavailableCodes = /^(08|53|58)|^(57P01|57P02|57P03|57014|55P03|25006)$/
const unavailableMessages = new RegExp(
  `timeout exceeded when trying to connect|Connection terminated|Client was closed|Query read timeout|Cannot use a pool after|connection error|not queryable|${noPrimary}|${onlyStandby}`,
  'i',
)

const waitedTooLongCodes = new Set(['57014', '55P03'])

/** Whether one statement waited too long for a lock or ran too long: other statements may succeed. */
export function waitedTooLong(error: unknown): boolean {
  return waitedTooLongCodes.has(databaseErrorCode(error) ?? '')
}

/** Whether the database was unreachable or could not work: the request itself is not wrong. */
export function isUnavailable(error: unknown): boolean {
  const code = databaseErrorCode(error)
  if (code !== undefined)
    return unavailableCodes.test(code) || /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EAI_|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)/.test(code)
  return error instanceof Error && unavailableMessages.test(error.message)
}

const readOnlyServer = '25006'

/** With these words the server ends a session: a shutdown, a crash of another session, `pg_terminate_backend`, a dropped database. */
const endsSession = /^57P0[1-5]$/

/** Whether the connection is lost, leads to a server that has become a replica, or may still carry an unread answer: it is not used again. */
function isConnectionLost(error: unknown): error is Error {
  if (!(error instanceof pg.DatabaseError)) return isUnavailable(error)
  const { code = '' } = error
  return code === readOnlyServer || endsSession.test(code)
}

/**
 * Whether a table that a prepared statement reads in full got a new column: nothing was executed, and another connection prepares
 * the statement again.
 */
function isStalePlan(error: unknown): boolean {
  return databaseErrorCode(error) === '0A000' && /cached plan must not change result type/.test((error as Error).message)
}

const maxTries = 5
/** More than the number of pool connections that may all have the old statement. */
const maxStalePlans = 200
/** So many tries meet the connections of this process alone. */
const quickStalePlans = 50

async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (isStalePlan(error) && attempt < maxStalePlans) {
        // A pooler keeps the old statement until its own connections end.
        if (attempt > quickStalePlans) await new Promise((resolve) => setTimeout(resolve, 10))
        continue
      }
      const code = databaseErrorCode(error)
      if (code === undefined || !retryableCodes.has(code)) throw error
      if (attempt >= maxTries) {
        throw new Refusal(503, 'overloaded', 'Too many requests use the same data. Try again shortly.', { retryAfterSeconds: 1 })
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** attempt))
    }
  }
}

/** The transaction that the current work runs in. Work that outlives it may use the pool again. */
const currentTx = new AsyncLocalStorage<{ isOpen: boolean }>()

async function insideTx<Result>(work: () => Promise<Result>): Promise<Result> {
  const mark = { isOpen: true }
  try {
    return await currentTx.run(mark, work)
  } finally {
    mark.isOpen = false
  }
}

/** A transaction that every call of its pool joins. */
type JoinedTx = { client: pg.PoolClient; pool: pg.Pool; tx: Tx; isOpen: boolean; isInPart: boolean }
const joinedTx = new AsyncLocalStorage<JoinedTx | undefined>()

/** Runs work of several callers, such as a batch, outside the transaction that one of them has joined. */
export function outsideJoinedTx<Result>(work: () => Result): Result {
  return joinedTx.run(undefined, work)
}

/** Runs `work` as a part of the transaction. A failed part is rolled back alone, so that its caller may try another one. */
async function asPart<Result>(joined: JoinedTx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  if (joined.isInPart) throw new Error('A transaction was opened inside a transaction: use the open one (tx).')
  const { client, tx } = joined
  joined.isInPart = true
  try {
    await client.query('savepoint part')
    const result = await work(tx)
    await client.query('release savepoint part')
    return result
  } catch (error) {
    if (!isConnectionLost(error)) await client.query('rollback to savepoint part')
    throw error
  } finally {
    joined.isInPart = false
  }
}

export function openDb(options: DbOptions): Db {
  const pool = new pg.Pool({
    ...connectionTo(options.url, options.connectTimeoutMs),
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    query_timeout: answerTimeoutMs(options.statementTimeoutMs),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: options.applicationName,
    options: [
      `-c statement_timeout=${options.statementTimeoutMs}`,
      ...(options.lockTimeoutMs === undefined ? [] : [`-c lock_timeout=${options.lockTimeoutMs}`]),
      '-c idle_in_transaction_session_timeout=10000',
      '-c timezone=UTC',
      // For SSDs: a read by key costs as little as a sequential read, but the planner's default assumes more.
      '-c random_page_cost=1.1',
      ...(options.role ? [`-c role=${options.role}`] : []),
    ].join(' '),
    types: typeParsers,
  })
  pool.on('error', options.onError)
  const { shedAfterMs } = options
  // In order of arrival.
  const waiting = new Set<{ since: number }>()
  let takenAt = 0
  pool.on('acquire', () => (takenAt = performance.now()))

  function isExhausted(now: number, patienceMs: number): boolean {
    const [first] = waiting
    if (first && now - first.since > patienceMs) return true
    return pool.idleCount === 0 && pool.totalCount >= options.poolSize && now - takenAt > patienceMs
  }

  function noteFailure(error: unknown): void {
    const kind = options.onFailure && failureOf(error)
    if (kind) options.onFailure!(kind)
  }

  async function takeClient(): Promise<pg.PoolClient> {
    if (options.refusesPoolInsideTx && currentTx.getStore()?.isOpen) {
      throw new Error('The pool was asked inside a transaction: use the connection of the transaction (tx).')
    }
    const now = performance.now()
    if (shedAfterMs !== undefined && isExhausted(now, shedAfterMs)) {
      throw new Refusal(503, 'overloaded', 'The service is overloaded. Try again shortly.', { retryAfterSeconds: 1 })
    }
    const ticket = { since: now }
    waiting.add(ticket)
    try {
      return await pool.connect()
    } catch (error) {
      noteFailure(error)
      throw error
    } finally {
      waiting.delete(ticket)
    }
  }

  /** One connection for the duration of `work`; it returns to the pool unless it is broken. */
  async function withClient<Result>(
    work: (client: pg.PoolClient, discard: (why: Error) => void) => Promise<Result>,
  ): Promise<Result> {
    const client = await takeClient()
    let broken: Error | undefined
    // A connection that dies while we hold it emits an error event; without a listener that event would end the process.
    const discard = (why: Error) => void (broken = why)
    client.on('error', discard)
    try {
      return await work(client, discard)
    } catch (error) {
      if (isConnectionLost(error) || isStalePlan(error)) discard(error as Error)
      noteFailure(error)
      throw error
    } finally {
      client.removeListener('error', discard)
      client.release(broken)
    }
  }

  const transaction = <Result>(
    begin: string,
    work: (tx: Tx, client: pg.PoolClient) => Promise<Result>,
    statementTimeoutMs?: number,
  ): Promise<Result> =>
    retrying(() =>
      withClient(async (client, discard) => {
        try {
          await client.query(begin)
          if (statementTimeoutMs !== undefined) await client.query(`set local statement_timeout = ${statementTimeoutMs}`)
          const later: ((runner: Runner) => Promise<void>)[] = []
          const tx: Tx = {
            kind: 'tx',
            ...runnerOf((query) => run(client, query, statementTimeoutMs)),
            afterCommit: (doIt) => void later.push(doIt),
            recordMac: options.recordMac,
          }
          const result = await (options.refusesPoolInsideTx ? insideTx(() => work(tx, client)) : work(tx, client))
          await client.query('commit')
          for (const doIt of later) await doIt(runnerOf((query) => run(client, query))).catch(discard)
          return result
        } catch (error) {
          // After a missing answer, another query would only wait for the timeout again; the server ends the open transaction by
          // itself.
          if (!isConnectionLost(error)) await client.query('rollback').catch(discard)
          throw error
        }
      }),
    )

  function joined(): JoinedTx | undefined {
    const found = joinedTx.getStore()
    return found?.pool === pool && found.isOpen ? found : undefined
  }

  const onAnyClient: Runner['rows'] = (query) => withClient((client) => run(client, query))
  const changes = sendChanges(pool, runnerOf(onAnyClient))

  return {
    pool,
    ...runnerOf(async (query) => {
      const open = joined()
      return open ? run(open.client, query) : retrying(() => onAnyClient(query))
    }),
    async tx(work) {
      const open = joined()
      return open ? asPart(open, work) : transaction('begin', work)
    },
    async snapshot(read, statementTimeoutMs) {
      const open = joined()
      if (open) return read(open.tx)
      return transaction('begin isolation level repeatable read, read only', read, statementTimeoutMs)
    },
    joinedTx: (work) =>
      transaction('begin', async (tx, client) => {
        const open: JoinedTx = { client, pool, tx, isOpen: true, isInPart: false }
        try {
          return await joinedTx.run(open, () => work(tx))
        } finally {
          open.isOpen = false
        }
      }),
    script: async (text) => void (await pool.query(text)),
    async close() {
      await changes.close()
      await pool.end()
    },
  }
}
