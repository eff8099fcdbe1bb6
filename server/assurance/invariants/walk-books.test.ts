/** The full check continues where it stopped, even if its process crashes many times, and never delays the incremental check. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { checkAll, makeWholeCheckDue } from '../../../test/fixtures/books.ts'
import { walkBooks } from './walk-books.ts'
import { watchBooks } from './watch-books.ts'

const callsOfAStep = 4

/** A process that crashes: from a moment on none of its statements reaches the database. */
function dying(app: TestApp, calls: number): TestApp['deps'] {
  const { db } = app.deps
  let left = calls
  const until =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      (left -= 1) < 0 ? Promise.reject(new Error('The process was killed.')) : call(...args)
  return { ...app.deps, db: { ...db, rows: until(db.rows), tx: until(db.tx), snapshot: until(db.snapshot) } as typeof db }
}

type CursorRow = { walked: string; place: string; begun: string; ended: boolean }

async function cursorsOf(app: TestApp): Promise<Map<string, CursorRow>> {
  const { rows } = await app.owner.pool.query<CursorRow>(
    `select walked, lpad((home + 1)::text, 3, '0') || ' ' || last_id as place, pass_started_at::text as begun, finished_at is not null as ended
     from check_cursors where pass = 'whole'`,
  )
  return new Map(rows.map((row) => [row.walked, row]))
}

const setClock = (app: TestApp, hours: number): Promise<unknown> =>
  app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select now() + interval '${hours} hours' $$`,
  )

async function paidApp(t: Parameters<typeof startTestApp>[0]): Promise<TestApp> {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  for (let turn = 0; turn < 5; turn += 1) await app.settled((await app.checkout(page.slug)).body.data.reference)
  await app.deps.backgroundDone()
  return app
}

test('a whole check that is killed in the middle for a week continues where it stopped and ends, and incremental checks never stop [T11]', async (t) => {
  const app = await paidApp(t)
  let before = await cursorsOf(app)
  const ended = new Set<string>()
  for (let day = 0; day < 7; day += 1) {
    for (const hour of [1, 9, 17]) {
      await setClock(app, day * 24 + hour)
      // In the middle of a step: while it reads, or before it records its findings.
      await assert.rejects(
        walkBooks(dying(app, callsOfAStep * 12 + 2 + (day % 2)), { budgetMs: 60_000, rows: 4 }),
        /The process was killed/,
      )
      const after = await cursorsOf(app)
      for (const [name, { place, begun, ended: isEnded }] of after) {
        const was = before.get(name)
        if (isEnded) ended.add(name)
        if (!was || was.ended) continue
        assert.equal(begun, was.begun, `${name} was not begun again`)
        assert.ok(place >= was.place, `${name} went back from ${was.place} to ${place}`)
      }
      before = after
      assert.deepEqual(await watchBooks(app.deps), [])
      const { rows } = await app.owner.pool.query(
        `select checked_at > clock_now() - interval '1 minute' and clean_at = checked_at as is_new from book_checks`,
      )
      assert.equal(rows[0].is_new, true)
    }
  }
  assert.deepEqual(
    [...before.keys()].filter((name) => !ended.has(name)),
    [],
    'each part came to its end',
  )
  await setClock(app, 0)
})

test('a change behind the cursor is found by the next pass, and a change before it by this one [T11]', async (t) => {
  const app = await paidApp(t)
  assert.deepEqual(await checkAll(app), [])
  // None of it is new any more.
  await setClock(app, 30)
  assert.deepEqual(await watchBooks(app.deps), [])
  const { rows: payments } = await app.owner.pool.query<{ id: string }>('select id from payments order by home, id')
  const [first, last] = [payments[0]!.id, payments.at(-1)!.id]
  const spoil = (ids: string[], code: string | null) =>
    app.owner.pool.query(
      `begin; set local session_replication_role = replica;
       update payments set failure_code = ${code ? `'${code}'` : 'null'} where id in (${ids.map((id) => `'${id}'`).join()}); commit`,
    )
  const pass = async (): Promise<void> => {
    await makeWholeCheckDue(app)
    while (!(await cursorsOf(app)).get('payments')!.place.endsWith(payments[2]!.id)) {
      assert.equal(await walkBooks(app.deps, { budgetMs: 0, rows: 1 }), true)
    }
  }
  const found = async () => (await watchBooks(app.deps)).map(({ what }) => what.split(' ')[1]!).toSorted()
  await pass()
  await spoil([first, last], 'wrong_pin')
  assert.deepEqual(await found(), [])
  await walkBooks(app.deps, { budgetMs: 60_000 })
  assert.deepEqual(await found(), [last])
  await makeWholeCheckDue(app)
  await walkBooks(app.deps, { budgetMs: 60_000 })
  assert.deepEqual(await found(), [first, last].toSorted())
  await spoil([first, last], null)
  // The findings of the last full pass count until the next one has ended.
  await pass()
  assert.deepEqual(await found(), [first, last].toSorted())
  await walkBooks(app.deps, { budgetMs: 60_000 })
  assert.deepEqual(await found(), [])
  await setClock(app, 0)
})
