/**
 * The provider's books on disk, and all SQL of the simulator. Invariant: committed data survives the death of this process; one
 * process at a time owns a data folder.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import type { Charge } from './charge.ts'
import { accountNames, type AccountName } from './config.ts'
import type { Payout } from './payout.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { Answer } from './wire.ts'

/** Raised whenever the schema changes; these books belong to a tool, so older ones are refused, not migrated. */
const booksVersion = 5

const schema = `
  create table facts (name text primary key, value text not null) strict;
  create table accounts (
    account text primary key, opening integer not null, balance integer not null, moved integer not null default 0,
    charges integer not null default 0, payouts integer not null default 0) strict;
  create table charges (
    seq integer primary key autoincrement, reference text not null unique, nth integer not null, doc text not null,
    account text generated always as (doc ->> '$.account') stored,
    status text generated always as (doc ->> '$.status') stored,
    amount integer generated always as (doc ->> '$.amount') stored,
    fees integer generated always as (doc ->> '$.fees') stored,
    money_moved integer generated always as (doc ->> '$.moneyMoved') stored,
    prompt_phone text generated always as (doc ->> '$.promptPhone') stored,
    order_reference text generated always as (doc ->> '$.orderReference') stored);
  create unique index charges_of_order on charges (account, order_reference) where order_reference is not null;
  create unique index charges_of_account on charges (account, nth);
  create index charges_pending on charges (seq) where status = 'pending';
  create index charges_on_phone on charges (prompt_phone, seq);
  create table payouts (
    seq integer primary key autoincrement, reference text not null unique, nth integer not null, doc text not null,
    account text generated always as (doc ->> '$.account') stored,
    amount integer generated always as (doc ->> '$.amount') stored,
    fees integer generated always as (doc ->> '$.fees') stored,
    status text generated always as (doc ->> '$.status') stored,
    order_reference text generated always as (doc ->> '$.orderReference') stored);
  create unique index payouts_of_order on payouts (account, order_reference) where order_reference is not null;
  create unique index payouts_of_account on payouts (account, nth);
  create table events (
    seq integer primary key autoincrement, event_id text not null unique, reference text not null, doc text not null) strict;
  create index events_of_reference on events (reference, seq);
  create table answers (
    account text not null, route text not null, key text not null, body_hash text not null, reference text,
    status integer not null, body text not null, created_at integer not null,
    primary key (account, route, key)) strict;
  create table create_calls (
    account text not null, route text not null, subject text not null, calls integer not null,
    primary key (account, route, subject)) strict;
  create table faults (
    seq integer primary key autoincrement, at integer not null, kind text not null, cause text not null, account text not null,
    subject text not null, reference text, detail text) strict;
  create index faults_of_reference on faults (reference, seq);
  create table agenda (
    key text primary key, kind text not null, due_at integer not null, payload text not null, taken integer not null default 0) strict;
  create index agenda_due on agenda (due_at) where taken = 0`

export type Task = { key: string; kind: string; dueAt: number; payload: string }
type StoredAnswer = Answer & { bodyHash: string; reference: string | null }
/** One fault that occurred. `subject` is the caller's key of the charge or payout; `reference` is ours, null if none was made. */
export type Fault = {
  at: number
  kind: string
  cause: 'number' | 'storm'
  account: AccountName
  subject: string
  reference: string | null
  detail: string | null
}
type Totals = Record<string, { count: number; amount: number; fees: number }>
type AccountState = { account: AccountName; opening: number; balance: number; moved: number }
export type RecordFilter = {
  reference?: string
  account?: string
  status?: string
  phone?: string
  ourReference?: string
  metadata?: ReadonlyMap<string, string>
}

type Row = Record<string, SQLOutputValue>

/** Charges or payouts. */
type Records<T> = {
  get(reference: string): T | undefined
  ofOrder(account: AccountName, orderReference: string): T | undefined
  add(record: T): void
  save(record: T): void
  /** Newest first. Each record has its gapless number within the account, so a page costs the same at any position. */
  of(account: AccountName, limit: number, offset: number): T[]
  count(account: AccountName): number
  /** For the truth: oldest first. `ourReference` matches any value of the metadata. */
  matching(filter: RecordFilter): T[]
  totals(account: AccountName): Totals
}

