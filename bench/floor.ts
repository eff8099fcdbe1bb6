/**
 * The floors: the same work in the obvious way, one item at a time, on the same pool, driver, named statements and durability.
 * Invariant: the tables are bare, have only the columns that the job needs, and never change: a floor that used the product's tables
 * would become slower together with the product, and no ratio would show it.
 */
import { randomBytes } from 'node:crypto'
import type { Db } from '../server/platform/db/db.ts'
import { openBenchDb, type BenchDatabase, type BenchServer } from './postgres.ts'
import { newId, sql } from './product.ts'
import { soon, type Scope } from './scope.ts'

const tables = `
  create schema floor;
  create table floor.accounts (id uuid primary key, balance bigint not null default 0);
  create table floor.payments (
    id uuid primary key, account_id uuid not null, status text not null default 'pending', amount bigint not null, completed_at timestamptz,
    created_at timestamptz not null default now());
  create table floor.entries (
    id uuid primary key, payment_id uuid not null, account_id uuid not null, amount bigint not null, created_at timestamptz not null default now());
  create index on floor.entries (account_id, created_at);
  create table floor.deliveries (
    id uuid primary key, payment_id uuid not null, attempts integer not null default 0, next_attempt_at timestamptz not null default now());
  create index on floor.deliveries (next_attempt_at);
  create function floor.settle(payment uuid, wallet uuid, clearing uuid, debit uuid, credit uuid, delivery uuid) returns boolean language plpgsql as $$
  declare paid bigint;
  begin
    update floor.payments set status = 'completed', completed_at = now() where id = payment and status = 'pending' returning amount into paid;
    if paid is null then return false; end if;
    insert into floor.entries (id, payment_id, account_id, amount) values (debit, payment, clearing, -paid), (credit, payment, wallet, paid);
    update floor.accounts set balance = balance + paid where id = wallet;
    update floor.accounts set balance = balance - paid where id = clearing;
    insert into floor.deliveries (id, payment_id) values (delivery, payment);
    return true;
  end $$;
  create table floor.checkouts (
    id uuid primary key, account_id uuid not null, amount bigint not null, status text not null default 'pending', phone_number text not null,
    customer_name text not null, customer_email text not null, idempotency_key text not null unique, expires_at timestamptz not null,
    completed_at timestamptz, created_at timestamptz not null default now());
  create table floor.charges (
    checkout_id uuid primary key, request_body text not null, next_attempt_at timestamptz not null, updated_at timestamptz not null default now());
  create table floor.lines (
    account_id uuid not null, seq bigint not null, id uuid not null, amount bigint not null, balance_after bigint not null, payment_id uuid not null,
    created_at timestamptz not null default now(), primary key (account_id, seq));`

const linesEach = 40

export type FloorPayment = { id: string; wallet: string }

export type Floor = {
  wallets: string[]
  clearing: string
  makePending(wallets: string[], count: number): Promise<FloorPayment[]>
}

/** A database of their own. */
export async function openFloors(scope: Scope, server: BenchServer): Promise<BenchDatabase> {
  const url = await server.empty('floors')
  const db = await scope.use(Promise.resolve(openBenchDb(url)), (opened) => soon(opened.close()))
  return { url, db, owner: db }
}

export async function createFloor(db: Db, accounts: number): Promise<Floor> {
  await db.script(tables)
  const ids = Array.from({ length: accounts + 1 }, newId)
  const [clearing, ...wallets] = ids as [string, ...string[]]
  await db.rows(sql`insert into floor.accounts (id) select unnest(${ids}::uuid[])`)
  await db.rows(sql`
    insert into floor.lines (account_id, seq, id, amount, balance_after, payment_id)
    select a.id, n, uuidv7(), 5000, 5000 * n, uuidv7() from floor.accounts a, generate_series(1, ${linesEach}::integer) n`)
  return {
    wallets,
    clearing,
    async makePending(from, count) {
      const made = Array.from({ length: count }, () => ({ id: newId(), wallet: from[Math.floor(Math.random() * from.length)]! }))
      await db.rows(sql`
        insert into floor.payments (id, account_id, amount)
        select id, wallet, 5000 from unnest(${made.map(({ id }) => id)}::uuid[], ${made.map(({ wallet }) => wallet)}::uuid[]) as p (id, wallet)`)
      return made
    },
  }
}

/** One settlement as one call: no round trips inside its transaction. */
export async function settleBare(db: Db, { id, wallet }: FloorPayment, clearing: string): Promise<void> {
  const [row] = await db.rows<{ settled: boolean }>(
    sql`select floor.settle(${id}, ${wallet}, ${clearing}, ${newId()}, ${newId()}, ${newId()}) as settled`,
  )
  if (!row!.settled) throw new Error(`The floor did not settle ${id}.`)
}

export type BareCheckout = {
  account: string
  phone_number: string
  customer_name: string
  customer_email: string
  idempotency_key: string
}

/** A payment and its charge as one plain insert; returns the id. */
export async function insertBare(db: Db, checkout: BareCheckout): Promise<string> {
  const id = newId()
  await db.rows(sql`
    with made as (
      insert into floor.checkouts (id, account_id, amount, phone_number, customer_name, customer_email, idempotency_key, expires_at)
      values (${id}, ${checkout.account}, 5000, ${checkout.phone_number}, ${checkout.customer_name}, ${checkout.customer_email},
        ${checkout.idempotency_key}, now() + interval '1 hour')
      returning id
    )
    insert into floor.charges (checkout_id, request_body, next_attempt_at)
    select id, ${JSON.stringify({ amount: 5000, currency: 'TZS', note: 'x'.repeat(250) })}, now() + interval '30 seconds' from made`)
  return id
}

export async function makeBareCheckouts(db: Db, wallets: string[], count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => randomBytes(16).toString('hex'))
  const rows = await db.rows<{ id: string }>(sql`
    insert into floor.checkouts (id, account_id, amount, phone_number, customer_name, customer_email, idempotency_key, expires_at)
    select uuidv7(), ${wallets[0]!}, 5000, '+255754123789', 'Juma Hamisi', 'juma@example.com', key, now() + interval '1 hour'
    from unnest(${keys}::text[]) key returning id`)
  return rows.map(({ id }) => id)
}

type Row = Record<string, unknown>

export const readBareStatus = async (db: Db, id: string): Promise<Row | undefined> =>
  (
    await db.rows<Row>(sql`
      select id, status, amount, phone_number, expires_at, completed_at from floor.checkouts where id = ${id}`)
  )[0]

export const readBareBalance = async (db: Db, id: string): Promise<Row | undefined> =>
  (await db.rows<Row>(sql`select id, balance from floor.accounts where id = ${id}`))[0]

export const readBareLines = (db: Db, account: string): Promise<Row[]> =>
  db.rows<Row>(sql`
    select id, amount, balance_after, payment_id, created_at from floor.lines where account_id = ${account} order by seq desc limit 20`)
