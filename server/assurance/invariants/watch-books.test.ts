/** The books of a running service are checked: a broken money promise stops payouts until an operator lifts the freeze. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { confirmAuditLog } from '../../base/audit/entry-codes.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { openDb, sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { freezeMerchantPayouts } from '../../money/controls/freeze-merchant.ts'
import { checkAll, makeWholeCheckDue } from '../../../test/fixtures/books.ts'
import { readBookCheck, recordBookCheck } from './book-check.sql.ts'
import { sealSpans } from './sealed-span.sql.ts'
import { verify } from './verify.ts'
import { walkBooks } from './walk-books.ts'
import { watchBooks } from './watch-books.ts'

async function payoutsSwitch(app: TestApp): Promise<any> {
  const admin = await app.admin()
  const { body } = await app.call('GET', '/v1/admin/switches', { token: admin.token })
  return body.data.find(({ name }: any) => name === 'payouts')
}

const invariantsOf = (violations: { invariant: string }[]): string[] => violations.map(({ invariant }) => invariant)

/** A merchant with money, and a key to pay it out with. */
async function earner(app: TestApp): Promise<{ student: Student; payOut(key: string): Promise<Answer> }> {
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 40_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const body = { amount: 5_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }
  const payOut = (idempotencyKey: string) =>
    app.call('POST', '/v1/payouts', { key, headers: { 'idempotency-key': idempotencyKey }, body })
  return { student, payOut }
}

const ofHolder = (student: Student) =>
  `where kind = 'wallet' and environment = 'test' and holder = (select id from merchants where user_id = '${fromWire('usr', student.userId)}')`

test('a broken promise about the money of one merchant stops only that merchant, in that environment, until an operator lifts it', async (t) => {
  const lines: any[] = []
  const app = await startTestApp(t, { logLevel: 'error', logTo: (line) => lines.push(JSON.parse(line)) })
  const [asha, juma] = [await earner(app), await earner(app)]
  const admin = await app.admin()
  assert.deepEqual(await watchBooks(app.deps), [])
  // One that was requested before: it waits.
  await app.owner.pool.query(`update ledger_accounts set balance = balance + 1 ${ofHolder(asha.student)}`)
  for (let turn = 0; turn < 2; turn += 1) assert.deepEqual(invariantsOf(await watchBooks(app.deps)), ['I2', 'I3'])
  assert.equal((await payoutsSwitch(app)).state, 'on')
  const refused = await asha.payOut('one')
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'payouts_on_hold'])
  assert.equal((await juma.payOut('one')).status, 201)
  const alarms = lines.filter(({ event }) => event === 'books.violation')
  assert.deepEqual(invariantsOf(alarms), ['I2', 'I3', 'I2', 'I3'])
  const frozen = await app.call('GET', '/v1/admin/payout-freezes', { token: admin.token })
  assert.deepEqual(
    frozen.body.data.map(({ merchant_id, environment }: any) => [merchant_id, environment]),
    [[asha.student.userId, 'test']],
  )

  await app.owner.pool.query(`update ledger_accounts set balance = balance - 1 ${ofHolder(asha.student)}`)
  assert.deepEqual(await watchBooks(app.deps), [])
  assert.equal((await asha.payOut('one')).status, 409, 'only an operator lets money leave again')
  const path = `/v1/admin/merchants/${asha.student.userId}/lift-payout-freeze`
  const lift = () => app.call('POST', path, { token: admin.token, body: { environment: 'test', reason: 'A wrong hand.' } })
  assert.equal((await lift()).status, 200)
  assert.deepEqual([(await lift()).status, (await asha.payOut('one')).status], [409, 201])
  const audit = await app.call('GET', `/v1/admin/audit?object=${asha.student.userId}`, { token: admin.token })
  assert.deepEqual(
    audit.body.data.map(({ action }: any) => action).filter((action: string) => action.startsWith('payouts.')),
    ['payouts.unfrozen', 'payouts.frozen'],
  )
})

