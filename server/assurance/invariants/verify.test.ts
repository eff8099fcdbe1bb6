/** Each promise about the money, broken once with the rights of the database owner: the full check and the incremental check name it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { eventually, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { sumDay } from '../../views/merchant-account/sum-days.ts'
import { orderReferenceOf } from '../../money/providers/clickpesa-data.ts'
import { checksumOf } from '../../money/providers/clickpesa-checksum.ts'
import { sql, type Db } from '../../platform/db/db.ts'
import { checkAll, runnerOf, undone } from '../../../test/fixtures/books.ts'
import { fund, says, silentPayout } from '../../../test/fixtures/payouts.ts'
import { findPayoutFeeTaken } from '../../money/ledger/transfer.sql.ts'
import { lockPayout, updatePayout } from '../../pay-out/payouts/payout.sql.ts'
import { returnPaid } from '../../pay-out/payouts/post-payout.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import { closeDay } from './close-days.ts'
import { verify, verifyParts, verifyStep, walkParts, type Violation } from './verify.ts'
import { promises } from './verify.sql.ts'
import { start } from './walks.sql.ts'
import { watchBooks } from './watch-books.ts'

/** Runs the check within the caller's open transaction, which is then rolled back. */
function verifyWithin(client: pg.PoolClient, since: Date | null): Promise<Violation[]> {
  const db: Pick<Db, 'snapshot'> = { snapshot: (read) => read(runnerOf(client)) }
  return verify(db, { since })
}

async function busyApp(app: TestApp): Promise<Student> {
  const student = await app.student()
  const { key, appId } = await app.key(student)
  await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:9999/hook' },
  })
  const page = await app.page(student, { amount: 40_000 })
  for (let turn = 0; turn < 3; turn += 1) await app.settled((await app.checkout(page.slug)).body.data.reference)
  // Paid with another amount: moved to suspense.
  await app.checkout(page.slug, { phone_number: '0754000189' })
  await eventually('money is put aside', async () => {
    const { rows } = await app.owner.pool.query(`select from ledger_transfers where kind = 'suspense'`)
    return rows.length === 1
  })
  await app.checkout(page.slug, { phone_number: '0754000111' })
  const asked = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  await eventually('it is paid out', async () => {
    const { rows } = await app.owner.pool.query(`select from payouts where status = 'completed'`)
    return rows.length === 1
  })
  const request = await app.call('POST', '/v1/payment-requests', { key, body: { amount: 7_000, title: 'Order 1043' } })
  await app.settled((await app.checkout(request.body.data.url.split('/pay/')[1]!)).body.data.reference)
  await app.deps.backgroundDone()
  return student
}

const oneCredit = `(select id from ledger_transfers where kind = 'payment' order by credit_seq limit 1)`

/** A worker checked the books three minutes ago. */
const workersAreThere = `insert into book_checks (checked_at, duration_ms, violations) values (clock_now() - interval '3 minutes', 1, '[]')`

type Breaking = [invariant: string, statements: string, others?: string[]]

