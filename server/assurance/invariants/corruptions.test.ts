/**
 * The changes that an owner of the database can make to it, and that each is detected: each corruption is made with triggers and foreign
 * keys off, in a transaction that is rolled back, and checked by the full check and by the incremental check. Prints which were detected.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { checkAll, runnerOf, undone } from '../../../test/fixtures/books.ts'
import { closeDay } from './close-days.ts'
import { pruneMessages } from '../../money/providers/inbox.sql.ts'
import { chargeOrders } from '../../collect/payments/order-mac.sql.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { sumDay } from '../../views/merchant-account/sum-days.ts'
import { pruneSpans, sealSpans } from './sealed-span.sql.ts'
import { verifyAll } from './verify-all.ts'
import type { Violation } from './verify.ts'

type Corruption = {
  what: string
  statements: string
  /** Only the full check reads this much. */
  isForWhole?: boolean
  /** It changes a closed day. */
  ofClosedDay?: boolean
}

/** The completed payment that most corruptions change, and its rows. */
const paid = `(select id from payments where status = 'completed' order by id limit 1)`
const credit = `(select id from ledger_transfers where kind = 'payment' and payment_id = ${paid})`
const failed = `(select id from payments where status = 'failed' order by id limit 1)`
const pending = `(select id from payments where status = 'pending' order by id limit 1)`
const walletOf = (side: string) => `(select ${side}_account_id from ledger_transfers where id = ${credit})`

/** Replaces one value in the data of an event, and leaves its other bytes. */
const changedData = (key: string, value: string) => `data = replace(data::text, data ->> '${key}', (${value})::text)::json`

/** Recomputes the chain of the audit log up to its head, as far as this is possible without a key. */
const rechained = `do $$ declare entry record; link bytea := sha256('malipo audit log'); begin
    for entry in select * from audit_log order by seq loop
      update audit_log set previous_hash = link, hash = audit_entry_hash(link, seq, at, actor, action, object, before, after, request_id, ip, merchant_id)
        where seq = entry.seq returning hash into link;
    end loop;
    update audit_head set hash = link;
  end $$`

