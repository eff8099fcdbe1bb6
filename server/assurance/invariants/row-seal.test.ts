/** Rows that direct money have seals: what the service writes, also from before there were seals, and nothing that is written by hand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { openShop } from '../../../test/fixtures/approvals.ts'
import { short } from '../../../test/fixtures/payouts.ts'
import { newMember } from '../../../test/members.ts'
import { fromWire } from '../../platform/ids.ts'
import { sealOldRows } from './row-seal.sql.ts'
import { stopAndAlert } from './stop-and-alert.ts'
import { verify } from './verify.ts'

const found = async (app: TestApp): Promise<string[]> =>
  (await verify(app.owner, { since: null }, ['rows', 'records'])).map(({ what }) => what)

/** Statements as an administrator writes them, with triggers. */
const byHand = (app: TestApp, statements: string): Promise<unknown> =>
  app.owner.pool.query(`begin; set local malipo.changes_by_hand = ''; ${statements}; commit`)

test('rows from before there were seals alert no one, and have seals after the next checks of the books', async (t) => {
  const app = await startTestApp(t)
  const shop = await openShop(app)
  for (let turn = 0; turn < 3; turn += 1) assert.equal(short(await shop.request(shop.owner, 6_000 + turn)), '201')
  await app.deps.backgroundDone()
  const counted = async (): Promise<unknown> =>
    (await app.owner.pool.query('select what, count(*) from row_seals group by 1 order by 1')).rows
  const before = await counted()
  await app.owner.pool.query('delete from row_seals; update sealed_tables set read_to = null, complete_at = null')
  assert.deepEqual(await found(app), [])
  // What the service changes in the meantime has its seal before its turn comes.
  const page = await app.page(shop.owner)
  assert.deepEqual(await found(app), [])
  // As the service's own login, in steps shorter than the tables.
  const { rows: tables } = await app.owner.pool.query<{ name: string }>('select name from sealed_tables order by name')
  for (const { name } of tables) await app.db.pool.query(`select seal_old_rows('${name}', 2)`)
  assert.deepEqual(await found(app), [])
  await sealOldRows(app.db)
  const { rows: open } = await app.owner.pool.query('select name from sealed_tables where complete_at is null')
  assert.deepEqual(open, [])
  assert.deepEqual(await found(app), [])
  await app.call('DELETE', `/v1/merchant/payment-pages/${page.id}`, { token: shop.owner.token })
  const after = (await counted()) as { what: string; count: string }[]
  assert.deepEqual(
    after.map(({ what }) => what),
    (before as { what: string }[]).map(({ what }) => what),
  )
  for (const table of ['payouts', 'provider_payouts', 'users', 'ledger_accounts']) {
    const { rows } = await app.owner.pool.query(`select count(*) from ${table}`)
    assert.equal(after.find(({ what }) => what === table)!.count, rows[0].count, table)
  }
})

test('seals made by an earlier version are right: their form does not change', async (t) => {
  const app = await startTestApp(t)
  const shop = await openShop(app)
  assert.equal(short(await shop.request(shop.owner, 6_000)), '201')
  await app.deps.backgroundDone()
  // The words of the migration that made the first seals.
  await app.owner.pool.query(`create function pg_temp.first_digest(line jsonb, covers text[]) returns bytea language sql as $$
    select sha256(convert_to(coalesce(jsonb_object_agg(e.key, e.value), '{}')::text, 'utf8')) from jsonb_each(jsonb_strip_nulls(line)) e where e.key = any(covers)
  $$`)
  const { rows } = await app.owner.pool.query<{ name: string; covers: string[] }>('select name, covers from sealed_tables')
  for (const { name, covers } of rows) {
    const { rows: differing } = await app.owner.pool.query(
      `select x.* from ${name} x where pg_temp.first_digest(to_jsonb(x), $1) <> row_seal_digest(to_jsonb(x), $1)`,
      [covers],
    )
    assert.deepEqual(differing, [], name)
  }
  const odd = { home: 1, id: null, details: { a: null, b: [null, { c: null }] }, other: 'left out', covered: {} }
  const { rows: same } = await app.owner.pool.query(
    `select pg_temp.first_digest(l, c) = row_seal_digest(l, c) as same from (values ($1::jsonb, array['home', 'id', 'details', 'covered']), ($1, '{}')) v (l, c)`,
    [JSON.stringify(odd)],
  )
  assert.deepEqual(same, [{ same: true }, { same: true }])
})