export class Books {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #depth = 0
  readonly charges = this.#records<Charge>('charges')
  readonly payouts = this.#records<Payout>('payouts')

  /** Opens or creates the books of `dataDir` (null: in memory). Throws when another process has them open. */
  constructor(dataDir: string | null, openingBalanceTzs: number) {
    if (dataDir !== null) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    this.#db = new DatabaseSync(dataDir === null ? ':memory:' : join(dataDir, 'books.sqlite'))
    try {
      // `normal` in WAL keeps every committed transaction through kill -9; only a crash of the machine may lose the last ones.
      this.#db.exec(
        `pragma busy_timeout = 3000; pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal`,
      )
      // One transaction: a kill in the middle leaves no incomplete books. Because it is exclusive, it also keeps a second program
      // out.
      this.#db.exec('begin exclusive')
      const isNew = this.#row('select count(*) as n from sqlite_schema')?.n === 0
      if (isNew) this.#db.exec(`${schema}; pragma user_version = ${booksVersion}`)
      this.#db.exec('commit')
    } catch (cause) {
      this.#db.close()
      throw new Error(`The simulator cannot open its books in ${dataDir}: is another simulator running on this folder?`, {
        cause,
      })
    }
    if (this.#row('pragma user_version')?.user_version !== booksVersion) {
      this.close()
      throw new Error(
        `The simulator's books in ${dataDir} are of another version: remove that folder, or choose another SIMULATOR_DATA_DIR.`,
      )
    }
    this.#run('update agenda set taken = 0 where taken = 1')
    for (const account of accountNames) {
      this.#run(
        'insert into accounts (account, opening, balance) values (?, ?, ?) on conflict do nothing',
        account,
        openingBalanceTzs,
        openingBalanceTzs,
      )
    }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = this.#db.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values)
  }

  #row(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values)
  }

  #rows(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values)
  }

  #docs<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#rows(sql, ...values).map((row) => JSON.parse(text(row.doc)) as T)
  }

  #records<T extends { reference: string; account: AccountName }>(table: 'charges' | 'payouts'): Records<T> {
    const count = (account: AccountName): number =>
      Number(this.#row(`select ${table} from accounts where account = ?`, account)?.[table])
    return {
      count,
      get: (reference) => this.#docs<T>(`select doc from ${table} where reference = ?`, reference)[0],
      ofOrder: (account, orderReference) =>
        this.#docs<T>(`select doc from ${table} where account = ? and order_reference = ?`, account, orderReference)[0],
      add: (record) => {
        const sql = `update accounts set ${table} = ${table} + 1 where account = ? returning ${table}`
        const nth = Number(this.#row(sql, record.account)?.[table])
        this.#run(`insert into ${table} (reference, nth, doc) values (?, ?, ?)`, record.reference, nth, JSON.stringify(record))
      },
      save: (record) => this.#run(`update ${table} set doc = ? where reference = ?`, JSON.stringify(record), record.reference),
      of: (account, limit, offset) => {
        const newest = count(account) - offset
        const sql = `select doc from ${table} where account = ? and nth > ? and nth <= ? order by nth desc`
        return this.#docs(sql, account, newest - limit, newest)
      },
      matching: (filter) => {
        const { where, values } = conditionsOf(filter)
        return this.#docs(`select doc from ${table} ${where} order by seq`, ...values)
      },
      totals: (account) => {
        const sql = `select status, count(*) as count, total(amount) as amount, total(fees) as fees from ${table} where account = ? group by status`
        return byStatus(this.#rows(sql, account))
      },
    }
  }

  /** All or nothing. `work` must not await: the books serve one writer. A transaction inside another joins it. */
  tx<T>(work: () => T): T {
    if (this.#depth > 0) return work()
    this.#db.exec('begin immediate')
    this.#depth++
    try {
      const result = work()
      this.#db.exec('commit')
      return result
    } catch (error) {
      this.#db.exec('rollback')
      throw error
    } finally {
      this.#depth--
    }
  }

  /** The seed of these books; `wished` has precedence and is stored, otherwise the stored one, otherwise a random one. */
  seed(wished: string | null): string {
    const kept = this.#row(`select value from facts where name = 'seed'`)?.value
    const seed = wished ?? (kept === undefined ? randomBytes(16).toString('hex') : text(kept))
    this.#run(`insert into facts (name, value) values ('seed', ?) on conflict (name) do update set value = excluded.value`, seed)
    return seed
  }

  nextNumber(): number {
    const row = this.#row(
      `insert into facts (name, value) values ('counter', '1') on conflict (name) do update set value = cast(cast(value as integer) + 1 as text) returning value`,
    )
    return Number(row?.value)
  }

  account(account: AccountName): AccountState {
    const row = this.#row('select opening, balance, moved from accounts where account = ?', account)
    return { account, opening: Number(row?.opening), balance: Number(row?.balance), moved: Number(row?.moved) }
  }

  /** Money that no charge or payout moved: a top-up, a withdrawal, or what the provider took or gave. */
  move(account: AccountName, amount: number): void {
    this.#run('update accounts set balance = balance + ?, moved = moved + ? where account = ?', amount, amount, account)
  }

  addToBalance(account: AccountName, amount: number): void {
    this.#run('update accounts set balance = balance + ? where account = ?', amount, account)
  }

  /** Newest pending charges of all accounts, for the list of ringing phones. */
  pendingCharges(limit: number): Charge[] {
    return this.#docs(`select doc from charges where status = 'pending' order by seq desc limit ?`, limit)
  }

  newestCharges(limit: number): Charge[] {
    return this.#docs('select doc from charges order by seq desc limit ?', limit)
  }

  /** Newest charges whose last prompt went to this phone. */
  chargesOnPhone(phone: string, limit: number): Charge[] {
    return this.#docs('select doc from charges where prompt_phone = ? order by seq desc limit ?', phone, limit)
  }

  /** The sums of the records themselves, never taken from the balance, so that the two can be compared. */
  sumsOf(account: AccountName): { gross: number; fees: number; paidOut: number; payoutFees: number } {
    const collected = this.#row(
      `select total(amount) as gross, total(fees) as fees from charges where account = ? and money_moved`,
      account,
    )
    const kept = this.#row(
      `select total(amount) as amount, total(fees) as fees from payouts
       where account = ? and status in ('pending', 'completed')`,
      account,
    )
    return {
      gross: Number(collected?.gross),
      fees: Number(collected?.fees),
      paidOut: Number(kept?.amount),
      payoutFees: Number(kept?.fees),
    }
  }

  event(eventId: string): WebhookEvent | undefined {
    return this.#docs<WebhookEvent>('select doc from events where event_id = ?', eventId)[0]
  }

  saveEvent(event: WebhookEvent): void {
    this.#run(
      'insert into events (event_id, reference, doc) values (?, ?, ?) on conflict (event_id) do update set doc = excluded.doc',
      event.eventId,
      event.reference,
      JSON.stringify(event),
    )
  }

  eventsOf(reference: string): WebhookEvent[] {
    return this.#docs('select doc from events where reference = ? order by seq', reference)
  }

  /** The answer stored under an idempotency key since `notBefore`. */
  answer(account: AccountName, route: string, key: string, notBefore: number): StoredAnswer | undefined {
    const row = this.#row(
      'select body_hash, reference, status, body from answers where account = ? and route = ? and key = ? and created_at > ?',
      account,
      route,
      key,
      notBefore,
    )
    if (!row) return undefined
    return {
      bodyHash: text(row.body_hash),
      reference: row.reference === null ? null : text(row.reference),
      status: Number(row.status),
      body: text(row.body),
    }
  }

  saveAnswer(account: AccountName, route: string, key: string, answer: StoredAnswer, at: number): void {
    this.#run(
      `insert into answers (account, route, key, body_hash, reference, status, body, created_at) values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (account, route, key) do update set body_hash = excluded.body_hash, reference = excluded.reference,
         status = excluded.status, body = excluded.body, created_at = excluded.created_at`,
      account,
      route,
      key,
      answer.bodyHash,
      answer.reference,
      answer.status,
      answer.body,
      at,
    )
  }

  /** How often this account has called this route for this subject, the present call included. */
  countCall(account: AccountName, route: string, subject: string): number {
    const row = this.#row(
      `insert into create_calls (account, route, subject, calls) values (?, ?, ?, 1)
       on conflict (account, route, subject) do update set calls = calls + 1 returning calls`,
      account,
      route,
      subject,
    )
    return Number(row?.calls)
  }

  addFault(fault: Fault): void {
    this.#run(
      'insert into faults (at, kind, cause, account, subject, reference, detail) values (?, ?, ?, ?, ?, ?, ?)',
      fault.at,
      fault.kind,
      fault.cause,
      fault.account,
      fault.subject,
      fault.reference,
      fault.detail,
    )
  }

  /** Oldest first; all faults when no reference is given. */
  faults(limit: number, reference?: string): Fault[] {
    const columns = 'select at, kind, cause, account, subject, reference, detail from faults'
    const rows =
      reference === undefined
        ? this.#rows(`${columns} order by seq limit ?`, limit)
        : this.#rows(`${columns} where reference = ? order by seq limit ?`, reference, limit)
    return rows as Fault[]
  }

  faultCounts(): Record<string, number> {
    const rows = this.#rows('select kind, count(*) as n from faults group by kind order by kind')
    return Object.fromEntries(rows.map((row) => [text(row.kind), Number(row.n)]))
  }

  forgetFaults(): void {
    this.#run('delete from faults')
  }

  putTask(task: Task): void {
    this.#run(
      `insert into agenda (key, kind, due_at, payload, taken) values (?, ?, ?, ?, 0)
       on conflict (key) do update set kind = excluded.kind, due_at = excluded.due_at, payload = excluded.payload, taken = 0`,
      task.key,
      task.kind,
      task.dueAt,
      task.payload,
    )
  }

  dropTask(key: string): void {
    this.#run('delete from agenda where key = ?', key)
  }

  /** Takes due tasks out of the queue; those not dropped before this process dies return at the next opening. */
  takeDueTasks(now: number, limit: number): Task[] {
    const rows = this.#rows(
      `update agenda set taken = 1 where key in (select key from agenda where taken = 0 and due_at <= ? order by due_at limit ?)
       returning key, kind, due_at, payload`,
      now,
      limit,
    )
    return rows
      .map((row) => ({ key: text(row.key), kind: text(row.kind), dueAt: Number(row.due_at), payload: text(row.payload) }))
      .toSorted((a, b) => a.dueAt - b.dueAt)
  }

  nextDueAt(): number | null {
    const due = this.#row('select min(due_at) as due from agenda where taken = 0')?.due
    return due === null || due === undefined ? null : Number(due)
  }
}

