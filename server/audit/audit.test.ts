/** The audit log keeps its order under concurrency, cannot be rewritten by the service, and shows what an owner of the database did to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../test/world.ts'
import { verify } from '../invariants/verify.ts'
import { sql } from '../platform/db.ts'
import { appendAudit, byCommandLine } from './audit.ts'

test('forty writers at once leave a gapless chain; an entry whose transaction fails was never there', async (t) => {
  const world = await startWorld(t)
  await Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      world.db
        .tx(async (tx) => {
          await appendAudit(tx, byCommandLine, {
            action: 'test.done',
            object: `thing_${number}`,
            after: { number, 'ünï "x"': null },
          })
          if (number % 4 === 0) throw new Error('the transaction fails')
        })
        .catch(() => undefined),
    ),
  )
  const entries = await world.db.rows<{ seq: number }>(sql`select seq from audit_log order by seq`)
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
  assert.deepEqual(await verify(world.owner), [])
})

test('the service can append and nothing else', async (t) => {
  const world = await startWorld(t)
  await appendAudit(world.db, byCommandLine, { action: 'test.done', object: 'thing' })
  for (const statement of [
    sql`update audit_log set actor = 'somebody'`,
    sql`delete from audit_log`,
    sql`truncate audit_log`,
    sql`delete from audit_head`,
  ]) {
    await assert.rejects(world.db.rows(statement), /permission denied/)
  }
})

test('whoever owns the database and changes, removes, reorders or cuts off an entry is found out', async (t) => {
  const world = await startWorld(t)
  for (let number = 1; number <= 5; number += 1) {
    await appendAudit(world.db, byCommandLine, { action: 'test.done', object: `thing_${number}`, after: { number } })
  }
  const tamperings = {
    'the audit log is broken at entry 3': [`update audit_log set after = '{"number": 4}' where seq = 3`],
    'the audit log is broken at entry 4': [`delete from audit_log where seq = 3`],
    'the audit log ends at entry 4, its head says 5': [`delete from audit_log where seq = 5`],
    'the audit log is broken at entry 2': [
      `update audit_log set seq = 20 where seq = 2`,
      `update audit_log set seq = 2 where seq = 3`,
      `update audit_log set seq = 3 where seq = 20`,
    ],
  }
  for (const [what, statements] of Object.entries(tamperings)) {
    const kept = await world.owner.pool.query('select * from audit_log order by seq')
    for (const statement of statements) await world.owner.pool.query(statement)
    const found = await verify(world.owner)
    assert.deepEqual(
      found.map((violation) => [violation.invariant, violation.what]),
      [['I11', what]],
    )
    await world.owner.pool.query('delete from audit_log')
    for (const row of kept.rows) {
      await world.owner.pool.query(`insert into audit_log select * from jsonb_populate_record(null::audit_log, $1)`, [
        JSON.stringify({
          ...row,
          hash: `\\x${row.hash.toString('hex')}`,
          previous_hash: `\\x${row.previous_hash.toString('hex')}`,
        }),
      ])
    }
  }
  assert.deepEqual(await verify(world.owner), [])
})