/** Statements that break each promise, and the other promises that they break too. */
const breakings: Breaking[] = [
  [
    'I1',
    `alter table ledger_transfers drop constraint ledger_transfers_two_accounts; update ledger_transfers set debit_account_id = credit_account_id, debit_seq = debit_seq + 1000 where id = ${oneCredit}`,
    ['I3'],
  ],
  ['I1', 'alter table ledger_transfers drop constraint ledger_transfers_amount_positive'],
  ['I2', `update ledger_accounts set balance = balance + 1 where kind = 'wallet'`, ['I3']],
  ['I3', `update ledger_transfers set amount = amount + 1 where id = ${oneCredit}`, ['I6']],
  ['I3', `delete from ledger_transfers where kind = 'provider_fee'`],
  [
    'I3',
    `update ledger_accounts set balance = balance + 1 where kind = 'wallet'; update ledger_accounts set balance = balance - 1 where kind = 'provider_clearing'`,
  ],
  [
    'I3',
    `alter table ledger_accounts drop constraint wallet_not_overdrawn; update ledger_accounts set balance = -1 where kind = 'wallet'`,
    ['I2'],
  ],
  ['I4', 'grant update on ledger_transfers to malipo_service'],
  ['I5', 'drop index ledger_transfers_one_credit_per_payment'],
  [
    'I6',
    `delete from webhook_deliveries; delete from events where payment_id = (select payment_id from ledger_transfers where id = ${oneCredit})`,
  ],
  [
    'I6',
    `update payments set amount = amount + 1, updated_at = clock_now() where status = 'completed'`,
    ['pages', 'events', 'messages', 'requests'],
  ],
  [
    'I6',
    `update webhook_endpoints set enabled_at = enabled_at - interval '6 minutes'; delete from webhook_deliveries where event_id = (select min(event_id::text)::uuid from webhook_deliveries)`,
  ],
  ['I7', `update payouts set amount = amount + 1, updated_at = clock_now()`, ['events']],
  // More is taken back from a payout than it had paid.
  ['I7', `update ledger_transfers set kind = 'payout_lowered', amount = 30000 where kind = 'payout_provider_fee'`, ['I3']],
  ['I8', 'delete from breaks', ['I13', 'messages']],
  [
    'I8',
    `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by, phase, started_at, ended_at, by_network)
     values (gen_random_uuid(), 'daily', 'charges', 'live', 'snippe', '2026-01-25', clock_now(), 'system', 'ended', clock_now(), clock_now(),
       '{"mpesa": {"records": 2, "provider": 3000, "credited": 1500, "suspended": 0, "in_breaks": 0}}')`,
  ],
  ['I9', `update payments set late = true, updated_at = clock_now() where status = 'pending'`],
  ['I9', 'grant update on payment_transitions to malipo_service'],
  ['I10', `update webhook_deliveries set attempts = 1`],
  ['I11', `update audit_log set actor = 'intruder' where seq = (select max(seq) from audit_log)`],
  ['I12', 'alter table payments drop constraint payments_one_per_idempotency_key'],
  ['I12', `update provider_references set payment_id = gen_random_uuid() where payment_id is not null`],
  [
    'I13',
    `update provider_charges c set next_attempt_at = null from payments p where p.id = c.payment_id and p.status = 'pending'`,
  ],
  ['I13', `update payments set created_at = created_at - interval '72 hours 1 minute' where status = 'pending'`],
  ...(
    [
      `update provider_charges c set next_attempt_at = due.at from due, payments p where p.id = c.payment_id and p.status = 'pending'`,
      `update provider_payouts c set next_attempt_at = due.at from due`,
      `insert into provider_inbox (provider, environment, event_id, body_hash, body, state, next_attempt_at, request_id, received_at)
         select 'snippe', 'test', 'forgotten', '', '{}', 'received', due.at, 'r', due.at from due`,
      `update webhook_deliveries d set status = 'pending', finished_at = null, next_attempt_at = due.at, leased_by = gen_random_uuid(), lease_until = due.at from due`,
      `insert into reconciliation_runs (id, kind, subject, environment, provider, due_at, requested_by, phase, started_at, leased_by, lease_until)
         select gen_random_uuid(), 'recent', 'charges', 'test', 'snippe', due.at, 'system', 'asking', due.at, gen_random_uuid(), due.at from due`,
    ] as const
  ).map((statement): [string, string] => [
    'I13',
    `${workersAreThere}; with due as (select clock_now() - interval '19 minutes' as at) ${statement}`,
  ]),
  [
    'I14',
    `set local session_replication_role = replica; update ledger_transfers set environment = 'live' where id = ${oneCredit}`,
    ['I6'],
  ],
  [
    'I15',
    `alter table payments drop constraint payments_amount_at_least_500; update payments set amount = 499 where status = 'pending'`,
  ],
  ['I15', `drop trigger payment_pages_seal_update on payment_pages; alter table payment_pages alter column amount type numeric`],
  ['I16', `update ledger_transfers set actor = '' where id = ${oneCredit}`],
  [
    'seals',
    `insert into sealed_spans (what, from_at, to_at, row_count, digest, sealed_at)
     select 'payouts', clock_now() - interval '1 hour', clock_now() - interval '1 millisecond', 0, sha256(''), clock_now()`,
  ],
  ['events', `update events set data = '{}'`],
  ['messages', `update provider_inbox set paid_amount = paid_amount + 1`, ['evidence']],
  ['evidence', `update provider_inbox set body = body || ' '`],
  ['ends', `update provider_charges set ended_by = array['failed by intruder in a request'] where ended_by is not null`],
  ['charges', `update provider_payouts set state = 'rejected'`],
  ['charges', `delete from provider_references where payout_id is not null`],
  [
    'breaks',
    `insert into breaks (home, id, environment, kind, payout_id, provider, details, resolution, resolved_by, resolved_at)
     select home, id, environment, 'payout_contradicts', id, 'snippe', '{}', 'write_off', 'intruder', clock_now() from payouts`,
  ],
  [
    'breaks',
    `insert into breaks (home, id, environment, kind, payout_id, provider, details, resolution, resolved_by, resolved_at)
     select home, id, environment, 'payout_amount_differs', id, 'snippe', '{}', 'follow_provider', 'intruder', clock_now() from payouts`,
  ],
  ['requests', `update payment_pages set amount = amount + 500 where kind = 'request'`],
  ['requests', 'alter table payment_pages drop constraint payment_pages_request_has_amount'],
  ['pages', `update payment_pages set paid_count = paid_count + 1`],
  ['refunds', 'alter table payments drop constraint payments_refunds_within_amount'],
  ['refunds', `update payments set refunded_amount = 500, updated_at = clock_now() where status = 'completed'`],
  ['refunds', `update payments set refund_overpaid = 1, updated_at = clock_now() where status = 'completed'`],
  ['approvals', `update payouts set approval = 'approved', approval_by = 'members', updated_at = clock_now()`],
  // A refund that its payment records, to another phone.
  [
    'refunds',
    `with refund as (
       update payouts o set purpose = 'refund', updated_at = clock_now(), refund_of =
         (select p.id from payments p where p.home = o.home and p.status = 'completed' and p.amount_received is null limit 1)
       returning o.home, o.refund_of, o.amount)
     update payments p set refunded_amount = refund.amount from refund where p.home = refund.home and p.id = refund.refund_of`,
    ['I7', 'events'],
  ],
  [
    'batches',
    `insert into payout_batches (home, id, merchant_id, environment, status, row_count, total, fees, content_hash, request_hash, requested_by,
        requested_by_user, request_id, approved_by, approved_at, finished_at)
      select home, gen_random_uuid(), id, 'test', 'done', 1, 1000, 0, '\\x00', '\\x00', 'a',
        (select id from users limit 1), 'r', 'a', clock_now(), clock_now() from merchants limit 1`,
  ],
  ['reviews', `update merchants set verification_status = 'rejected'`],
  [
    'homes',
    `set local session_replication_role = replica; update payments set home = (home + 1) % 256 where status = 'pending'`,
    ['I13', 'I12'],
  ],
]