/** In the order of the table of what `verify` must notice, line by line. */
const corruptions: Corruption[] = [
  { what: 'wallet + 1000', statements: `update ledger_accounts set balance = balance + 1000 where kind = 'wallet'` },
  {
    what: 'wallet + 1000 and clearing − 1000',
    statements: `update ledger_accounts set balance = balance + 1000 where id = ${walletOf('credit')};
      update ledger_accounts set balance = balance - 1000 where id = ${walletOf('debit')}`,
  },
  { what: 'last_seq changed', statements: `update ledger_accounts set last_seq = last_seq + 1 where kind = 'wallet'` },
  { what: 'a transfer deleted', statements: `delete from ledger_transfers where id = ${credit}` },
  {
    what: 'the break of a transfer',
    statements: `update ledger_transfers set break_id = (select id from breaks limit 1) where id = ${credit}`,
  },
  { what: 'its amount changed', statements: `update ledger_transfers set amount = amount + 1 where id = ${credit}` },
  {
    what: 'debit and credit swapped',
    statements: `update ledger_transfers set debit_account_id = credit_account_id, credit_account_id = debit_account_id, debit_seq = credit_seq, credit_seq = debit_seq where id = ${credit}`,
  },
  {
    what: 'the last fee deleted',
    statements: `delete from ledger_transfers where id = (select id from ledger_transfers where kind = 'provider_fee' order by debit_seq desc limit 1)`,
  },
  {
    what: 'a duplicate seq',
    statements: `alter table ledger_transfers drop constraint ledger_transfers_credit_seq_unique;
      update ledger_transfers set credit_seq = credit_seq + 1 where id = ${credit}`,
  },
  {
    what: 'completed → failed',
    statements: `update payments set status = 'failed', failure_code = 'wrong_pin', completed_at = null where id = ${paid}`,
  },
  {
    what: 'a forged event',
    statements: `insert into events (home, id, type, merchant_id, environment, payment_id, data)
      select home, gen_random_uuid(), 'payment.completed', merchant_id, environment, id, '{}' from payments where id = ${pending}`,
  },
  {
    what: 'the event’s amount',
    statements: `update events set ${changedData('amount', "(data ->> 'amount')::bigint + 1")} where payment_id = ${paid}`,
  },
  { what: 'the payment’s merchant', statements: `update payments set merchant_id = gen_random_uuid() where id = ${paid}` },
  {
    what: 'the wallet’s holder',
    statements: `update ledger_accounts set holder = gen_random_uuid() where id = ${walletOf('credit')}`,
  },
  { what: 'the payment’s page', statements: `update payments set page_id = gen_random_uuid() where id = ${paid}` },
  {
    what: 'the amount of a paid payment request',
    statements: `update payment_pages set amount = amount - 500 where kind = 'request'`,
  },
  { what: 'page counters', statements: `update payment_pages set paid_total = paid_total + 1`, isForWhole: true },
  { what: 'the totals of a customer', statements: `update customers set paid_total = paid_total + 1`, isForWhole: true },
  {
    what: 'a lost customer',
    statements: `delete from customers where id = (select min(id::text)::uuid from customers)`,
    isForWhole: true,
  },
  {
    what: 'a delivery dropped',
    statements: `update webhook_endpoints set enabled_at = enabled_at - interval '6 minutes';
      delete from webhook_deliveries where event_id = (select min(event_id::text)::uuid from webhook_deliveries)`,
  },
  {
    what: 'a forged attempt',
    statements: `insert into webhook_attempts (home, id, delivery_id, event_id, event_type, endpoint_id, app_id, url, attempt, trigger, outcome, duration_ms)
      select home, gen_random_uuid(), id, event_id, 'payment.completed', endpoint_id, app_id, 'http://x', 1, 'automatic', 'succeeded', 1
      from webhook_deliveries where trigger = 'automatic' limit 1`,
  },
  { what: 'the payout’s fee', statements: `update payouts set fee = fee + 1` },
  { what: 'a payout completed → processing', statements: `update payouts set status = 'processing', completed_at = null` },
  { what: 'the break of money in suspense deleted', statements: `delete from breaks` },
  {
    what: 'a charge’s reference deleted',
    statements: `delete from provider_references where payment_id = ${paid}`,
  },
  {
    what: 'a closed day edited',
    statements: `update ledger_transfers set actor = 'intruder' where id = ${credit}`,
    ofClosedDay: true,
  },
  {
    what: 'a closed day edited, and its digest recomputed',
    statements: `update ledger_transfers set actor = 'intruder' where id = ${credit};
      update closed_days d set digest = n.digest from closed_days k cross join lateral ledger_day_digest(k.day) n where k.day = d.day`,
    ofClosedDay: true,
  },
  { what: 'the stored sum of a closed day', statements: `update wallet_days set payments = payments + 1`, ofClosedDay: true },
  {
    what: 'the network of a stored sum',
    statements: `update wallet_days set network = case network when 'airtel' then 'mixx' else 'airtel' end`,
    ofClosedDay: true,
  },
  {
    what: 'a lost sum',
    statements: `delete from wallet_days where amount = (select max(amount) from wallet_days)`,
    ofClosedDay: true,
  },
  {
    what: 'a forged sum',
    statements: `insert into wallet_days select home, merchant_id, 'live', day, page_id, page_kind, network, payments, amount from wallet_days`,
    ofClosedDay: true,
  },
  {
    what: 'a day left out of the sums',
    statements: `delete from summed_days; insert into summed_days select max(day) + 1, clock_now() from closed_days`,
    ofClosedDay: true,
  },
  { what: 'an audit entry removed', statements: `delete from audit_log where seq = (select max(seq) - 1 from audit_log)` },
  {
    what: 'an audit entry rewritten, and the chain recomputed',
    statements: `update audit_log set actor = 'system' where seq = (select max(seq) - 2 from audit_log); ${rechained}`,
  },
  {
    what: 'an audit entry forged at the end of the chain',
    statements: `insert into audit_log (seq, at, actor, action, object, before, after, request_id, ip, previous_hash, hash, mac)
        select seq + 1, at, 'usr_x', action, object, before, after, request_id, ip, hash,
          audit_entry_hash(hash, seq + 1, at, 'usr_x', action, object, before, after, request_id, ip, null), mac
        from audit_log order by seq desc limit 1;
      update audit_head h set seq = l.seq, hash = l.hash from (select seq, hash from audit_log order by seq desc limit 1) l`,
  },
  {
    what: 'the audit log rewritten, and said to be from before there were codes',
    statements: `update audit_log set actor = 'system' where seq = (select max(seq) - 2 from audit_log); ${rechained};
      update audit_log set mac = null; update audit_head set keyed_after = seq, keyed_after_hash = hash`,
  },
  {
    what: 'one credit raised consistently in an open day',
    statements: `update payments set amount = amount + 1000 where id = ${paid};
      update events set ${changedData('amount', "(data ->> 'amount')::bigint + 1000")} where payment_id = ${paid};
      update payment_pages set paid_total = paid_total + 1000 where id = (select page_id from payments where id = ${paid});
      update ledger_transfers t set credit_balance_after = t.credit_balance_after + 1000 from ledger_transfers c
        where c.id = ${credit} and t.credit_account_id = c.credit_account_id and t.credit_seq >= c.credit_seq;
      update ledger_transfers t set debit_balance_after = t.debit_balance_after + 1000 from ledger_transfers c
        where c.id = ${credit} and t.debit_account_id = c.credit_account_id and t.debit_seq >= c.credit_seq;
      update ledger_transfers t set credit_balance_after = t.credit_balance_after - 1000 from ledger_transfers c
        where c.id = ${credit} and t.credit_account_id = c.debit_account_id and t.credit_seq >= c.debit_seq;
      update ledger_transfers t set debit_balance_after = t.debit_balance_after - 1000 from ledger_transfers c
        where c.id = ${credit} and t.debit_account_id = c.debit_account_id and t.debit_seq >= c.debit_seq;
      update ledger_accounts set balance = balance + 1000 where id = ${walletOf('credit')};
      update ledger_accounts set balance = balance - 1000 where id = ${walletOf('debit')};
      update ledger_transfers set amount = amount + 1000 where id = ${credit}`,
  },
  { what: 'the event’s merchant', statements: `update events set merchant_id = gen_random_uuid() where payment_id = ${paid}` },
  {
    what: 'the event’s page',
    statements: `update events set ${changedData('payment_page_id', "wire_id('page', gen_random_uuid())")} where payment_id = ${paid}`,
  },
  {
    what: 'the event’s completed_at',
    statements: `update events set ${changedData('completed_at', "wire_time((data ->> 'completed_at')::timestamptz + interval '1 second')")} where payment_id = ${paid}`,
  },
  {
    what: 'a payout order’s recipient in request_body',
    statements: `update provider_payouts set request_body = replace(request_body, '255754000123', '255754000999')`,
  },
  {
    what: 'a payout order’s amount in request_body',
    statements: `update provider_payouts set request_body = replace(request_body, '20000', '90000')`,
  },
  { what: 'the payout’s phone', statements: `update payouts set phone_number = '+255754000999'` },
  {
    what: 'a provider message marked settled while its payment is still pending',
    statements: `insert into provider_inbox (provider, environment, event_id, body_hash, body, paid_amount, state, home, payment_id, request_id, settled_at)
      select 'snippe', environment, 'lost', sha256('{}'), '{}', amount, 'settled', home, id, 'r', clock_now() from payments where id = ${pending}`,
  },
  {
    what: 'a provider message marked settled without a payment',
    statements: `insert into provider_inbox (provider, environment, event_id, body_hash, body, paid_amount, state, request_id, settled_at)
      values ('snippe', 'test', 'lost', sha256('{}'), '{}', 1000, 'settled', 'r', clock_now())`,
  },
  {
    what: 'a pending payment and its charge erased',
    statements: `delete from provider_references where payment_id = ${pending}; delete from provider_inbox where payment_id = ${pending};
      create temporary table gone on commit drop as select ${pending} as id;
      delete from provider_charges where payment_id = (select id from gone); delete from payments where id = (select id from gone)`,
  },
  {
    what: 'pending → expired, asked no more',
    statements: `create temporary table ended on commit drop as select ${pending} as id;
      update payments set status = 'expired' where id = (select id from ended);
      update provider_charges set next_attempt_at = null where payment_id = (select id from ended)`,
  },
  {
    what: 'failed → voided',
    statements: `update payments set status = 'voided', failure_code = null where id = ${failed}`,
  },
  {
    what: 'attempts set to zero',
    statements: `update webhook_deliveries set status = 'delivered', attempts = 0, finished_at = clock_now(), next_attempt_at = null, leased_by = null`,
  },
  { what: 'the late flag', statements: `update payments set late = true where id = ${paid}` },
  {
    what: 'orders marked rejected: a charge',
    statements: `update provider_charges set state = 'rejected' where payment_id = ${paid}`,
  },
  {
    what: 'the refunded amount of a payment',
    statements: `update payments set refunded_amount = refunded_amount - 500 where refunded_amount > 0`,
  },
  { what: 'a refund forgotten by its payment', statements: `update payments set refunded_amount = 0` },
  {
    what: 'a refund beyond its payment',
    statements: `update payments set refunded_amount = amount + 500, refund_overpaid = 500 where refunded_amount > 0;
      update payouts set amount = 40500 where purpose = 'refund'`,
  },
  {
    what: 'a refund of another payment',
    statements: `update payouts set refund_of = (select id from payments where status = 'completed' and refunded_amount = 0 limit 1)
      where purpose = 'refund'`,
  },
  {
    what: 'a refund turned into a payout',
    statements: `update payouts set purpose = 'merchant', refund_of = null where purpose = 'refund'`,
  },
  {
    what: 'the bound of refunds dropped',
    statements: `alter table payments drop constraint payments_refunds_within_amount`,
  },
  { what: 'orders marked rejected: a payout', statements: `update provider_payouts set state = 'rejected'` },
  {
    what: 'two payouts with one reference',
    statements: `drop index provider_payouts_one_per_reference;
      update provider_payouts set provider_reference = (select max(provider_reference) from provider_payouts)`,
  },
  {
    what: 'a payout with the reference of a charge',
    statements: `update provider_payouts set provider_reference = (select provider_reference from provider_charges where payment_id = ${paid})
      where payout_id = (select payout_id from provider_payouts order by payout_id limit 1)`,
  },
  ...(
    [
      ['actor', `actor = 'intruder'`],
      ['request', `request_id = 'another'`],
      ['page', `page_id = gen_random_uuid()`],
      ['movement', `movement_id = gen_random_uuid()`],
      ['time', `created_at = created_at - interval '1 second'`],
    ] as const
  ).map(([column, change]) => ({
    what: `the ${column} of a transfer in an open day`,
    statements: `update ledger_transfers set ${change} where id = ${credit}`,
  })),
  { what: 'the payer’s phone', statements: `update payments set phone_number = '+255754999999' where id = ${paid}` },
  { what: 'the payer’s name', statements: `update payments set customer_name = 'Changed' where id = ${paid}` },
  { what: 'the payer’s e-mail', statements: `update payments set customer_email = 'no@example.com' where id = ${paid}` },
  {
    what: 'completed_at moved to another day',
    statements: `update payments set completed_at = completed_at - interval '1 day' where id = ${paid}`,
  },
  { what: 'the payouts’ trigger dropped', statements: `drop trigger payouts_transition_known on payouts` },
  { what: 'the payouts’ trigger switched off', statements: `alter table payouts disable trigger all` },
  { what: 'a foreign key of the payouts dropped', statements: `alter table payouts drop constraint payouts_merchant_id_fkey` },
  {
    what: 'a unique constraint dropped',
    statements: `alter table events drop constraint events_one_per_payment`,
  },
  {
    what: '`ledger_day_digest` replaced',
    statements: `create or replace function ledger_day_digest(of_day date, out transfers bigint, out digest bytea) language sql stable as
      $$ select d.transfers, d.digest from closed_days d where d.day = of_day $$`,
  },
  {
    what: '`clock_now` replaced',
    statements: `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() - interval '1 minute' $$`,
  },
  {
    what: 'a state machine with one more move',
    statements: `insert into payment_transitions values ('completed', 'failed', true, false, false)`,
  },
  { what: 'the service may rewrite events', statements: `grant update on events to malipo_service` },
]

