/**
 * The floors: the same work done in the obvious way, one at a time, on the same pool, driver, prepared statements and durability.
 * They use the product's own tables, with their indexes and constraints; settling also uses tables with only the columns that the
 * job needs.
 */
import { sql, type Db } from '../server/platform/db/db.ts'
import { systemHolder } from '../server/ledger/account.sql.ts'
import type { NewPayment } from '../server/payments/payment.sql.ts'
import { newId, newMoneyId } from '../server/platform/ids.ts'
import { environment, eventData, type Pending } from './postgres.ts'

/** Minimal tables: fewer columns, indexes and foreign keys than the product's. */
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
  -- The same settlement as the product's, on the product's own tables with all that they promise, one payment at a time.
  create function floor.settle_same(
    of_home smallint, payment uuid, debit uuid, credit uuid, movement uuid, transfer uuid, event uuid, delivery uuid
  ) returns boolean language plpgsql as $$
  declare
    paid record;
    cleared record;
    wallet record;
  begin
    perform 1 from public.payments where home = of_home and id = payment and status in ('pending', 'processing') for no key update;
    if not found then return false; end if;
    update public.payments set status = 'completed', network = 'mpesa', completed_at = now(), updated_at = now()
    where home = of_home and id = payment
    returning amount, merchant_id, environment, page_id into paid;
    update public.provider_charges set next_attempt_at = null, updated_at = now() where home = of_home and payment_id = payment;
    update public.payment_pages set paid_count = paid_count + 1, paid_total = paid_total + paid.amount where home = of_home and id = paid.page_id;
    update public.ledger_accounts set balance = balance - paid.amount, last_seq = last_seq + 1 where home = of_home and id = debit
    returning balance, last_seq into cleared;
    update public.ledger_accounts set balance = balance + paid.amount, last_seq = last_seq + 1 where home = of_home and id = credit
    returning balance, last_seq into wallet;
    insert into public.ledger_transfers (home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount,
      debit_seq, credit_seq, debit_balance_after, credit_balance_after, payment_id, page_id, actor, request_id, created_at)
    values (of_home, transfer, movement, paid.environment, 'payment', debit, credit, paid.amount, cleared.last_seq, wallet.last_seq,
      cleared.balance, wallet.balance, payment, paid.page_id, 'provider:webhook', 'req_bench', now());
    insert into public.events (home, id, type, merchant_id, environment, payment_id, data)
    select of_home, event, 'payment.completed', paid.merchant_id, paid.environment, payment, ${eventData}
    from public.payments p where p.home = of_home and p.id = payment;
    insert into public.webhook_deliveries (home, id, event_id, endpoint_id, app_id, next_attempt_at)
    select of_home, delivery, event, e.id, e.app_id, now()
    from public.webhook_endpoints e
    where e.merchant_id = paid.merchant_id and e.environment = paid.environment and e.enabled and e.deleted_at is null;
    perform pg_notify('payments_changed', payment::text);
    perform pg_notify('webhooks_due', '');
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
  /** The same transaction as the product's, on the product's tables, as one prepared call. */
  settleSame(payment: Pending): Promise<void>
}

export async function createFloor(owner: Db, db: Db, accounts: number): Promise<Floor> {
  await owner.script(tables)
  const ids = Array.from({ length: accounts + 1 }, newId)
  const [clearing, ...wallets] = ids as [string, ...string[]]
  await db.rows(sql`insert into floor.accounts (id) select unnest(${ids}::uuid[])`)
  const accountIds = new Map<string, string>()
  const accountOf = async (home: number, kind: 'provider_clearing' | 'wallet', holder: string): Promise<string> => {
    const key = `${home} ${kind} ${holder}`
    if (!accountIds.has(key)) {
      const [row] = await owner.rows<{ id: string }>(sql`
        select id from ledger_accounts
        where home = ${home} and environment = ${environment} and kind = ${kind} and holder = ${holder}`)
      accountIds.set(key, row!.id)
    }
    return accountIds.get(key)!
  }
  return {
    wallets,
    async settleSame({ home, id, merchantId }) {
      const [debit, credit] = [
        await accountOf(home, 'provider_clearing', systemHolder),
        await accountOf(home, 'wallet', merchantId),
      ]
      const made = () => newMoneyId(home)
      const rows = await db.rows<{ settled: boolean }>(sql`
        select floor.settle_same(${home}::smallint, ${id}, ${debit}, ${credit}, ${made()}, ${made()}, ${made()}, ${made()}) as settled`)
      if (!rows[0]!.settled) throw new Error(`The floor did not settle ${id}.`)
    },
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

/** Stores the rows of a checkout before its provider is called, a payment and its charge, as one plain insert. */
export async function insertCheckout(db: Db, payment: NewPayment): Promise<void> {
  const { home, id, provider, providerKey, providerBody } = payment
  await db.rows(sql`
    with payment as (
      insert into payments (home, id, merchant_id, environment, page_id, amount, phone_number, network, customer_name, customer_email,
        payer_language, idempotency_hash, request_hash, expires_at, request_id)
      values (${home}, ${id}, ${payment.merchantId}, ${payment.environment}, ${payment.pageId}, ${payment.amount}, ${payment.phoneNumber},
        ${payment.network}, ${payment.customerName}, ${payment.customerEmail}, ${payment.payerLanguage}, ${payment.idempotencyHash},
        ${payment.requestHash}, now() + interval '1 hour', ${payment.requestId})
      returning home, id
    )
    insert into provider_charges (home, payment_id, provider, idempotency_key, request_body, next_attempt_at, claimed_at, updated_at)
    select home, id, ${provider}, ${providerKey}, ${providerBody}, now() + interval '30 seconds', now(), now() from payment`)
}

/** A payment's row by its primary key. */
export async function readPayment(db: Db, home: number, id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.rows<Record<string, unknown>>(sql`
    select id, status, amount, currency, network, phone_number, expires_at, completed_at from payments where home = ${home} and id = ${id}`)
  return row
}

/** The balance of a wallet, by its owner. */
export async function readBalance(db: Db, home: number, merchantId: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.rows<Record<string, unknown>>(sql`
    select balance, currency from ledger_accounts
    where home = ${home} and environment = ${environment} and kind = 'wallet' and holder = ${merchantId}`)
  return row
}

/** The newest lines of a wallet that only has credits. */
export async function readLines(db: Db, home: number, merchantId: string): Promise<Record<string, unknown>[]> {
  return db.rows<Record<string, unknown>>(sql`
    select t.id, t.kind, t.amount, t.credit_balance_after, t.payment_id, t.created_at
    from ledger_accounts a
    join ledger_transfers t on t.home = a.home and t.credit_account_id = a.id
    where a.home = ${home} and a.environment = ${environment} and a.kind = 'wallet' and a.holder = ${merchantId}
    order by t.credit_seq desc limit 20`)
}
