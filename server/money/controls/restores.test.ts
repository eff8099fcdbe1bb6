/** The comparisons after a restore: planned once, counted for operators, and what is known of an order until they have ended. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { bySystem } from '../../base/audit/audit.ts'
import type { Direction } from '../../domain/provider.ts'
import { sql } from '../../platform/db/db.ts'
import { markRestored } from './mark-restored.ts'
import {
  countComparisonsLeft,
  endComparedRestores,
  findUnnotedMarker,
  forceRestores,
  insertRestore,
  isComparing,
  lockUnplannedRestores,
  markerSetting,
  recordPlanned,
  restoreDoubt,
} from './restore.sql.ts'

async function restore({ db }: TestApp): Promise<string> {
  const id = randomUUID()
  assert.equal(await markRestored(db, { id, restoredTo: new Date() }, bySystem), true)
  return id
}

/** A comparison, of a restore if it is given, and another one at each call. */
async function addRun(
  app: TestApp,
  restoreId: string | null,
  subject: Direction,
  { unreadable = 0, isEnded = false, environment = 'test', provider = 'snippe' } = {},
): Promise<void> {
  await app.owner.rows(sql`
    insert into reconciliation_runs (id, kind, subject, environment, provider, due_at, requested_by, restore_id, unreadable, phase, ended_at)
    select gen_random_uuid(), 'recent', ${subject}, ${environment}, ${provider}, clock_now() + count(*) * interval '1 second', 'system', ${restoreId}, ${unreadable},
      case when ${isEnded} then 'ended' else 'due' end, case when ${isEnded} then clock_now() end
    from reconciliation_runs`)
}

test('the marker that a restore leaves in the server is reported until the restore is recorded', async (t) => {
  const app = await startTestApp(t)
  const id = randomUUID()
  await app.owner.tx(async (tx) => {
    assert.equal(await findUnnotedMarker(tx), undefined)
    await tx.rows(sql`select set_config(${markerSetting}, ${`${id} 2026-11-01T00:00:00Z`}, true)`)
    assert.match((await findUnnotedMarker(tx)) ?? '', new RegExp(`^${id} `))
    // An earlier restore that was recorded says nothing about this one.
    await insertRestore(tx, { id: randomUUID(), restoredTo: new Date(), by: 'system' })
    assert.match((await findUnnotedMarker(tx)) ?? '', new RegExp(`^${id} `))
    await insertRestore(tx, { id, restoredTo: new Date(), by: 'system' })
    assert.equal(await findUnnotedMarker(tx), undefined)
  })
})

test('each restore is planned once, and ends with the last of its own comparisons; operators see how many are left', async (t) => {
  const app = await startTestApp(t)
  const { db } = app
  const toPlan = async () => (await db.tx(lockUnplannedRestores)).map(({ id }) => id).toSorted()
  const force = (reason: string) => db.tx((tx) => forceRestores(tx, { actor: 'ops', reason }))
  assert.equal(await countComparisonsLeft(db), undefined)
  const old = await restore(app)
  await force('Long ago.')
  assert.equal(await countComparisonsLeft(db), undefined)

  const [first, second] = [await restore(app), await restore(app)]
  assert.deepEqual(await toPlan(), [first, second].toSorted())
  await db.tx((tx) => recordPlanned(tx, first))
  assert.deepEqual(await toPlan(), [second])
  await addRun(app, first, 'charges')
  await addRun(app, first, 'payouts', { isEnded: true, unreadable: 1 })
  await addRun(app, first, 'charges', { isEnded: true, unreadable: 1 })
  await addRun(app, first, 'payouts', { isEnded: true })
  assert.equal(await countComparisonsLeft(db), 3, 'one runs, one has not read a payout, and those of the second are not planned')
  assert.deepEqual(await endComparedRestores(db), [])

  await app.owner.rows(
    sql`update reconciliation_runs set phase = 'ended', ended_at = clock_now(), unreadable = 0 where subject = 'payouts'`,
  )
  await addRun(app, old, 'charges')
  await addRun(app, null, 'charges')
  assert.deepEqual(await endComparedRestores(db), [], 'one of its comparisons runs')
  await app.owner.rows(sql`update reconciliation_runs set phase = 'ended', ended_at = clock_now() where restore_id = ${first}`)
  assert.deepEqual(await endComparedRestores(db), [first])
  assert.deepEqual(await endComparedRestores(db), [])

  await force('The provider has no list.')
  const { rows } = await app.owner.pool.query('select id, forced_reason as reason from restores order by noted_at')
  assert.deepEqual(rows, [
    { id: old, reason: 'Long ago.' },
    { id: first, reason: null },
    { id: second, reason: 'The provider has no list.' },
  ])
})

test('an order from before a restore is known only through a list of its provider, environment and direction', async (t) => {
  const app = await startTestApp(t)
  const { db } = app
  const ask = async (
    subject: Direction,
    environment: string,
    provider: string,
    createdAt = sql`clock_now() - interval '1 day'`,
  ) => {
    const order = { createdAt, environment: sql`${environment}::text`, provider: sql`${provider}::text` }
    const [row] = await db.rows<{ doubt: string | null; waits: boolean }>(
      sql`select ${restoreDoubt(subject, order)} as doubt, ${isComparing} as waits`,
    )
    return [row!.doubt, row!.waits]
  }
  assert.deepEqual(await ask('payouts', 'test', 'snippe'), [null, false])
  const id = await restore(app)
  await addRun(app, id, 'payouts')
  assert.deepEqual(await ask('payouts', 'test', 'snippe', sql`clock_now() + interval '1 day'`), ['comparing', true])
  await db.tx((tx) => recordPlanned(tx, id))
  await addRun(app, null, 'payouts', { environment: 'live', provider: 'clickpesa' })
  await app.owner.rows(sql`update reconciliation_runs set phase = 'ended', ended_at = clock_now()`)
  assert.deepEqual(await endComparedRestores(db), [id])
  assert.deepEqual(await ask('payouts', 'test', 'snippe'), ['compared', false])
  assert.deepEqual(await ask('payouts', 'test', 'snippe', sql`clock_now() + interval '1 day'`), [null, false])
  for (const other of [
    await ask('charges', 'test', 'snippe'),
    await ask('payouts', 'live', 'snippe'),
    await ask('payouts', 'test', 'clickpesa'),
    await ask('payouts', 'live', 'clickpesa'),
  ])
    assert.deepEqual(other, ['uncompared', false])
})
