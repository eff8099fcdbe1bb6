/**
 * The obvious service: the baseline of `npm run bench` for whole payments. It makes the promises of the product (one payment for each
 * idempotency key, each provider message counted once, double entry with balances, events, signed webhooks with recorded attempts) in
 * the obvious way: Fastify and `pg`, one function call of the database a step, api and deliveries in one process. Invariant: it uses
 * nothing of the product and its tables never change, so a change of the product cannot move it.
 *
 * It is written to be fast within that limit: named statements, no round trip inside a transaction, eight connections, an account of
 * the provider for each merchant so that no row is hot for all, the first attempt of a webhook and the waiting payers without a poll.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import pg from 'pg'
import { Agent } from 'undici'
import { serveParent } from './child.ts'

const schema = `
  create schema obvious;
  set search_path = obvious;
  create table merchants (id uuid primary key default uuidv7(), name text not null, hook_url text not null, hook_secret bytea not null);
  create table pages (
    id uuid primary key default uuidv7(), merchant_id uuid not null references merchants, slug text not null unique,
    amount bigint not null check (amount > 0));
  create table accounts (
    id uuid primary key default uuidv7(), merchant_id uuid not null references merchants, kind text not null check (kind in ('wallet', 'provider')),
    balance bigint not null default 0, unique (merchant_id, kind));
  create table payments (
    id uuid primary key default uuidv7(), page_id uuid not null references pages, merchant_id uuid not null references merchants,
    amount bigint not null, phone_number text not null, customer_name text not null, customer_email text not null,
    status text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
    idempotency_key text not null, request_hash bytea not null, provider_reference text unique,
    created_at timestamptz not null default now(), completed_at timestamptz, unique (page_id, idempotency_key));
  create table inbox (event_id text primary key, body text not null, received_at timestamptz not null default now());
  create table entries (
    id uuid primary key default uuidv7(), payment_id uuid not null references payments, account_id uuid not null references accounts,
    amount bigint not null, balance_after bigint not null, created_at timestamptz not null default now());
  create index on entries (account_id, id);
  create table events (
    id uuid primary key default uuidv7(), merchant_id uuid not null references merchants, payment_id uuid not null references payments,
    type text not null, data text not null, created_at timestamptz not null default now());
  create table deliveries (
    id uuid primary key default uuidv7(), event_id uuid not null references events, status text not null default 'due',
    attempts integer not null default 0, next_attempt_at timestamptz not null, created_at timestamptz not null default now());
  create index on deliveries (next_attempt_at) where status = 'due';
  create table attempts (
    id uuid primary key default uuidv7(), delivery_id uuid not null references deliveries, response_status integer, duration_ms integer not null,
    attempted_at timestamptz not null default now());

  -- The payment of this key, made now or before; no row when the page does not exist.
  create function checkout(of_slug text, of_key text, of_request bytea, phone text, payer text, email text)
  returns table (id uuid, status text, request_hash bytea, is_new boolean) language plpgsql set search_path = obvious as $$
  #variable_conflict use_column
  declare page pages; made uuid;
  begin
    select * into page from pages where slug = of_slug;
    if not found then return; end if;
    insert into payments as p (page_id, merchant_id, amount, phone_number, customer_name, customer_email, idempotency_key, request_hash)
    values (page.id, page.merchant_id, page.amount, phone, payer, email, of_key, of_request)
    on conflict (page_id, idempotency_key) do nothing returning p.id into made;
    if made is not null then return query select made, 'pending', of_request, true;
    else return query select p.id, p.status, p.request_hash, false from payments p where p.page_id = page.id and p.idempotency_key = of_key;
    end if;
  end $$;

  -- Stores the provider's message and credits its payment; no row for a repeated message, or without a pending payment of that amount.
  create function settle(event text, message text, reference text, paid bigint)
  returns table (payment_id uuid, delivery_id uuid) language plpgsql set search_path = obvious as $$
  #variable_conflict use_column
  declare payment payments; provider accounts; wallet accounts; of_event uuid; delivery uuid;
  begin
    insert into inbox (event_id, body) values (event, message) on conflict do nothing;
    if not found then return; end if;
    update payments set status = 'completed', completed_at = now()
    where provider_reference = reference and status = 'pending' and amount = paid returning * into payment;
    if not found then return; end if;
    update accounts set balance = balance - paid where merchant_id = payment.merchant_id and kind = 'provider' returning * into provider;
    update accounts set balance = balance + paid where merchant_id = payment.merchant_id and kind = 'wallet' returning * into wallet;
    insert into entries (payment_id, account_id, amount, balance_after)
    values (payment.id, provider.id, -paid, provider.balance), (payment.id, wallet.id, paid, wallet.balance);
    insert into events (merchant_id, payment_id, type, data)
    values (payment.merchant_id, payment.id, 'payment.completed', json_build_object('reference', 'pay_' || replace(payment.id::text, '-', ''),
      'status', 'completed', 'amount', paid, 'currency', 'TZS', 'phone_number', payment.phone_number, 'customer_name', payment.customer_name,
      'customer_email', payment.customer_email, 'completed_at', payment.completed_at)::text)
    returning id into of_event;
    -- This process makes the first attempt; the poll takes it over if the process dies.
    insert into deliveries (event_id, next_attempt_at) values (of_event, now() + interval '30 seconds') returning id into delivery;
    return query select payment.id, delivery;
  end $$;

  create function record_attempt(of_delivery uuid, response integer, took integer) returns void language plpgsql set search_path = obvious as $$
  begin
    insert into attempts (delivery_id, response_status, duration_ms) values (of_delivery, response, took);
    update deliveries set attempts = attempts + 1,
      status = case when response between 200 and 299 then 'delivered' when attempts >= 8 then 'failed' else 'due' end,
      next_attempt_at = now() + interval '10 seconds' * (attempts + 1) ^ 2
    where id = of_delivery;
  end $$;`

/** Makes the tables, and merchants with a page each whose webhooks go to this address; returns the slugs. */
export async function makeObvious(url: string, merchants: number, hookUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(schema)
    const { rows } = await client.query<{ slug: string }>(
      `with made as (
        insert into obvious.merchants (name, hook_url, hook_secret)
        select 'Merchant ' || n, $2, sha256(n::text::bytea) from generate_series(1, $1::integer) n returning id
      ), opened as (
        insert into obvious.accounts (merchant_id, kind) select id, kind from made, unnest(array['wallet', 'provider']) kind
      )
      insert into obvious.pages (merchant_id, slug, amount) select id, 'page-' || id, 5000 from made returning slug`,
      [merchants, hookUrl],
    )
    return rows.map(({ slug }) => slug)
  } finally {
    await client.end()
  }
}