test('each promise that is broken is named by the full check and by the incremental check', async (t) => {
  const app = await startTestApp(t)
  const student = await busyApp(app)
  const beforeAll = new Date(Date.now() - 3_600_000)
  const breakOne = async ([invariant, statements, others = []]: Breaking): Promise<void> => {
    await undone(app, async (client) => {
      await client.query(statements)
      for (const since of [null, beforeAll]) {
        const found = new Set((await verifyWithin(client, since)).map((violation) => violation.invariant))
        // The counters of a page are compared in the full check.
        const expected = new Set([invariant, ...others].filter((name) => since === null || name !== 'pages'))
        const unexpected = [...found].filter((name) => !expected.has(name))
        assert.deepEqual(unexpected, [], statements)
        if (expected.has(invariant))
          assert.ok(found.has(invariant), `${invariant} ${since === null ? '' : 'of recent changes '}after ${statements}`)
      }
    })
  }
  for (const breaking of breakings) await breakOne(breaking)
  const byHand = `set local malipo.changes_by_hand = '';`
  const ofRows: Breaking = ['rows', `${byHand} update api_keys set scopes = scopes || '{profile:read}'::text[]`]
  await breakOne(ofRows)
  const ofRecords: Breaking = ['records', `${byHand} update users set full_name = 'Another'`]
  await breakOne(ofRecords)
  // Customers are counted when they are read. After that, most changes of a transfer break their totals too.
  const ofCustomers: Breaking = ['customers', `update customers set paid_total = paid_total + 1`]
  await app.call('GET', '/v1/merchant/customers?environment=test', { token: student.token })
  await app.deps.backgroundDone()
  await breakOne(ofCustomers)
  // Days are summed once they are closed.
  const ofDays: Breaking = ['days', `update wallet_days set amount = amount + 1`]
  await grownOld(app)
  while (await sumDay(app.deps));
  await breakOne(ofDays)
  assert.deepEqual(await verify(app.owner), [])
  const tried = new Set([...breakings, ofRows, ofRecords, ofCustomers, ofDays].map(([invariant]) => invariant))
  assert.deepEqual(
    Object.keys(promises).filter((name) => !tried.has(name)),
    [],
  )
  // No promise of the list is missing.
  for (let number = 1; number <= 16; number += 1) assert.ok(`I${number}` in promises, `I${number}`)
})