/** Runs the checks within the caller's open transaction. */
function verifyWithin(app: TestApp, client: pg.PoolClient, since: Date | null): Promise<Violation[]> {
  const runner = runnerOf(client)
  const db = { ...runner, snapshot: <Result>(read: (tx: any) => Promise<Result>) => read(runner) }
  return verifyAll({ db, recordMac: app.deps.recordMac, clocks: 'own' }, { since })
}

/** Payments that were paid, that failed, that wait and that differ, and payouts; the schema was migrated long ago. */
async function startBusyApp(t: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp(t)
  await app.owner.pool.query(`update kysely_migration set timestamp = '2026-01-01T00:00:00.000Z'`)
  const student = await app.student()
  const { key, appId } = await app.key(student)
  await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:9999/hook' },
  })
  const page = await app.page(student, { amount: 40_000 })
  for (let turn = 0; turn < 3; turn += 1) await app.settled((await app.checkout(page.slug)).body.data.reference)
  await app.settled((await app.checkout(page.slug, { phone_number: '0754000059' })).body.data.reference)
  await app.checkout(page.slug, { phone_number: '0754000189' })
  await eventually('money is put aside', async () => {
    const { rows } = await app.owner.pool.query(`select from ledger_transfers where kind = 'suspense'`)
    return rows.length === 1
  })
  await app.checkout(page.slug, { phone_number: '0754000129' })
  for (const idempotencyKey of ['one', 'two']) {
    const asked = await app.call('POST', '/v1/payouts', {
      key,
      headers: { 'idempotency-key': idempotencyKey },
      body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
    })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
  }
  await eventually('they are paid out', async () => {
    const { rows } = await app.owner.pool.query(`select from payouts where status = 'completed'`)
    return rows.length === 2
  })
  const refunded = (await app.checkout(page.slug)).body.data.reference
  await app.settled(refunded)
  const refund = await app.call('POST', `/v1/payments/${refunded}/refunds`, { key, headers: { 'idempotency-key': 'three' } })
  assert.equal(refund.status, 201, JSON.stringify(refund.body))
  await eventually('it is refunded', async () => {
    const { rows } = await app.owner.pool.query(`select from payouts where status = 'completed'`)
    return rows.length === 3
  })
  const request = await app.call('POST', '/v1/payment-requests', { key, body: { amount: 7_000, title: 'Order 1043' } })
  await app.settled((await app.checkout(request.body.data.url.split('/pay/')[1]!)).body.data.reference)
  await app.deps.backgroundDone()
  const customers = await app.call('GET', '/v1/merchant/customers?environment=test', { token: student.token })
  assert.equal(customers.body.counting, false)
  return app
}

