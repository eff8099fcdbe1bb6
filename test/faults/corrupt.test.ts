/**
 * `npm run corrupt -- --seed N`: random changes of single columns and removals of rows in a database with traffic of every kind, one at a
 * time, by its owner with triggers off; how many does the full check not notice? Invariant: none that moves or directs money.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runnerOf, undone } from '../fixtures/books.ts'
import { createDice } from '../fuzz/dice.ts'
import { classOf, moneyTables } from '../corrupt/columns.ts'
import { corrupt, readColumns, type Corruption } from '../corrupt/draw.ts'
import { startWorld } from '../corrupt/world.ts'
import { closeDay } from '../../server/assurance/invariants/close-days.ts'
import { sealOldRows } from '../../server/assurance/invariants/row-seal.sql.ts'
import { sealSpans } from '../../server/assurance/invariants/sealed-span.sql.ts'
import { sumDay } from '../../server/views/merchant-account/sum-days.ts'
import { partsOfAll, verifyAll, type VerifyAllDeps } from '../../server/assurance/invariants/verify-all.ts'
import { start } from '../../server/assurance/invariants/walks.sql.ts'
import type { Db, Runner } from '../../server/platform/db/db.ts'

const count = Number(process.env['CORRUPT_COUNT'] ?? 300)
const seed = process.env['CORRUPT_SEED'] ?? new Date().toISOString().slice(0, 10)

/** Parts of the full check that notice much and cost little. */
const quickest = new Set(['row_seals', 'sealed_spans'])

/** By which promise the full check notices something; the rest of it is not run then. */
async function findFirst(deps: Omit<VerifyAllDeps, 'clocks'>): Promise<string | undefined> {
  for (const part of partsOfAll(deps).filter(({ name }) => quickest.has(name))) {
    let step = await part.step(start, part.size)
    for (; step && step.violations.length === 0; step = await part.step(step.after, part.size)) continue
    if (step) return step.violations[0]!.invariant
  }
  return (await verifyAll({ ...deps, clocks: 'unchecked' }))[0]?.invariant
}

type Tried = Corruption & { class: string; silent: boolean; by: string | undefined }

test(`of ${count} random corruptions few are silent, and none of amounts, addresses, states, owners, votes or times`, async (t) => {
  const app = await startWorld(t)
  // On the first day of a database, ends without a note are accepted.
  await app.owner.pool.query(`update kysely_migration set timestamp = (timestamp::timestamptz - interval '30 days')::text`)
  await sealOldRows(app.db)
  await sealSpans(app.db, { lagSeconds: 0, steps: 2 })
  // The ledger of an earlier day is closed and summed, and today's has no digest but that of its span.
  await app.owner.pool.query(`update ledger_transfers set created_at = created_at - interval '2 days'`)
  await app.owner.pool.query(`delete from sealed_spans where what in ('ledger_transfers', 'breaks_of_transfers')`)
  while (await closeDay(app.deps)) continue
  while (await sumDay(app.deps)) continue
  const { recordMac } = app.deps
  assert.deepEqual(await verifyAll({ db: app.owner, recordMac, clocks: 'unchecked' }), [])
  const dice = createDice(seed)
  const tried: Tried[] = []
  await undone(app, async (client) => {
    await client.query('set local session_replication_role = replica')
    const columns = await readColumns(client, moneyTables)
    const runner = runnerOf(client)
    const db: Runner & Pick<Db, 'snapshot'> = { ...runner, snapshot: (read) => read(runner) }
    while (tried.length < count) {
      await client.query('savepoint whole')
      const made = await corrupt(client, columns, dice)
      if (made) {
        // A check that cannot read a changed value at all has noticed it.
        await client.query('savepoint checked')
        const by = await findFirst({ db, recordMac }).catch((error: Error) => error.message)
        tried.push({ ...made, class: classOf(made), silent: by === undefined, by })
      }
      await client.query('rollback to savepoint whole; release savepoint whole')
    }
  })
  const silent = tried.filter((one) => one.silent)
  const lines = silent.map(({ table, column, class: kind, text }) => `silent: [${kind}] ${table}.${column ?? '(row)'}: ${text}`)
  const classes = [...Map.groupBy(tried, (one) => one.class)].map(
    ([kind, all]) => `${kind}: ${all.filter((one) => one.silent).length} of ${all.length}`,
  )
  const caught = process.env['CORRUPT_ALL']
    ? tried.filter((one) => !one.silent).map((one) => `caught: ${one.table}.${one.column ?? '(row)'} ${one.text} by ${one.by}`)
    : []
  process.stdout.write(`${[...caught, ...lines.toSorted(), ...classes].join('\n')}\n`)
  process.stdout.write(
    `seed ${seed}: ${silent.length} of ${tried.length} silent (${((100 * silent.length) / tried.length).toFixed(1)} %)\n`,
  )
  if (process.env['CORRUPT_MEASURE']) return
  assert.ok(silent.length <= tried.length * 0.15)
  assert.deepEqual(
    silent.filter((one) => one.class === 'money').map(({ table, column }) => `${table}.${column ?? '(row)'}`),
    [],
  )
})