test('jobs that became due while no worker ran, and a webhook that was just being enabled, are no violation', async (t) => {
  const app = await startTestApp(t)
  await busyApp(app)
  const due = `update provider_charges c set next_attempt_at = clock_now() - interval '19 minutes' from payments p where p.id = c.payment_id and p.status = 'pending'`
  const checked = (ago: string): string =>
    `insert into book_checks (checked_at, duration_ms, violations) values (clock_now() - interval '${ago}', 1, '[]')`
  for (const statements of [
    due,
    `${due}; ${checked('1 minute')}`,
    `${due}; ${checked('5 minutes')}`,
    `update webhook_endpoints set enabled_at = enabled_at - interval '4 minutes'; delete from webhook_deliveries`,
  ]) {
    await undone(app, async (client) => {
      await client.query(statements)
      assert.deepEqual(await verifyWithin(client, null), [], statements)
    })
  }
})

test('a payout whose return began before its completion and was booked after it is no violation', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 } })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { at, source, reference } = await silentPayout(app, key)
  await app.owner.tx(async (early) => {
    // The time of a transaction is that of its first statement: as of one that waits for the payout while another completes it.
    await early.rows(sql`select pg_sleep(0.01)`)
    assert.equal((await settlePayout(app.deps, at, source, says(reference, 'completed'))).verdict, 'applied')
    const payout = (await lockPayout(early, at))!
    await returnPaid(early, payout, source, await findPayoutFeeTaken(early, payout))
    await updatePayout(early, payout, {
      status: 'reversed',
      held: false,
      network: payout.network,
      failureCode: null,
      failureText: null,
      state: 'accepted',
      providerReference: reference,
      nextAttemptSeconds: null,
    })
  })
  for (const since of [null, new Date(Date.now() - 3_600_000)]) assert.deepEqual(await verify(app.owner, { since }), [])
  await undone(app, async (client) => {
    await client.query(`update events set created_at = created_at - interval '2 minutes' where type = 'payout.reversed'`)
    const violations = await verifyWithin(client, null)
    assert.ok(violations.some(({ what }) => what.includes('its latest events are {payout.completed}')))
  })
})

test('a message that names a payment by the short form of its id is about that payment, and no violation', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { amount: 1_500 })
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  const data = {
    id: 'PAY1',
    orderReference: orderReferenceOf(reference),
    status: 'SUCCESS',
    collectedAmount: '1500.00',
    collectedCurrency: 'TZS',
  }
  const body = { event: 'PAYMENT RECEIVED', data }
  const checksum = checksumOf(body, app.settings['CLICKPESA_TEST_CHECKSUM_KEYS']!)
  const sent = await app.call('POST', '/v1/providers/clickpesa/test/webhook', { body: { ...body, checksum } })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await app.deps.backgroundDone()
  const { rows } = await app.owner.pool.query(
    `select payment_id is not null as is_about from provider_inbox where provider = 'clickpesa'`,
  )
  assert.deepEqual(rows, [{ is_about: true }])
  assert.deepEqual(await verify(app.owner), [])
})

/** Moves all transfers this many days back, as if they had been made then, and closes the days that are now over. */
async function grownOld(app: TestApp): Promise<string[]> {
  await app.owner.pool.query(`update ledger_transfers set created_at = created_at - interval '2 days'`)
  let closed = 0
  while (await closeDay(app.deps)) closed += 1
  const { rows } = await app.owner.pool.query(`select to_char(day, 'YYYY-MM-DD') as day from closed_days order by day`)
  assert.equal(rows.length, closed)
  return rows.map(({ day }) => day)
}