test('a column that a migration adds while the seals are compared is no finding', async (t) => {
  const app = await startTestApp(t)
  const shop = await openShop(app)
  assert.equal(short(await shop.request(shop.owner, 6_000)), '201')
  await app.deps.backgroundDone()
  const reader = await app.owner.pool.connect()
  await reader.query('begin isolation level repeatable read; select count(*) from sealed_tables')
  await app.owner.pool.query('alter table payouts add column is_new boolean not null default false')
  const { rows } = await reader.query(`select what from broken_row_seals(true, '', '', 'zz', '', null)`)
  await reader.query('rollback')
  reader.release()
  await app.owner.pool.query('alter table payouts drop column is_new')
  assert.deepEqual(rows, [])
})

test('what the service removes with its parts, or the database on its behalf, is no finding', async (t) => {
  const app = await startTestApp(t)
  const shop = await openShop(app)
  const items = [{ amount: 10_000, phone_number: '0754000123', recipient_name: 'Asha' }]
  assert.equal(short(await shop.as(shop.owner, 'POST', '/payout-batches', { items })), '201')
  await app.deps.backgroundDone()
  assert.deepEqual(await found(app), [])
  await app.db.pool.query('delete from payout_batches')
  assert.deepEqual((await app.owner.pool.query('select from payout_batch_rows')).rows, [])
  assert.deepEqual(await found(app), [])
})

test('what is changed, removed or added by hand is found, with triggers too, until an administrator lets it be sealed again', async (t) => {
  const app = await startTestApp(t)
  await sealOldRows(app.db)
  const shop = await openShop(app)
  await newMember(app, shop.owner, shop.businessId, 'approver')
  for (let turn = 0; turn < 3; turn += 1) assert.equal(short(await shop.request(shop.owner, 6_000 + turn)), '201')
  await app.deps.backgroundDone()
  const { rows } = await app.owner.pool.query<{ amount: string; id: string }>(
    `select amount, home || '|' || id as id from payouts order by amount`,
  )
  await byHand(app, `update payouts set narration = 'Changed' where amount = 6001`)
  await byHand(app, `delete from members where role = 'approver'`)
  await byHand(
    app,
    `insert into approval_rules (home, merchant_id, environment, above, approvers, set_by)
      select m.home, m.id, 'live', 5, 1, u.id from merchants m, users u limit 1`,
  )
  const {
    rows: [added],
  } = await app.owner.pool.query<{ id: string }>(
    `select concat_ws('|', home, merchant_id, environment) as id from approval_rules`,
  )
  const findings = (await verify(app.owner, { since: null }, ['rows'])).map(({ what }) => what)
  const ofMember = findings.find((what) => what.endsWith(' is gone'))
  assert.match(ofMember ?? '', /^members \S+ is gone$/)
  assert.deepEqual(findings.filter((what) => what !== ofMember).toSorted(), [
    `approval_rules ${added!.id} was added outside the service`,
    `payouts ${rows[1]!.id} was changed outside the service`,
  ])
  // A worker seals what is older than seals, and nothing that was added since.
  await sealOldRows(app.db)
  assert.equal((await found(app)).length, 3)
  const sealAgain = async (what: string): Promise<string> => {
    const [name, id] = what.split(' ')
    return (await app.owner.pool.query(`select seal_again($1, $2) as said`, [name, id])).rows[0].said
  }
  assert.equal(await sealAgain(`payouts ${rows[1]!.id}`), 'The row is sealed as it is.')
  assert.equal(await sealAgain(`approval_rules ${added!.id}`), 'The row is sealed as it is.')
  assert.deepEqual(await found(app), [ofMember])
  assert.equal(await sealAgain(ofMember!), 'There is no such row. It has no seal any more.')
  assert.deepEqual(await found(app), [])
})

