/** A database that loses races, is full or is read-only: the answer is 503, nothing is half done, and money that moved is booked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from './databases.ts'
import { startDatabaseProxy } from './faults/tcp-proxy.ts'
import { eventually, startTestApp, type Answer, type TestApp } from './app.ts'

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

const waiting = '0754000111'

async function payNow(app: TestApp): Promise<void> {
  const { charges } = await app.truth()
  const { reference } = charges.find(({ status }: { status: string }) => status === 'pending')
  await app.control('POST', `/charges/${reference}/answer`, { action: 'pin', pin: '1234' })
}

/** The parts of our books that a half-done request could have changed. */
async function books(app: TestApp): Promise<Record<string, number>> {
  const { rows } = await app.owner.pool.query(
    `select (select count(*) from payments)::integer as payments, (select count(*) from provider_charges)::integer as charges,
       (select count(*) from payouts)::integer as payouts, (select count(*) from provider_payouts)::integer as orders,
       (select count(*) from ledger_transfers)::integer as transfers, (select count(*) from events where type = 'payment.completed')::integer as events,
       (select coalesce(sum(balance), 0) from ledger_accounts where kind = 'wallet')::integer as wallets,
       (select coalesce(sum(held_count), 0) from payment_pages)::integer as held`,
  )
  return rows[0]
}

const credits = async (app: TestApp): Promise<number> => (await books(app))['wallets']!

/** Makes the next statements on a table fail with this code, at once or when their transaction commits. */
async function failOn(
  app: TestApp,
  table: string,
  code: string,
  { times = 1_000_000, atCommit = false }: { times?: number; atCommit?: boolean } = {},
): Promise<() => Promise<void>> {
  // A sequence keeps counting, although the statement is rolled back.
  await app.owner.pool.query(`
    create sequence failures;
    create function fail_now() returns trigger language plpgsql security definer as $$
    begin
      if nextval('failures') <= ${times} then raise exception 'made to fail' using errcode = '${code}'; end if;
      return null;
    end $$;
    ${
      atCommit
        ? `create constraint trigger fail_now after insert on ${table} deferrable initially deferred for each row execute function fail_now();`
        : `create trigger fail_now after insert on ${table} for each statement execute function fail_now();`
    }`)
  return async () => {
    await app.owner.pool.query(`drop trigger fail_now on ${table}; drop function fail_now(); drop sequence failures;`)
  }
}

const askPayout = (app: TestApp, key: string, name: string): Promise<Answer> =>
  app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': name },
    body: { amount: 20_000, phone_number: '+255754000129', recipient_name: 'Asha Mushi' },
  })

async function shop(app: TestApp): Promise<{ slug: string; key: string }> {
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 100_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  return { slug: page.slug, key }
}

test('a race that is lost is run again, five times at most, and then reported: nothing of it has happened [F29]', async (t) => {
  const app = await startTestApp(t)
  const { slug, key } = await shop(app)
  for (const code of ['40P01', '40001']) {
    for (const table of ['payments', 'payouts'] as const) {
      const ask = () =>
        table === 'payments' ? app.checkout(slug, { phone_number: waiting }) : askPayout(app, key, `${code}-${table}`)
      await app.deps.backgroundDone()
      let restore = await failOn(app, table, code)
      const before = await books(app)
      const refused = await ask()
      assert.equal(short(refused), '503 overloaded')
      assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      assert.deepEqual(await books(app), before)
      await restore()
      restore = await failOn(app, table, code, { times: 4 })
      assert.equal((await ask()).status, 201)
      await restore()
    }
  }
  // A credit that loses all its races waits in the inbox, and is made once.
  const restore = await failOn(app, 'ledger_transfers', '40P01', { times: 3 })
  const before = await credits(app)
  await payNow(app)
  await eventually('it is credited', async () => (await credits(app)) === before + 100_000)
  await restore()
})

test('a real deadlock between a credit and another transaction delays the credit by a second, and has no other effect [F29]', async (t) => {
  const app = await startTestApp(t)
  const { slug } = await shop(app)
  const before = await credits(app)
  await app.checkout(slug, { phone_number: waiting })
  const other = await app.owner.pool.connect()
  await other.query(`begin; select 1 from ledger_accounts where kind = 'wallet' for update`)
  await payNow(app)
  await eventually('the credit waits for the wallet', async () => {
    const { rows } = await app.owner.pool.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length > 0
  })
  // The credit has locked the payment and waits for the wallet; this transaction locks them in the other order. One of the two is
  // the victim.
  await other.query('update payments set updated_at = updated_at').catch((error: unknown) => {
    assert.equal((error as { code?: string }).code, '40P01')
  })
  await other.query('rollback')
  other.release()
  await eventually('it is credited', async () => (await credits(app)) === before + 100_000)
})