test('a server whose clock is behind or ahead of the one that closed a day writes nothing into that day [T08]', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  const pay = async (): Promise<void> => {
    const { body } = await app.checkout(page.slug)
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
  }
  const setClock = (offset: string): Promise<unknown> =>
    app.owner.pool.query(
      `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() + interval '${offset}' $$`,
    )
  await pay()
  const days = await grownOld(app)
  // The first open day started at most a day ago: a clock that far behind is certainly in a closed day.
  const closedBefore = (await app.owner.pool.query(`select count(*)::integer as count from closed_days`)).rows[0].count
  for (const offset of ['-25 hours', '90 minutes', '-90 minutes']) {
    await setClock(offset)
    await pay()
  }
  await setClock('0')
  await pay()
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as count from ledger_transfers
     where ((created_at at time zone 'UTC') + interval '3 hours')::date <= $1::date`,
    [days.at(-1)],
  )
  // The payment from before the days were closed, and its fee.
  assert.equal(rows[0].count, 2)
  assert.equal(days.length, closedBefore)
})

const tamperings: [what: string, statement: string][] = [
  ['its actor', `update ledger_transfers set actor = 'intruder' where id = ${oneCredit}`],
  ['its time', `update ledger_transfers set created_at = created_at + interval '1 second' where id = ${oneCredit}`],
  ['its amount', `update ledger_transfers set amount = amount + 1 where id = ${oneCredit}`],
  [
    'that it is there',
    `delete from ledger_transfers where kind = 'provider_fee' and id = (select id from ledger_transfers where kind = 'provider_fee' limit 1)`,
  ],
  [
    'its place with another one',
    `set local session_replication_role = replica;
     with two as (select id, movement_id, lead(movement_id) over (order by id) as next, lag(movement_id) over (order by id) as before
       from ledger_transfers where kind = 'payment' order by id limit 2)
     update ledger_transfers t set movement_id = coalesce(two.next, two.before) from two where t.id = two.id`,
  ],
  [
    'which payment it is of, and another one its',
    `set local session_replication_role = replica; drop index ledger_transfers_one_credit_per_payment;
     with two as (select id, payment_id, lead(payment_id) over (order by id) as next, lag(payment_id) over (order by id) as before
       from (select * from ledger_transfers where kind = 'payment' order by id limit 2) first)
     update ledger_transfers t set payment_id = coalesce(two.next, two.before) from two where t.id = two.id`,
  ],
]

test('a changed, removed or swapped transfer of a closed day is found by its digest, even if all other records match [F51]', async (t) => {
  const app = await startTestApp(t)
  await busyApp(app)
  const [day] = await grownOld(app)
  assert.ok(day)
  assert.deepEqual(await verify(app.owner), [])
  for (const [what, statement] of tamperings) {
    await undone(app, async (client) => {
      await client.query(statement)
      for (const since of [null, new Date()]) {
        const found = await verifyWithin(client, since)
        assert.ok(
          found.some((violation) => violation.invariant === 'I11' && violation.what.includes(`the day ${day} was closed`)),
          what,
        )
      }
    })
  }
  // An attacker who also recomputes the digest contradicts the audit log.
  await undone(app, async (client) => {
    await client.query(`update ledger_transfers set actor = 'intruder' where id = ${oneCredit}`)
    await client.query(
      `update closed_days d set digest = n.digest from closed_days k cross join lateral ledger_day_digest(k.day) n where k.day = d.day`,
    )
    assert.match((await verifyWithin(client, null)).map(({ what }) => what).join(), /the audit log says/)
    await client.query(`update audit_log set after = jsonb_set(after, '{digest}', to_jsonb(encode(d.digest, 'hex'))) from closed_days d
    where action = 'ledger.day_closed' and object = 'day:' || d.day::text`)
    assert.match((await verifyWithin(client, null)).map(({ what }) => what).join(), /the audit log is broken at entry/)
  })
  assert.deepEqual(await verify(app.owner), [])
})

test('the digest of a closed day covers every column of its transfers, including a column that is added later, and a day with an old digest is still verified', async (t) => {
  const app = await startTestApp(t)
  await busyApp(app)
  const [day] = await grownOld(app)
  const { rows: columns } = await app.owner.pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = 'ledger_transfers'::regclass and attnum > 0 and not attisdropped order by attnum`,
  )
  const other: Record<string, (name: string) => string> = {
    smallint: (name) => `(${name} + 1) % 256`,
    bigint: (name) => `${name} + 1000`,
    uuid: () => 'gen_random_uuid()',
    text: (name) => `${name} || 'x'`,
    'timestamp with time zone': (name) => `${name} + interval '1 millisecond'`,
  }
  const isFound = async (client: pg.PoolClient): Promise<boolean> =>
    (await verifyWithin(client, new Date())).some(({ what }) => what.includes(`the day ${day} was closed`))
  assert.ok(columns.some(({ name }) => name === 'break_id'))
  for (const { name, type } of columns) {
    await undone(app, async (client) => {
      await client.query(
        'set local session_replication_role = replica; alter table ledger_transfers drop constraint ledger_transfers_kind_known, drop constraint ledger_transfers_payout_named',
      )
      await client.query(`update ledger_transfers set ${name} = ${other[type]!(name)} where id = ${oneCredit}`)
      assert.ok(await isFound(client), name)
    })
  }
  await undone(app, async (client) => {
    await client.query('alter table ledger_transfers add column note text')
    assert.equal(await isFound(client), false)
    await client.query(`update ledger_transfers set note = 'x' where id = ${oneCredit}`)
    assert.ok(await isFound(client))
  })
  // Closed by the previous version.
  await undone(app, async (client) => {
    await client.query(`delete from closed_day_homes;
      update closed_days d set version = 1, digest = n.digest from closed_days k cross join lateral ledger_day_digest(k.day) n where k.day = d.day;
      update audit_log set after = jsonb_set(after, '{digest}', to_jsonb(encode(d.digest, 'hex'))) from closed_days d
        where action = 'ledger.day_closed' and object = 'day:' || d.day::text`)
    assert.equal(await isFound(client), false)
    await client.query(`update ledger_transfers set actor = 'intruder' where id = ${oneCredit}`)
    assert.ok(await isFound(client))
  })
})

