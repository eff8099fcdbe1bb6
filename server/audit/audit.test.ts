/** The audit log keeps its order under concurrency, cannot be rewritten by the service, and shows what an owner of the database did to it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startWorld } from '../../test/world.ts'
import { verify } from '../invariants/verify.ts'
import { sql } from '../platform/db.ts'
import { createRecordMac } from '../platform/record-mac.ts'
import { appendAudit, byCommandLine } from './audit.ts'
import { confirmAuditLog, findCodeFaults, renewAuditCodes } from './entry-codes.ts'

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

const keyNamed = (id: string) => ({ id, key: randomBytes(32) })

test('entries keep their codes through a replacement of the key, and one that was forged before it is named, not made right', async (t) => {
  const world = await startWorld(t)
  const [first] = world.config.keys.integrity
  const next = keyNamed('next')
  const both = createRecordMac([next, first!])
  await appendAudit(world.db, byCommandLine, { action: 'test.done', object: 'thing_1' })
  await appendAudit(world.db, byCommandLine, { action: 'test.done', object: 'thing_2' })
  await world.owner.pool.query(`update audit_log set mac = (select mac from audit_log where seq = 1) where seq = 2 returning mac`)
  const { wrong } = await renewAuditCodes(world.db, both)
  assert.deepEqual(wrong, ['entry 2 of the audit log does not have the code that fits it'])
  const right = world.deps.recordMac
  const [entry] = await world.db.rows<{ hash: string }>(sql`select encode(hash, 'hex') as hash from audit_log where seq = 2`)
  await world.owner.pool.query('update audit_log set mac = $1 where seq = 2', [right.make('audit entry', [2, entry!.hash])])
  assert.deepEqual(await renewAuditCodes(world.db, both), { renewed: 1, wrong: [] })
  assert.deepEqual(await renewAuditCodes(world.db, both), { renewed: 0, wrong: [] })
  assert.deepEqual(await findCodeFaults(world.db, createRecordMac([next])), [])
  // With the new key, whoever has the database still cannot add what has no code.
  await appendAudit(world.db, byCommandLine, { action: 'test.done', object: 'thing_3' })
  assert.equal((await findCodeFaults(world.db, createRecordMac([next]))).length, 1)
  assert.deepEqual(await renewAuditCodes(world.db, createRecordMac([first!, next])), { renewed: 1, wrong: [] })
})

test('entries from before there were codes are taken as they are only where somebody confirms them', async (t) => {
  const world = await startWorld(t)
  const { recordMac } = world.deps
  await appendAudit(world.db, byCommandLine, { action: 'test.done', object: 'thing_1' })
  // As the migration leaves a database that was in use, with an entry that a process of the version before has added since.
  await world.owner.pool.query('update audit_head set keyed_after = seq, keyed_after_hash = hash')
  await appendAudit(world.db, byCommandLine, { action: 'test.done', object: 'thing_2' })
  await world.owner.pool.query('update audit_log set mac = null')
  const faults = await findCodeFaults(world.db, recordMac)
  assert.match(faults.join('\n'), /entry 1 was written without codes, and no operator has confirmed it/)
  assert.equal(faults.length, 2)
  assert.equal((await renewAuditCodes(world.db, recordMac)).wrong.length, 2)
  assert.equal(await confirmAuditLog(world.db, recordMac, byCommandLine), 2)
  assert.deepEqual(await findCodeFaults(world.db, recordMac), [])
  await appendAudit(world.db, byCommandLine, { action: 'test.done', object: 'thing_3' })
  await world.owner.pool.query('update audit_log set mac = null where seq = 4')
  assert.deepEqual(await findCodeFaults(world.db, recordMac), ['entry 4 of the audit log does not have the code that fits it'])
  await world.owner.pool.query('update audit_head set keyed_after = seq, keyed_after_hash = hash')
  assert.deepEqual(await findCodeFaults(world.db, recordMac), ['the audit log up to entry 4 does not have the code that fits it'])
  await confirmAuditLog(world.db, recordMac, byCommandLine)
})