function conditionsOf(filter: RecordFilter): { where: string; values: string[] } {
  const clauses: string[] = []
  const values: string[] = []
  const add = (clause: string, ...bound: (string | undefined)[]): void => {
    if (bound.some((value) => value === undefined)) return
    clauses.push(clause)
    values.push(...bound.filter((value) => value !== undefined))
  }
  add('reference = ?', filter.reference)
  add('account = ?', filter.account)
  add('status = ?', filter.status)
  add(`doc ->> '$.phone' = ?`, filter.phone)
  add(`exists (select 1 from json_each(doc, '$.metadata') where cast(value as text) = ?)`, filter.ourReference)
  for (const [key, value] of filter.metadata ?? []) {
    add(`exists (select 1 from json_each(doc, '$.metadata') as m where m.key = ? and cast(m.value as text) = ?)`, key, value)
  }
  return { where: clauses.length === 0 ? '' : `where ${clauses.join(' and ')}`, values }
}

function byStatus(rows: readonly Row[]): Totals {
  return Object.fromEntries(
    rows.map((row) => [text(row.status), { count: Number(row.count), amount: Number(row.amount), fees: Number(row.fees) }]),
  )
}

function text(value: SQLOutputValue | undefined): string {
  assert(typeof value === 'string')
  return value
}