test('one line of an account that is changed, removed or swapped with another is named with its account, on the same day [F51]', async (t) => {
  const app = await startTestApp(t)
  await busyApp(app)
  const wallet = (await app.owner.pool.query(`select credit_account_id as id from ledger_transfers where id = ${oneCredit}`))
    .rows[0].id
  const lines = `(select id, amount, credit_seq, row_number() over (order by credit_seq) as place from ledger_transfers where kind = 'payment' order by credit_seq limit 2)`
  for (const statement of [
    `update ledger_transfers set amount = amount - 1 where id = ${oneCredit}`,
    `delete from ledger_transfers where id = ${oneCredit}`,
    `update ledger_transfers set credit_seq = credit_seq + 1000 where id = ${oneCredit}`,
    `update ledger_transfers t set credit_seq = -l.credit_seq from ${lines} l where l.id = t.id;
     update ledger_transfers t set credit_seq = 3 + t.credit_seq where t.credit_seq < 0`,
  ]) {
    await undone(app, async (client) => {
      await client.query(statement)
      const found = await verifyWithin(client, null)
      assert.ok(
        found.some(({ invariant, what }) => invariant === 'I3' && what.includes(wallet)),
        statement,
      )
    })
  }
})

test('the incremental check starts at the end of the last one without findings, and the findings of both checks stay separate', async (t) => {
  const app = await startTestApp(t)
  await busyApp(app)
  const { pool } = app.owner
  const cleanAt = async () => (await pool.query('select clean_at from book_checks')).rows[0].clean_at as Date
  const names = (found: Violation[]) => found.map(({ invariant }) => invariant)
  assert.deepEqual(await checkAll(app), [])
  const first = await cleanAt()
  assert.deepEqual(await watchBooks(app.deps), [])
  const second = await cleanAt()
  assert.ok(second > first)
  await pool.query(`update payment_pages set paid_count = paid_count + 1`)
  await pool.query(`update ledger_accounts set balance = balance + 1 where kind = 'wallet'`)
  assert.deepEqual([...new Set(names(await watchBooks(app.deps)))], ['I2', 'I3'])
  assert.deepEqual(await cleanAt(), second, 'a violation is checked again')
  assert.deepEqual([...new Set(names(await checkAll(app)))], ['I2', 'I3', 'pages'])
  // Right again for the incremental check; the full check has not read it yet.
  await pool.query(`update ledger_accounts set balance = balance - 1 where kind = 'wallet'`)
  assert.ok(names(await watchBooks(app.deps)).includes('pages'))
  assert.ok((await cleanAt()) > second)
  await pool.query(`update payment_pages set paid_count = paid_count - 1`)
  assert.deepEqual(await checkAll(app), [])
})