type Outcome = Corruption & { young: boolean; whole: boolean; by: string }

async function tryAll(app: TestApp, list: Corruption[]): Promise<Outcome[]> {
  const hourAgo = new Date(Date.now() - 3_600_000)
  const outcomes: Outcome[] = []
  for (const corruption of list) {
    await undone(app, async (client) => {
      await client.query(
        `set local session_replication_role = replica; ${corruption.statements}; set local session_replication_role = origin`,
      )
      const young = await verifyWithin(app, client, hourAgo)
      const whole = await verifyWithin(app, client, null)
      const by = [...new Set([...young, ...whole].map(({ invariant }) => invariant))].join(' ')
      outcomes.push({ ...corruption, young: young.length > 0, whole: whole.length > 0, by })
    })
  }
  return outcomes
}

function print(outcomes: Outcome[]): void {
  const lines = outcomes.map(({ what, young, whole, isForWhole, by }) => {
    const caught = (young || isForWhole) && whole
    return `${caught ? 'caught' : 'MISSED'}  young: ${young ? 'yes' : 'no '}  whole: ${whole ? 'yes' : 'no '}  ${what}  (${by})`
  })
  process.stdout.write(`${lines.join('\n')}\n`)
}

test('every change that the database owner makes is found, and the incremental check finds recent changes', async (t) => {
  const app = await startBusyApp(t)
  await sealSpans(app.db, { lagSeconds: 0, steps: 2 })
  assert.deepEqual(await checkAll(app), [])
  assert.deepEqual(await verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: 'own' }), [])
  const outcomes = await tryAll(
    app,
    corruptions.filter(({ ofClosedDay }) => !ofClosedDay),
  )
  // A past day of the ledger has its own digest.
  await app.owner.pool.query('delete from sealed_spans')
  await app.owner.pool.query(`update ledger_transfers set created_at = created_at - interval '2 days'`)
  while (await closeDay(app.deps)) continue
  while (await sumDay(app.deps)) continue
  assert.deepEqual(await verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: 'own' }), [])
  outcomes.push(
    ...(await tryAll(
      app,
      corruptions.filter(({ ofClosedDay }) => ofClosedDay),
    )),
  )
  print(outcomes)
  const missed = outcomes.filter(({ young, whole, isForWhole }) => !whole || !(young || isForWhole))
  assert.deepEqual(
    missed.map(({ what }) => what),
    [],
  )
})