type Checkout = { slug: string; phone_number: string; customer_name: string; customer_email: string; idempotency_key: string }
type Report = { id: string; data: { reference: string; status: string; amount: { value: number } } }
type Delivery = { id: string; event_id: string; type: string; data: string; hook_url: string; hook_secret: Buffer }

const text = { type: 'string', minLength: 1, maxLength: 200 }
const checkoutSchema = {
  type: 'object',
  required: ['slug', 'phone_number', 'customer_name', 'customer_email', 'idempotency_key'],
  properties: {
    slug: text,
    phone_number: { type: 'string', pattern: String.raw`^\+255\d{9}$` },
    customer_name: text,
    customer_email: text,
    idempotency_key: text,
  },
}

const referenceOf = (id: string): string => `pay_${id.replaceAll('-', '')}`
const idOf = (reference: string): string | undefined => /^pay_([0-9a-f]{32})$/.exec(reference)?.[1]

/** The provider accepts each charge at once, as in the product's bench. */
const charge = async (id: string): Promise<string> => `SN${id.replaceAll('-', '')}`

async function start(url: string, port: number, providerSecret: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 8 })
  pool.on('error', () => undefined)
  /** A statement has a name, so each connection parses it once. */
  const query = async <Row extends pg.QueryResultRow>(name: string, words: string, values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ name, text: words, values })).rows

  const waiting = new Map<string, Set<() => void>>()
  const agent = new Agent({ connections: 64 })
  const deliver = async ({ id, event_id, type, data, hook_url, hook_secret }: Delivery): Promise<void> => {
    const body = `{"id":"${event_id}","type":"${type}","data":${data}}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', hook_secret).update(`${event_id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'content-type': 'application/json',
      'webhook-id': event_id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
    const startedAt = performance.now()
    const { origin, pathname } = new URL(hook_url)
    const answer = await agent
      .request({ origin, path: pathname, method: 'POST', headers, body, headersTimeout: 10_000 })
      .catch(() => undefined)
    await answer?.body.dump().catch(() => undefined)
    const tookMs = Math.round(performance.now() - startedAt)
    await query('attempt', 'select obvious.record_attempt($1, $2, $3)', [id, answer?.statusCode ?? null, tookMs])
  }
  const columns = 'd.id, e.id as event_id, e.type, e.data, m.hook_url, m.hook_secret'
  const deliverFirst = async (id: string): Promise<void> => {
    const [delivery] = await query<Delivery>(
      'delivery',
      `select ${columns} from obvious.deliveries d join obvious.events e on e.id = d.event_id join obvious.merchants m on m.id = e.merchant_id
      where d.id = $1`,
      [id],
    )
    await deliver(delivery!)
  }
  const deliverDue = async (): Promise<void> => {
    const due = await query<Delivery>(
      'due',
      `with claimed as (
        update obvious.deliveries set next_attempt_at = now() + interval '30 seconds'
        where id in (select id from obvious.deliveries where status = 'due' and next_attempt_at <= now()
          order by next_attempt_at limit 100 for update skip locked)
        returning *
      )
      select ${columns} from claimed d join obvious.events e on e.id = d.event_id join obvious.merchants m on m.id = e.merchant_id`,
      [],
    )
    await Promise.all(due.map(deliver))
  }

  const app = fastify()
  app.post<{ Body: Checkout }>('/v1/payments/checkout', { schema: { body: checkoutSchema } }, async ({ body }, reply) => {
    const { slug, phone_number, customer_name, customer_email, idempotency_key } = body
    const wanted = [slug, phone_number, customer_name, customer_email]
    const hash = createHash('sha256').update(JSON.stringify(wanted)).digest()
    const [payment] = await query<{ id: string; status: string; request_hash: Buffer; is_new: boolean }>(
      'checkout',
      'select * from obvious.checkout($1, $2, $3, $4, $5, $6)',
      [slug, idempotency_key, hash, phone_number, customer_name, customer_email],
    )
    if (!payment) return reply.code(404).send({ error: 'There is no such page.' })
    if (!payment.request_hash.equals(hash)) return reply.code(409).send({ error: 'The key belongs to another request.' })
    if (payment.is_new) {
      const reference = await charge(payment.id)
      await query('accepted', 'update obvious.payments set provider_reference = $2 where id = $1', [payment.id, reference])
    }
    return reply.code(201).send({ data: { reference: referenceOf(payment.id), status: payment.status } })
  })

  type Status = { id: string; status: string; amount: string; completed_at: Date | null }
  const read = async (id: string): Promise<Status | undefined> =>
    (await query<Status>('status', 'select id, status, amount, completed_at from obvious.payments where id = $1', [id]))[0]
  app.get<{ Params: { reference: string }; Querystring: { wait?: string } }>(
    '/v1/payments/:reference/status',
    async ({ params, query: { wait = '0' } }, reply) => {
      const hex = idOf(params.reference)
      if (hex === undefined) return reply.code(404).send({ error: 'There is no such payment.' })
      // Listens before it reads: a payment that completes in between wakes it.
      const woken = Promise.withResolvers<void>()
      const others = waiting.get(hex) ?? new Set()
      waiting.set(hex, others.add(woken.resolve))
      try {
        let payment = await read(hex)
        if (payment?.status === 'pending' && Number(wait) > 0) {
          await Promise.race([woken.promise, sleep(Math.min(Number(wait), 25) * 1000, undefined, { ref: false })])
          payment = await read(hex)
        }
        if (!payment) return reply.code(404).send({ error: 'There is no such payment.' })
        const { status, amount, completed_at } = payment
        return reply.send({ data: { reference: params.reference, status, amount: Number(amount), completed_at } })
      } finally {
        others.delete(woken.resolve)
        if (others.size === 0) waiting.delete(hex)
      }
    },
  )

  await app.register(async (provider) => {
    // The signature is over the bytes.
    provider.removeAllContentTypeParsers()
    provider.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    provider.post<{ Body: string }>('/v1/providers/snippe/live/webhook', async ({ body, headers }, reply) => {
      const timestamp = String(headers['x-webhook-timestamp'])
      const wanted = createHmac('sha256', providerSecret).update(`${timestamp}.${body}`).digest()
      const signed = Buffer.from(String(headers['x-webhook-signature']), 'hex')
      const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300
      if (!isFresh || signed.length !== wanted.length || !timingSafeEqual(signed, wanted))
        return reply.code(401).send({ error: 'The signature is wrong.' })
      const { id, data } = JSON.parse(body) as Report
      if (data.status !== 'completed') return reply.send({})
      const [settled] = await query<{ payment_id: string; delivery_id: string }>(
        'settle',
        'select * from obvious.settle($1, $2, $3, $4)',
        [id, body, data.reference, data.amount.value],
      )
      if (settled) {
        for (const wake of waiting.get(settled.payment_id.replaceAll('-', '')) ?? []) wake()
        deliverFirst(settled.delivery_id).catch(() => undefined)
      }
      return reply.send({})
    })
  })
  await app.listen({ host: '127.0.0.1', port })
  setInterval(() => void deliverDue().catch(() => undefined), 2_000)
}

if (import.meta.main) {
  const { DATABASE_URL, PORT, PROVIDER_SECRET = randomBytes(32).toString('hex') } = process.env
  await start(DATABASE_URL!, Number(PORT), PROVIDER_SECRET)
  serveParent()
}