test('days are closed in turn, an hour after their end at the earliest, once, including quiet days', async (t) => {
  const app = await startTestApp(t)
  assert.equal(await closeDay(app.deps), false, 'nothing has begun')
  await busyApp(app)
  assert.equal(await closeDay(app.deps), false, 'today is not over')
  await app.owner.pool.query(`update ledger_transfers set created_at = created_at - interval '3 days'`)
  const closings = await Promise.all([closeDay(app.deps), closeDay(app.deps)])
  assert.deepEqual(closings, [true, true])
  while (await closeDay(app.deps)) continue
  const { rows } = await app.owner.pool.query(
    `select d.transfers, count(a.seq)::integer as entries from closed_days d left join audit_log a on a.object = 'day:' || d.day::text group by d.day, d.transfers order by d.day`,
  )
  assert.ok(rows.length >= 2 && rows[0].transfers > 0 && rows.slice(1).every(({ transfers }) => Number(transfers) === 0))
  assert.ok(rows.every(({ entries }) => entries === 1))
  await assert.rejects(app.db.rows(sql`update closed_days set transfers = 0`), /permission denied/)
})

test('closed days are read many in a step, several days together or one home alone, and each changed transfer is found', async (t) => {
  const app = await startTestApp(t)
  for (let merchant = 0; merchant < 3; merchant += 1) {
    const { slug } = await app.page(await app.student())
    for (let turn = 0; turn < 3; turn += 1) await app.settled((await app.checkout(slug)).body.data.reference)
  }
  await app.owner.pool.query(`
    update ledger_transfers t set created_at = created_at - make_interval(days => 40 - 9 * n.place::integer)
    from (select home, id, row_number() over (order by home, id) % 5 as place from ledger_transfers) n where n.home = t.home and n.id = t.id`)
  while (await closeDay(app.deps)) continue
  const readAll = async (db: Pick<Db, 'snapshot'>, size: number) => {
    const found: string[] = []
    let steps = 0
    for (let after = start; ; steps += 1) {
      const step = await verifyStep(db, 'closed_days', after, size, ['I11'])
      if (!step) return { steps, found: found.toSorted() }
      found.push(...step.violations.map(({ what }) => what))
      after = step.after
    }
  }
  assert.deepEqual(await readAll(app.db, 200_000), { steps: 1, found: [] })
  const { rows: homes } = await app.owner.pool.query(
    'select d.day, h.home from closed_days d left join closed_day_homes h on h.day = d.day',
  )
  assert.deepEqual(await readAll(app.db, 1), { steps: homes.length, found: [] })
  await undone(app, async (client) => {
    const db: Pick<Db, 'snapshot'> = { snapshot: (read) => read(runnerOf(client)) }
    await client.query('set local session_replication_role = replica')
    await client.query(`update ledger_transfers set actor = 'intruder'`)
    const whole = await readAll(db, 200_000)
    assert.equal(whole.found.length, homes.filter(({ home }) => home !== null).length)
    for (const size of [1, 1_000, 1_001, 5_004]) assert.deepEqual((await readAll(db, size)).found, whole.found, String(size))
    await client.query('update payments set amount = amount + 1')
    const findings = async (size: number) => {
      const parts = walkParts(db).map((part) => ({ ...part, size: Math.min(part.size, size) }))
      return (await verifyParts(db, parts)).map(({ invariant, what }) => `${invariant} ${what}`).toSorted()
    }
    const all = await findings(Infinity)
    assert.ok(all.length >= 9 + whole.found.length)
    assert.deepEqual(await findings(5), all, 'a part ends with its last row, not before')
  })
})