test('a payout that waits when its merchant is frozen is not sent before the freeze is lifted', async (t) => {
  const app = await startTestApp(t)
  const asha = await earner(app)
  const merchant = await app.owner.rows<{ home: number; id: string }>(sql`
    select a.home, a.holder as id from ledger_accounts a where a.kind = 'wallet' and a.balance > 0`)
  // The switch keeps it waiting until the merchant is frozen.
  const origin = { actor: 'system', requestId: 'r', ip: null }
  await app.deps.switches.turn('test.payouts.mpesa', { isOn: false, reason: 'wait' }, origin)
  assert.equal((await asha.payOut('one')).status, 201)
  // Otherwise it may be claimed before the freeze, and sent when the switch is on again.
  await app.deps.backgroundDone()
  await freezeMerchantPayouts(app.deps.db, merchant[0]!, 'test', 'The books do not hold.')
  await app.deps.switches.turn('test.payouts.mpesa', { isOn: true, reason: 'go on' }, origin)
  const order = async () => {
    await app.deps.backgroundDone()
    await app.owner.pool.query(`update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null`)
    await checkPayouts(app.deps, 10)
    return (await app.truth()).payouts.length
  }
  assert.equal(await order(), 0)
  await app.owner.pool.query('delete from payout_freezes')
  assert.equal(await order(), 1)
})

test('a broken money promise that names no merchant stops all payouts, in every environment, until an operator lifts it', async (t) => {
  const app = await startTestApp(t)
  await earner(app)
  assert.equal((await payoutsSwitch(app)).state, 'on')
  await app.owner.pool.query(`update ledger_accounts set balance = balance + 1 where kind = 'provider_clearing' and balance <> 0`)
  assert.deepEqual(invariantsOf(await watchBooks(app.deps)), ['I2', 'I3'])
  const { state, reason, changed_by } = await payoutsSwitch(app)
  assert.deepEqual([state, changed_by], ['off', 'system'])
  assert.match(reason, /2 violations about money, the first of I2/)
  assert.equal(await app.deps.switches.isPayoutOpen('live', 'mpesa'), false)
  await app.owner.pool.query(`update ledger_accounts set balance = balance - 1 where kind = 'provider_clearing' and balance <> 0`)
  assert.deepEqual(await watchBooks(app.deps), [])
  assert.equal((await payoutsSwitch(app)).state, 'off', 'only an operator lets money leave again')
})

test('a broken promise that is not about money raises an alert and stops nothing', async (t) => {
  const lines: any[] = []
  const app = await startTestApp(t, { logLevel: 'error', logTo: (line) => lines.push(JSON.parse(line)) })
  const asha = await earner(app)
  await app.owner.pool.query(`update payment_pages set paid_count = paid_count + 1 where paid_count > 0`)
  assert.deepEqual(invariantsOf(await checkAll(app)), ['pages'])
  // Once when its step found it, and once by the incremental check.
  assert.equal(lines.filter(({ event }) => event === 'books.violation').length, 2)
  assert.equal((await payoutsSwitch(app)).state, 'on')
  assert.equal((await asha.payOut('one')).status, 201)
  await app.owner.pool.query(`update payment_pages set paid_count = paid_count - 1 where paid_count > 0`)
})

test('a full check that fails at each step does not stop the incremental checks, and loses no finding', async (t) => {
  const lines: any[] = []
  const app = await startTestApp(t, { logLevel: 'error', logTo: (line) => lines.push(JSON.parse(line)) })
  const asha = await earner(app)
  assert.deepEqual(await checkAll(app), [])
  await app.owner.pool.query(`update payment_pages set paid_count = paid_count + 1 where paid_count > 0`)
  assert.deepEqual(invariantsOf(await checkAll(app)), ['pages'])
  const failing = {
    ...app.deps,
    db: { ...app.deps.db, snapshot: () => Promise.reject(new Error('canceling statement due to statement timeout')) },
  }
  for (let day = 0; day < 7; day += 1) {
    await makeWholeCheckDue(app)
    await walkBooks(failing, { budgetMs: 60_000 })
    assert.deepEqual(invariantsOf(await watchBooks(app.deps)), ['pages'], 'a violation stays until the next check of its rows')
  }
  const failed = lines.filter(({ event }) => event === 'books.whole_check_failed')
  assert.ok(failed.length >= 7)
  const { rows } = await app.owner.pool.query(
    `select max(step_rows)::integer as rows from check_cursors where walked = 'payments'`,
  )
  assert.ok(rows[0].rows < 100, 'a step that fails is made smaller')
  await app.owner.pool.query(`update ledger_accounts set balance = balance + 1 ${ofHolder(asha.student)}`)
  assert.ok(invariantsOf(await watchBooks(app.deps)).includes('I3'), 'a new violation is found')
  await app.owner.pool.query(`update ledger_accounts set balance = balance - 1 ${ofHolder(asha.student)}`)
  await app.owner.pool.query(`update payment_pages set paid_count = paid_count - 1 where paid_count > 0`)
  assert.deepEqual(await checkAll(app), [])
})

