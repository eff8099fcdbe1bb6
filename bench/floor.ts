/** The floors: the same business done in the obvious way, one at a time, on the same pool, driver, prepared statements and durability. */
import { sql, type Db } from '../server/platform/db.ts'
import { newId } from '../server/platform/ids.ts'

/** Tables that do no more than the job asks for: fewer columns, indexes and foreign keys than the product's. */
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
  create table floor.checkouts (
    id uuid primary key, slug text not null, amount bigint not null, phone_number text not null, customer_name text not null,
    customer_email text not null, idempotency_key text not null unique, status text not null default 'pending',
    created_at timestamptz not null default now());
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
  grant usage on schema floor to malipo_service;
  grant all on all tables in schema floor to malipo_service;`

export type FloorPayment = { id: string; wallet: string }

export type Floor = {
  wallets: string[]
  makePending(wallets: string[], count: number): Promise<FloorPayment[]>
  /** One settlement as one prepared call: no round trips inside its transaction. */
  settle(payment: FloorPayment): Promise<void>
}

export async function createFloor(owner: Db, db: Db, accounts: number): Promise<Floor> {
  await owner.script(tables)
  const ids = Array.from({ length: accounts + 1 }, newId)
  const [clearing, ...wallets] = ids as [string, ...string[]]
  await db.rows(sql`insert into floor.accounts (id) select unnest(${ids}::uuid[])`)
  return {
    wallets,
    async makePending(from, count) {
      const made = Array.from({ length: count }, () => ({ id: newId(), wallet: from[Math.floor(Math.random() * from.length)]! }))
      await db.rows(sql`
        insert into floor.payments (id, account_id, amount)
        select id, wallet, 5000 from unnest(${made.map(({ id }) => id)}::uuid[], ${made.map(({ wallet }) => wallet)}::uuid[]) as p (id, wallet)`)
      return made
    },
    async settle({ id, wallet }) {
      const rows = await db.rows<{ settled: boolean }>(
        sql`select floor.settle(${id}, ${wallet}, ${clearing}, ${newId()}, ${newId()}, ${newId()}) as settled`,
      )
      if (!rows[0]!.settled) throw new Error(`The floor did not settle ${id}.`)
    },
  }
}

export type FloorCheckout = {
  slug: string
  phone_number: string
  customer_name: string
  customer_email: string
  idempotency_key: string
}

export async function insertCheckout(db: Db, body: FloorCheckout): Promise<string> {
  const id = newId()
  await db.rows(sql`
    insert into floor.checkouts (id, slug, amount, phone_number, customer_name, customer_email, idempotency_key)
    values (${id}, ${body.slug}, 5000, ${body.phone_number}, ${body.customer_name}, ${body.customer_email}, ${body.idempotency_key})`)
  return id
}

/** A payment's row by its primary key. */
export async function readPayment(db: Db, home: number, id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.rows<Record<string, unknown>>(sql`
    select id, status, amount, currency, network, phone_number, expires_at, completed_at from payments where home = ${home} and id = ${id}`)
  return row
}
