/** Attacks with a stolen login of the service, which may write most tables, but has no keys: on approvals of payouts, and on the seals of rows. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { sealOldRows } from '../../server/assurance/invariants/row-seal.sql.ts'
import { verifyAll } from '../../server/assurance/invariants/verify-all.ts'
import { checkPayouts } from '../../server/pay-out/payouts/send-payout.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { servingLogin, withLogin } from '../../server/platform/db/logins.sql.ts'
import { share, startTestApp, type Ending, type TestApp } from '../app.ts'
import { createTestDatabase } from '../databases.ts'
import { ask, ended, paidStudent, providersOf, short } from '../fixtures/payouts.ts'

/** A service whose old rows are sealed, and the stolen login. */
const attacked = share(async (ending: Ending): Promise<{ app: TestApp; service: pg.Client; key: string }> => {
  const database = await createTestDatabase()
  const app = await startTestApp(ending, { database, settings: { PAYOUT_APPROVAL_ABOVE: '10000' } })
  await sealOldRows(app.db)
  const service = new pg.Client({ connectionString: withLogin(database.url, servingLogin) })
  await service.connect()
  app.beforeClose(() => service.end())
  return { app, service, key: (await paidStudent(app, 900_000)).key }
})

const refused: Record<string, string> = {
  'the seal of a row goes': `delete from row_seals where what = 'payouts'`,
  'a seal is made up': `insert into row_seals (what, id, digest, sealed_at) values ('payouts', '1', '\\x00', clock_now())`,
  'a seal is changed': `update row_seals set digest = '\\x00'`,
  'seals are to be made again': 'update sealed_tables set complete_at = null, read_to = null',
  'a table has no seals': `delete from sealed_tables where name = 'payouts'`,
  'a column has no seal': `update sealed_tables set covers = array_remove(covers, 'amount')`,
  'a row is sealed as it is': `select seal_again('payouts', '1')`,
  'a trigger of a table with the same name makes seals': `
    create temp table payouts (home smallint, id uuid);
    create trigger taken after insert on pg_temp.payouts for each row execute function public.seal_rows()`,
  'the database is of yesterday': `update kysely_migration set timestamp = to_char(now(), 'YYYY-MM-DD')`,
  'a newer version has migrated the database': `insert into kysely_migration values ('9999-newer', to_char(now(), 'YYYY-MM-DD'))`,
}

for (const [what, statement] of Object.entries(refused)) {
  test(`the database refuses to the login of the service: ${what}`, async () => {
    const { service } = await attacked()
    await assert.rejects(service.query(statement), { code: '42501' })
  })
}

test('seals of a complete table are not made for a row that was added without them', async () => {
  const { app, service } = await attacked()
  const add = `insert into switches (name) values ('live.payouts.airtel')`
  await app.owner.pool.query(`begin; set local session_replication_role = replica; ${add}; commit`)
  for (const name of ['switches', 'row_seals', 'no_table']) await service.query(`select seal_old_rows('${name}', 1000)`)
  const { rows } = await app.owner.pool.query(`select from row_seals where what = 'switches' and id = 'live.payouts.airtel'`)
  assert.equal(rows.length, 0)
  await app.owner.pool.query(`delete from switches where name = 'live.payouts.airtel'`)
})

const approved = `update payouts set approval = 'approved'`
const longAgo = `created_at = '2020-01-01'`
const withoutCode = `update provider_payouts set order_mac = null, approval_mac = null where payout_id = $1`

/** Statements that release the payout $1, which waits for an operator; $2 has been sent, with all codes. */
const forgeries: Record<string, string[]> = {
  'it is approved': [`${approved} where id = $1`],
  'it was requested and approved before there were codes': [`${approved}, ${longAgo} where id = $1`],
  'it needs no approval': [`update payouts set approval = 'none', approval_by = null, ${longAgo} where id = $1`],
  'its order has no code either': [`${approved}, ${longAgo} where id = $1`, withoutCode],
  'it has the code of another approval': [
    `${approved} where id = $1`,
    `update provider_payouts set approval_mac = (select approval_mac from provider_payouts where payout_id = $2) where payout_id = $1`,
  ],
}

for (const [what, statements] of Object.entries(forgeries)) {
  test(`a payout that was released by the login of the service does not leave, and is found: ${what}`, async () => {
    const { app, service, key } = await attacked()
    const query = async (text: string, values: string[] = []) => (await app.owner.pool.query(text, values)).rows
    const sent = (await ask(app, key, { amount: 9_000 })).body.data.id
    await ended(app, key, sent, 'completed')
    const waiting = (await ask(app, key)).body.data.id
    const [id, other] = [fromWire('po', waiting)!, fromWire('po', sent)!]
    const before = await providersOf(app)
    const [kept] = await query(
      'select created_at, order_mac from payouts join provider_payouts on payout_id = id where id = $1',
      [id],
    )
    for (const statement of statements) await service.query(statement, statement.includes('$2') ? [id, other] : [id])
    await service.query('update provider_payouts set next_attempt_at = now() where payout_id = $1', [id])
    await checkPayouts(app.deps, 10)
    assert.deepEqual(await providersOf(app), before)
    const opened = await query(`select details ->> 'reason' as reason from breaks where payout_id = $1`, [id])
    assert.deepEqual(opened, [{ reason: 'forged_order' }])
    const found = await verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: app.deps.clocks })
    assert.deepEqual([...new Set(found.map(({ invariant, severity }) => `${invariant} ${severity}`))], ['orders money'])
    assert.ok(found.every((one) => one.what.includes(id)))

    await query('delete from breaks where payout_id = $1', [id])
    await query(
      `update payouts set approval = 'required', approval_by = 'operators', held = false, created_at = $2 where id = $1`,
      [id, kept.created_at],
    )
    await query('update provider_payouts set approval_mac = null, order_mac = $2 where payout_id = $1', [id, kept.order_mac])
    assert.equal(short(await app.call('POST', `/v1/payouts/${waiting}/cancel`, { key })), '200')
  })
}

test('a payout that the login of the service invents has no code, so it does not leave', async () => {
  const { app, service, key } = await attacked()
  const { id } = (await ask(app, key, { amount: 9_000 })).body.data
  await ended(app, key, id, 'completed')
  const before = await providersOf(app)
  const [real, invented] = [fromWire('po', id)!, randomUUID()]
  const copied = (table: string, name: string, changes: string) =>
    `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('${name}', $2::uuid, ${changes}))).* from ${table} t where ${name} = $1`
  await service.query(
    copied(
      'payouts',
      'id',
      `'status', 'pending', 'completed_at', null, 'idempotency_hash', '\\x00', 'approval', 'none', 'approval_by', null, 'created_at', '2020-01-01'`,
    ),
    [real, invented],
  )
  await service.query(
    copied(
      'provider_payouts',
      'payout_id',
      `'state', 'queued', 'provider_reference', null, 'idempotency_key', 'taken', 'order_mac', null, 'approval_mac', null, 'next_attempt_at', now()`,
    ),
    [real, invented],
  )
  await checkPayouts(app.deps, 10)
  assert.deepEqual(await providersOf(app), before)
  const found = await verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: app.deps.clocks })
  assert.ok(found.some(({ invariant, what }) => invariant === 'orders' && what === `the payout order of ${invented} has no code`))
  for (const [table, name] of [
    ['breaks', 'payout_id'],
    ['provider_payouts', 'payout_id'],
    ['events', 'payout_id'],
    ['payouts', 'id'],
  ] as const) {
    await app.owner.pool.query(`delete from ${table} where ${name} = $1`, [invented])
  }
})