test('a disk that is full, a read-only database, a statement that takes too long: 503, and nothing half done [F30]', async (t) => {
  const app = await startTestApp(t)
  const { slug, key } = await shop(app)
  for (const code of ['53100', '25006', '57014', '53200', '58030']) {
    for (const atCommit of [false, true]) {
      for (const table of ['payments', 'provider_charges', 'payouts', 'ledger_transfers']) {
        const restore = await failOn(app, table, code, { atCommit })
        const before = await books(app)
        const isPayout = table === 'payouts' || table === 'ledger_transfers'
        const refused = await (isPayout ? askPayout(app, key, `${code}-${table}-${atCommit}`) : app.checkout(slug))
        assert.equal(short(refused), '503 overloaded', `${code} on ${table}`)
        assert.ok(refused.headers.get('retry-after'))
        assert.deepEqual(await books(app), before, `${code} on ${table}`)
        await restore()
      }
    }
  }
  assert.equal((await app.truth()).payouts.length, 0)
})

test('a provider gets 503 while its message cannot be stored, and sends it again [F30]', async (t) => {
  const app = await startTestApp(t, { simulator: { webhookDelaysMs: [0, 300, 300, 300, 300, 300] } })
  const { slug } = await shop(app)
  const before = await credits(app)
  await app.checkout(slug, { phone_number: waiting })
  const restore = await failOn(app, 'provider_inbox', '53100')
  await payNow(app)
  await eventually('it was refused', async () =>
    (await app.truth()).charges.some((charge: any) => JSON.stringify(charge).includes('503')),
  )
  assert.equal(await credits(app), before)
  await restore()
  await eventually('it is credited', async () => (await credits(app)) === before + 100_000)
})

test('a database that really is read-only: not ready, alive, 503, and everything continues when it accepts writes again [F30]', async (t) => {
  const app = await startTestApp(t)
  const { slug, key } = await shop(app)
  const { rows } = await app.owner.pool.query('select current_database() as name')
  const restart = async (value: string) => {
    await app.owner.pool.query(`alter database ${rows[0].name} set default_transaction_read_only = ${value}`)
    await app.owner.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
  const before = await books(app)
  await restart('on')
  await eventually('it is not ready', async () => (await fetch(`${app.config.urls.api}/readyz`)).status === 503)
  assert.equal((await fetch(`${app.config.urls.api}/livez`)).status, 200)
  await eventually('reads continue', async () => (await app.call('GET', '/v1/balance', { key })).status === 200)
  assert.equal(short(await app.checkout(slug)), '503 overloaded')
  assert.equal(short(await askPayout(app, key, 'one')), '503 overloaded')
  assert.deepEqual(await books(app), before)
  await app.owner.pool.query('set default_transaction_read_only = off')
  await restart('off')
  await eventually('it is ready', async () => (await fetch(`${app.config.urls.api}/readyz`)).status === 200)
  assert.equal((await app.checkout(slug)).status, 201)
})

test('a table that is locked for long: a waiting caller gets 503 after two seconds, and nothing is left behind [F30]', async (t) => {
  const app = await startTestApp(t)
  const { slug } = await shop(app)
  const before = await books(app)
  const holder = await app.owner.pool.connect()
  await holder.query('begin; lock table payments in share row exclusive mode')
  const startedAt = performance.now()
  assert.equal(short(await app.checkout(slug)), '503 overloaded')
  assert.ok(performance.now() - startedAt < 5_000)
  await holder.query('rollback')
  holder.release()
  assert.deepEqual(await books(app), before)
})

test('notifications use a connection whose session lasts, and no other query runs there', async (t) => {
  const database = await createTestDatabase()
  const direct = await startDatabaseProxy(t, database.url)
  const app = await startTestApp(t, { database, settings: { DATABASE_SESSION_URL: direct.url } })
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
  assert.equal(direct.connections(), 1)
})