test('books that take longer to read than the limit of a request are read to their end', async (t) => {
  const app = await startTestApp(t)
  const impatient = openDb({
    ...app.config.database,
    poolSize: 1,
    statementTimeoutMs: 100,
    applicationName: 'test',
    onError() {},
  })
  t.after(() => impatient.close())
  const page = await app.page(await app.student())
  await app.checkout(page.slug, { phone_number: '0754000111' })
  await app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language plpgsql volatile as $$ begin perform pg_sleep(2.5); return now(); end $$`,
  )
  assert.deepEqual(await verify(impatient), [])
  await app.owner.pool.query(`create or replace function clock_now() returns timestamptz language sql stable as 'select now()'`)
})

test('a check that began before a finding and ends after it does not hide it, and the next one without findings does', async (t) => {
  const app = await startTestApp(t)
  await earner(app)
  await app.owner.pool.query(`update ledger_accounts set balance = balance + 1 where kind = 'provider_fees'`)
  const shown = async () => invariantsOf((await readBookCheck(app.db))!.violations)
  const found = invariantsOf(await watchBooks(app.deps))
  assert.ok(found.includes('I2'))
  await recordBookCheck(app.db, { durationMs: 60_000, violations: [], isRead: true })
  assert.deepEqual(await shown(), found)
  await app.owner.pool.query(`update ledger_accounts set balance = balance - 1 where kind = 'provider_fees'`)
  await watchBooks(app.deps)
  assert.deepEqual(await shown(), [])
})

test('findings that occur in every check do not stop the check from moving forward', async (t) => {
  const app = await startTestApp(t)
  const deps = { ...app.deps, clocks: 'any' as const }
  const asha = await earner(app)
  await app.owner.pool.query('update audit_log set mac = null')
  await app.owner.pool.query('alter table events add column foreign_to_us text')
  const next = async () =>
    (
      await app.owner.pool.query(`select b.clean_at, (select string_agg(walked || last_id, ' ' order by walked) from check_cursors
        where pass = 'turn') as turns from book_checks b`)
    ).rows[0]
  const names = ['I11', 'schema']
  assert.deepEqual([...new Set(invariantsOf(await watchBooks(deps)))], names)
  const { clean_at: first, turns } = await next()
  assert.notEqual(first, null)
  assert.notEqual(turns, null)
  assert.deepEqual([...new Set(invariantsOf(await watchBooks(deps)))], names)
  const { clean_at: second } = await next()
  assert.ok(second > first)
  // A broken promise among the changes still stops it.
  await app.owner.pool.query(`update ledger_accounts set balance = balance + 1 ${ofHolder(asha.student)}`)
  assert.ok(invariantsOf(await watchBooks(deps)).includes('I3'))
  assert.deepEqual((await next()).clean_at, second)
  await app.owner.pool.query(`update ledger_accounts set balance = balance - 1 ${ofHolder(asha.student)}`)
  await app.owner.pool.query('alter table events drop column foreign_to_us')
  await confirmAuditLog(app.db, app.deps.recordMac, { actor: 'ops', requestId: 'r', ip: null })
  assert.deepEqual(await watchBooks(deps), [])
})

test('a day whose sums by network do not add up is a violation', async (t) => {
  const app = await startTestApp(t)
  const broken = async () => (await watchBooks(app.deps)).map(({ invariant, what }) => `${invariant}: ${what}`)
  await app.owner.pool.query(
    `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by, phase, started_at, ended_at, by_network)
     values (gen_random_uuid(), 'daily', 'charges', 'live', 'snippe', '2026-01-25', clock_now(), 'system', 'ended', clock_now(), clock_now(),
       '{"mpesa": {"records": 2, "provider": 3000, "credited": 1500, "suspended": 0, "in_breaks": 0}}')`,
  )
  assert.deepEqual(await broken(), [
    'I8: charges of 2026-01-25 (snippe, live, mpesa): 3000 succeeded there, 1500 are in our books, 0 in suspense, 0 in breaks',
  ])
  await app.owner.pool.query(`delete from reconciliation_runs`)
})

test('a check of the books seals the new rows of each table in one stretch', async (t) => {
  const app = await startTestApp(t)
  for (let checks = 1; checks <= 2; checks += 1) {
    assert.deepEqual(await watchBooks(app.deps), [])
    const { rows } = await app.owner.pool.query(
      'select what, count(*)::integer as stretches from sealed_spans group by what order by what',
    )
    assert.deepEqual(
      rows.map(({ what, stretches }) => [what, stretches]),
      ['breaks_of_transfers', 'events', 'ledger_transfers', 'payments', 'payouts'].map((what) => [what, checks]),
    )
  }
})

test('after a pause of a day and a half each hour is sealed, and a change in one of them is found', async (t) => {
  const app = await startTestApp(t)
  await earner(app)
  assert.deepEqual(await watchBooks(app.deps), [])
  const { pool } = app.owner
  // The last seal is 36 hours old, and the rows written since are in several of the hours.
  await pool.query('delete from sealed_spans')
  await pool.query(`
    insert into sealed_spans (what, from_at, to_at, row_count, digest, sealed_at)
    select what, now() - interval '37 hours', now() - interval '36 hours', 0, sha256(''), now() - interval '36 hours'
    from unnest(array['ledger_transfers', 'breaks_of_transfers', 'payments', 'events', 'payouts']) as t (what)`)
  await pool.query(`
    update ledger_transfers t set created_at = t.created_at - make_interval(hours => 1 + 11 * n.place::integer)
    from (select id, row_number() over (order by id) - 1 as place from ledger_transfers) n where n.id = t.id and n.place <= 3`)
  await watchBooks(app.deps)
  const { rows } = await pool.query(
    `select count(*)::integer as hours, (count(*) filter (where row_count > 0))::integer as with_rows
     from sealed_spans where what = 'ledger_transfers' and from_at > now() - interval '36 hours 1 minute'`,
  )
  const { rows: all } = await pool.query(`select least(count(*), 4)::integer as moved from ledger_transfers`)
  assert.deepEqual(rows, [{ hours: 36, with_rows: all[0].moved }])
  const changed = async () => (await checkAll(app)).filter(({ invariant }) => invariant === 'seals').length
  assert.equal(await changed(), 0)
  await pool.query(`update ledger_transfers set request_id = 'forged' where created_at < now() - interval '30 minutes'`)
  assert.ok((await changed()) > 0)
  await pool.query('delete from sealed_spans')
})

test('two workers that seal their first rows at once seal each moment once', async (t) => {
  const app = await startTestApp(t)
  await app.checkout((await app.page(await app.student())).slug)
  for (let round = 0; round < 10; round += 1) {
    await app.owner.pool.query('delete from sealed_spans')
    const others = [0, 1, 2].map(() => sealSpans(app.db, { lagSeconds: 0, steps: 2 }))
    await Promise.all(others)
    const { rows } = await app.owner.pool.query(
      `select what from sealed_spans a where exists (
         select from sealed_spans b where b.what = a.what and b.from_at <> a.from_at and b.from_at < a.to_at and b.to_at > a.from_at)`,
    )
    assert.deepEqual(rows, [])
  }
  assert.ok((await app.owner.pool.query('select from sealed_spans')).rowCount! > 0)
})
