/** The ledger rules that the database itself enforces, independent of the service: each rule is a constraint or a privilege. */
import assert from 'node:assert/strict'
import { before, after, test, type TestContext } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { fromWire, newMoneyId } from '../../platform/ids.ts'

let app: TestApp
let paymentId: string

before(async () => {
  app = await startTestApp({ after: () => undefined } as unknown as TestContext)
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug)).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  await app.deps.backgroundDone()
  paymentId = fromWire('pay', reference)!
})
after(() => app.close())

/** A copy of the payment's credit with some columns changed, in a transaction that is rolled back. */
async function write(changes: Record<string, unknown>): Promise<void> {
  const client = await app.owner.pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `insert into ledger_transfers
       select (jsonb_populate_record(t, $1::jsonb)).* from ledger_transfers t where payment_id = $2 and kind = 'payment'`,
      [JSON.stringify({ id: newMoneyId(7), debit_seq: 90, credit_seq: 90, ...changes }), paymentId],
    )
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('what the ledger has written the service can neither change nor remove', async () => {
  const statements = [
    'update ledger_transfers set amount = 1',
    'delete from ledger_transfers',
    'truncate ledger_transfers',
    "update events set data = '{}'",
    'delete from payment_transitions',
  ]
  for (const statement of statements) await assert.rejects(app.db.script(statement), /permission denied/, statement)
})

test('the database credits a payment once, books its fee once, and moves it to suspense once', async () => {
  await assert.rejects(write({}), /ledger_transfers_one_credit_per_payment/)
  await assert.rejects(write({ kind: 'provider_fee' }), /ledger_transfers_one_credit_per_payment/)
  await assert.doesNotReject(write({ kind: 'suspense' }))
})

test('the database accepts each step of a payout once, plus once for each break', async () => {
  const twice = `insert into ledger_transfers
    select (jsonb_populate_record(t, $1::jsonb || jsonb_build_object('id', n.id, 'debit_seq', n.seq, 'credit_seq', n.seq))).*
    from ledger_transfers t, unnest($3::uuid[], $4::bigint[]) as n (id, seq) where t.payment_id = $2 and t.kind = 'payment'`
  const step = { kind: 'payout', payment_id: null, page_id: null, payout_id: newMoneyId(7) }
  const values = [JSON.stringify(step), paymentId, [newMoneyId(7), newMoneyId(7)], [90, 91]]
  await assert.rejects(app.owner.pool.query(twice, values), /ledger_transfers_once_per_payout_and_break/)
})

test('a transfer moves an amount above zero from one account to another, in one environment', async () => {
  const other = { kind: 'suspense' }
  await assert.rejects(write({ ...other, amount: 0 }), /ledger_transfers_amount_positive/)
  await assert.rejects(write({ ...other, amount: -5 }), /ledger_transfers_amount_positive/)
  await assert.rejects(write({ ...other, environment: 'live' }), /ledger_transfers_(debit|credit)_account/)
  const { rows } = await app.owner.pool.query(
    `select credit_account_id, credit_seq from ledger_transfers where payment_id = $1 and kind = 'payment'`,
    [paymentId],
  )
  await assert.rejects(write({ ...other, debit_account_id: rows[0].credit_account_id }), /ledger_transfers_two_accounts/)
  await assert.rejects(write({ ...other, credit_seq: Number(rows[0].credit_seq) }), /ledger_transfers_credit_seq_unique/)
})

/** What a payment changes. An index that names one of these, also in its condition, makes each change write into every index of the row. */
const changedByPayments: Record<string, string[]> = {
  ledger_accounts: ['balance', 'last_seq'],
  payment_pages: ['held_count', 'paid_count', 'paid_total'],
  payments: ['status', 'late', 'network', 'network_receipt', 'completed_at', 'holds_place'],
}

test('no index names a balance, a counter or a state that each payment changes', async () => {
  const { rows } = await app.owner.pool.query(
    `select d.objid::regclass::text as index, a.attname as column
    from pg_depend d
    join pg_index i on i.indexrelid = d.objid
    join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    join jsonb_each($1::jsonb) t on t.key::regclass = d.refobjid and t.value ? a.attname
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass`,
    [JSON.stringify(changedByPayments)],
  )
  assert.deepEqual(rows, [])
})