test('a row of a member that was changed by hand stops the payouts of that business alone', async (t) => {
  const app = await startTestApp(t)
  await sealOldRows(app.db)
  const shop = await openShop(app)
  const { memberId } = await newMember(app, shop.owner, shop.businessId, 'approver')
  await byHand(app, `update members set role = 'owner' where id = '${fromWire('mem', memberId)}'`)
  const [violation, ...others] = await verify(app.owner, { since: null }, ['rows'])
  assert.deepEqual(others, [])
  await stopAndAlert(app.deps, [violation!])
  const { rows } = await app.owner.pool.query('select merchant_id, environment from payout_freezes order by environment')
  const merchant_id = fromWire('biz', shop.businessId)
  assert.deepEqual(rows, [
    { merchant_id, environment: 'live' },
    { merchant_id, environment: 'test' },
  ])
  assert.deepEqual((await app.owner.pool.query(`select name from switches where name like 'payouts%' and not is_on`)).rows, [])
  await app.owner.pool.query(`select seal_again('members', '${fromWire('mem', memberId)}')`)
})

test('a table whose seals are to be made again by hand is found, and none is made before two people have looked', async (t) => {
  const app = await startTestApp(t)
  await sealOldRows(app.db)
  const name = 'approval_rules'
  await byHand(app, `update sealed_tables set read_to = null, complete_at = null where name = '${name}'`)
  const changed = [`sealed_tables ${name} was changed outside the service`]
  const open = async (): Promise<number> =>
    (await app.owner.pool.query('select from sealed_tables where complete_at is null')).rows.length
  for (let turn = 0; turn < 2; turn += 1) {
    assert.deepEqual([await found(app), await open()], [changed, 1])
    await sealOldRows(app.db)
  }
  await app.owner.pool.query(`select seal_again('sealed_tables', '${name}')`)
  await sealOldRows(app.db)
  assert.deepEqual([await found(app), await open()], [[], 0])
})

test('a trigger that seals changes of single columns names all columns that its seals cover', async (t) => {
  const app = await startTestApp(t)
  const { rows } = await app.owner.pool.query<{ table: string; covers: string[]; named: string[] }>(
    `select s.name as table, array(select unnest(s.covers) order by 1) as covers,
       array(select a.attname::text from pg_attribute a where a.attrelid = g.tgrelid and a.attnum = any(g.tgattr::smallint[]) order by 1) as named
     from sealed_tables s join pg_trigger g on g.tgrelid = s.name::regclass and g.tgname = s.name || '_seal_update'
     where g.tgtype & 1 = 1 order by 1`,
  )
  assert.deepEqual(
    rows.map(({ table }) => table),
    ['api_keys', 'ledger_accounts', 'payment_pages', 'sealed_tables', 'webhook_endpoints'],
  )
  for (const { table, covers, named } of rows) assert.deepEqual(named, covers, table)
})

test('a payment seals nothing, so that seals do not slow it down', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const pay = async (): Promise<void> =>
    assert.equal((await app.settled((await app.checkout(page.slug)).body.data.reference)).status, 'completed')
  // The first one makes the accounts of its home.
  await pay()
  await app.deps.backgroundDone()
  const seals = async (): Promise<unknown> =>
    (await app.owner.pool.query('select what, id, sealed_at, xmin::text from row_seals order by 1, 2')).rows
  const before = await seals()
  await pay()
  await app.deps.backgroundDone()
  assert.deepEqual(await seals(), before)
})