test('erasing a payer and pruning old rows is no corruption', async (t) => {
  const app = await startBusyApp(t)
  const page = await app.page(await app.student())
  await app.settled((await app.checkout(page.slug, { phone_number: '0754888789' })).body.data.reference)
  await sealSpans(app.db, { lagSeconds: 0, steps: 2 })
  const check = () => verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: 'own' })
  assert.deepEqual(await check(), [])
  assert.equal((await erasePayer(app.deps, '+255754888789')).payments, 1)
  assert.deepEqual(await check(), [])
  await app.owner.pool.query(`update provider_inbox set received_at = received_at - interval '91 days';
    update provider_charges set claimed_at = claimed_at - interval '91 days'`)
  assert.ok((await pruneMessages(app.db, 'settled', 90, 1_000)) > 0)
  await app.owner.pool.query(
    `delete from sealed_spans where what in ('payments', 'events');
    update sealed_spans set from_at = from_at - interval '9 days', to_at = to_at - interval '9 days', row_count = 0`,
  )
  assert.ok((await pruneSpans(app.db, 8, 1_000)) > 0)
  assert.deepEqual(await check(), [])
  // An erasure does not make an earlier change right.
  await app.owner.pool.query(`update payments set amount = amount + 500 where phone_number = '+255754000059'`)
  const found = async () => (await check()).filter(({ invariant }) => invariant === 'orders').length
  assert.equal(await found(), 1)
  await app.owner.pool.query(
    `update payments set created_at = created_at - interval '4 days' where phone_number = '+255754000059'`,
  )
  const { pseudonym } = await erasePayer(app.deps, '+255754000059')
  assert.equal(await found(), 1)
  // Repaired with the key, for the check at the end.
  await app.owner.pool.query(
    `update payments set amount = amount - 500, created_at = created_at + interval '4 days' where status = 'failed'`,
  )
  const [order] = await chargeOrders.readOf(app.owner, pseudonym)
  await app.owner.pool.query('update provider_charges set order_mac = $2 where payment_id = $1', [
    order!.id,
    app.deps.recordMac.make(chargeOrders.kind, order!.parts),
  ])
})
