/** The audit log keeps its order under concurrency, cannot be rewritten by the service, and shows changes by an owner of the database. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { verify } from '../../assurance/invariants/verify.ts'
import { sql } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import { createRecordMac } from '../../platform/crypto/record-mac.ts'
import { listActivity, type WantedActivity } from './audit.sql.ts'
import { appendAudit, byCommandLine } from './audit.ts'
import { confirmAuditLog, findCodeFaults, renewAuditCodes } from './entry-codes.ts'

test('forty concurrent writers leave a chain without gaps; an entry whose transaction fails does not exist', async (t) => {
  const app = await startTestApp(t)
  await Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      app.db
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
  const entries = await app.db.rows<{ seq: number }>(sql`select seq from audit_log order by seq`)
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
  assert.deepEqual(await verify(app.owner), [])
})

test('the service can only append', async (t) => {
  const app = await startTestApp(t)
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing' })
  for (const statement of [
    sql`update audit_log set actor = 'intruder'`,
    sql`delete from audit_log`,
    sql`truncate audit_log`,
    sql`delete from audit_head`,
  ]) {
    await assert.rejects(app.db.rows(statement), /permission denied/)
  }
})

test('an entry that the database owner changes, removes, reorders or cuts off is detected', async (t) => {
  const app = await startTestApp(t)
  for (let number = 1; number <= 5; number += 1) {
    await appendAudit(app.db, byCommandLine, { action: 'test.done', object: `thing_${number}`, after: { number } })
  }
  const tamperings = {
    'the audit log is broken at entry 3': [`update audit_log set after = '{"number": 4}' where seq = 3`],
    'the audit log is broken at entry 4': [`delete from audit_log where seq = 3`],
    'the audit log is broken at entry 1': [`update audit_log set merchant_id = gen_random_uuid() where seq = 1`],
    'the audit log ends at entry 4, its head says 5': [`delete from audit_log where seq = 5`],
    'the audit log is broken at entry 2': [
      `update audit_log set seq = 20 where seq = 2`,
      `update audit_log set seq = 2 where seq = 3`,
      `update audit_log set seq = 3 where seq = 20`,
    ],
  }
  for (const [what, statements] of Object.entries(tamperings)) {
    const kept = await app.owner.pool.query('select * from audit_log order by seq')
    for (const statement of statements) await app.owner.pool.query(statement)
    const found = await verify(app.owner)
    assert.deepEqual(
      found.map((violation) => [violation.invariant, violation.what]),
      [['I11', what]],
    )
    await app.owner.pool.query('delete from audit_log')
    for (const row of kept.rows) {
      await app.owner.pool.query(`insert into audit_log select * from jsonb_populate_record(null::audit_log, $1)`, [
        JSON.stringify({
          ...row,
          hash: `\\x${row.hash.toString('hex')}`,
          previous_hash: `\\x${row.previous_hash.toString('hex')}`,
        }),
      ])
    }
  }
  assert.deepEqual(await verify(app.owner), [])
})

test('a merchant reads the entries about its business, newest first, and never those of another', async (t) => {
  const app = await startTestApp(t)
  const [shop, school] = [newId(), newId()]
  for (const [object, merchantId] of [['shop_1', shop], ['operators_1'], ['school_1', school], ['shop_2', shop]] as const) {
    await appendAudit(app.db, byCommandLine, { action: 'test.done', object, ...(merchantId && { merchantId }) })
  }
  const all = { beforeSeq: null, limit: 10 }
  const read = async (merchantId: string, wanted: WantedActivity): Promise<string[]> =>
    (await listActivity(app.db, merchantId, wanted)).map(({ object }) => object)
  assert.deepEqual(await read(shop, all), ['shop_2', 'shop_1'])
  assert.deepEqual(await read(school, all), ['school_1'])
  assert.deepEqual(await read(newId(), all), [])
  assert.deepEqual(await read(shop, { ...all, beforeSeq: 4 }), ['shop_1'])
  assert.deepEqual(await read(shop, { ...all, limit: 1 }), ['shop_2', 'shop_1'], 'one more than requested')
  assert.deepEqual(await read(shop, { ...all, from: '2020-01-01T00:00:00Z' }), ['shop_2', 'shop_1'])
  assert.deepEqual(await read(shop, { ...all, to: '2020-01-01T00:00:00Z' }), [])
})

test('the code of an entry covers its merchant', async (t) => {
  const app = await startTestApp(t)
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing', merchantId: newId() })
  assert.deepEqual(await findCodeFaults(app.db, app.deps.recordMac), [])
  const [{ merchantId }] = (await app.owner.rows<{ merchantId: string }>(sql`select merchant_id from audit_log`)) as [
    { merchantId: string },
  ]
  await app.owner.pool.query('update audit_log set merchant_id = $1', [newId()])
  assert.deepEqual(await findCodeFaults(app.db, app.deps.recordMac), ['entry 1 of the audit log has no valid code'])
  await app.owner.pool.query('update audit_log set merchant_id = $1', [merchantId])
  assert.deepEqual(await findCodeFaults(app.db, app.deps.recordMac), [])
})

const keyNamed = (id: string) => ({ id, key: randomBytes(32) })

test('entries keep their codes when the key is replaced, and an entry that was forged before is reported, not made valid', async (t) => {
  const app = await startTestApp(t)
  const [first] = app.config.keys.integrity
  const next = keyNamed('next')
  const both = createRecordMac([next, first!])
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_1' })
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_2' })
  const [entry] = await app.db.rows<{ mac: string }>(sql`select mac from audit_log where seq = 2`)
  await app.owner.pool.query(`update audit_log set mac = (select mac from audit_log where seq = 1) where seq = 2`)
  const { wrong } = await renewAuditCodes(app.db, both)
  assert.deepEqual(wrong, ['entry 2 of the audit log has no valid code'])
  await app.owner.pool.query('update audit_log set mac = $1 where seq = 2', [entry!.mac])
  assert.deepEqual(await renewAuditCodes(app.db, both), { renewed: 1, wrong: [] })
  assert.deepEqual(await renewAuditCodes(app.db, both), { renewed: 0, wrong: [] })
  assert.deepEqual(await findCodeFaults(app.db, createRecordMac([next])), [])
  // With the new key in use, an attacker with the database still cannot add an entry with a valid code.
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_3' })
  assert.equal((await findCodeFaults(app.db, createRecordMac([next]))).length, 1)
  assert.deepEqual(await renewAuditCodes(app.db, createRecordMac([first!, next])), { renewed: 1, wrong: [] })
})

test('entries from before codes existed are accepted only after an operator confirms them', async (t) => {
  const app = await startTestApp(t)
  const { recordMac } = app.deps
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_1' })
  // The state after the migration of a database in use, with an entry that a process of the previous version has added since.
  await app.owner.pool.query('update audit_head set keyed_after = seq, keyed_after_hash = hash')
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_2' })
  await app.owner.pool.query('update audit_log set mac = null')
  const faults = await findCodeFaults(app.db, recordMac)
  assert.match(faults.join('\n'), /entry 1 was written without codes, and no operator has confirmed it/)
  assert.equal(faults.length, 2)
  assert.equal((await renewAuditCodes(app.db, recordMac)).wrong.length, 2)
  assert.deepEqual(await confirmAuditLog(app.db, recordMac, byCommandLine), { upTo: 2, refused: [] })
  assert.deepEqual(await findCodeFaults(app.db, recordMac), [])
  assert.deepEqual(await confirmAuditLog(app.db, recordMac, byCommandLine), { upTo: undefined, refused: [] })
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_3' })
  await app.owner.pool.query('update audit_log set mac = null where seq = 4')
  assert.deepEqual(await findCodeFaults(app.db, recordMac), ['entry 4 of the audit log has no valid code'])
  assert.deepEqual(await confirmAuditLog(app.db, recordMac, byCommandLine), { upTo: 4, refused: [] })
})

test('a wrong code, a broken chain or a different head cannot come from an upgrade: nothing is confirmed', async (t) => {
  const app = await startTestApp(t)
  const { recordMac } = app.deps
  for (const object of ['thing_1', 'thing_2', 'thing_3'])
    await appendAudit(app.db, byCommandLine, { action: 'test.done', object })
  const forgeries = [
    {
      what: /entry 2 of the audit log has no valid code/,
      statement: `update audit_log set mac = null where seq = 1; update audit_log set mac = 'x.y' where seq = 2`,
    },
    {
      what: /the audit log is broken at entry 2/,
      statement: `update audit_log set mac = null; update audit_log set actor = 'x' where seq = 2`,
    },
    {
      what: /the audit log is broken at entry 1/,
      statement: `update audit_log set mac = null; delete from audit_log where seq = 1`,
    },
    {
      what: /the head of the audit log is not its entry 3/,
      statement: `update audit_log set mac = null; update audit_head set hash = sha256('x')`,
    },
    {
      what: /the audit log up to entry 3 has no valid code/,
      statement: `update audit_head set keyed_after = seq, keyed_after_hash = hash, keyed_after_mac = 'x.y'`,
    },
    {
      what: /the audit log up to entry 3 has no valid code/,
      statement: `update audit_head set keyed_after = seq, keyed_after_hash = sha256('x')`,
    },
  ]
  await app.owner.pool.query('create table kept as select * from audit_log; create table kept_head as select * from audit_head')
  for (const { what, statement } of forgeries) {
    await app.owner.pool.query(statement)
    const { upTo, refused } = await confirmAuditLog(app.db, recordMac, byCommandLine)
    assert.equal(upTo, undefined)
    assert.match(refused.join('\n'), what)
    await app.owner.pool.query(`delete from audit_log; delete from audit_head; insert into audit_log select * from kept;
      insert into audit_head select * from kept_head`)
  }
  assert.deepEqual(await findCodeFaults(app.db, recordMac), [])
  await app.owner.pool.query('drop table kept, kept_head')
})

test('a head that was forged before the key was replaced is not signed', async (t) => {
  const app = await startTestApp(t)
  const [first] = app.config.keys.integrity
  const both = createRecordMac([keyNamed('next'), first!])
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_1' })
  await appendAudit(app.db, byCommandLine, { action: 'test.done', object: 'thing_2' })
  const right = (await app.owner.pool.query('select hash from audit_head')).rows[0].hash
  await app.owner.pool.query(`update audit_head set hash = sha256('the end of a forged chain')`)
  assert.deepEqual(await renewAuditCodes(app.db, both), {
    renewed: 0,
    wrong: ['the head of the audit log is not its entry 2'],
  })
  assert.equal((await app.owner.pool.query('select keyed_after_mac from audit_head')).rows[0].keyed_after_mac, null)
  await app.owner.pool.query('update audit_head set hash = $1', [right])
  assert.deepEqual(await renewAuditCodes(app.db, both), { renewed: 1, wrong: [] })
  await app.owner.pool.query('update audit_head set keyed_after = 0, keyed_after_mac = null')
})

test('who changes the schema gets no right code for an entry other than the one the service wrote', async (t) => {
  const app = await startTestApp(t)
  const { recordMac } = app.deps
  const { rows } = await app.owner.pool.query(
    `select pg_get_functiondef(oid) as text from pg_proc where proname = 'audit_entry_hash'`,
  )
  // Every entry gets another actor, in its row and in its hash.
  await app.owner.pool.query(`
    alter function audit_entry_hash rename to right_hash;
    create function audit_entry_hash(p bytea, s bigint, a timestamptz, who text, action text, object text, b jsonb, c jsonb, r text, ip text, m uuid)
      returns bytea language sql stable as $$ select right_hash(p, s, a, 'usr_x', action, object, b, c, r, ip, m) $$;
    create function blame() returns trigger language plpgsql as $$ begin new.actor := 'usr_x'; return new; end $$;
    create trigger blame before insert on audit_log for each row execute function blame()`)
  await appendAudit(app.db, byCommandLine, {
    action: 'test.done',
    object: 'thing',
    after: { b: 1, aa: ['é', '"'], A: null, n: 1e21 },
  })
  await app.owner.pool.query(`drop trigger blame on audit_log; drop function blame; drop function audit_entry_hash;
    drop function right_hash`)
  await app.owner.pool.query(rows[0].text)
  assert.deepEqual(await verify(app.owner), [], 'the chain is whole')
  assert.deepEqual(await findCodeFaults(app.db, recordMac), ['entry 1 of the audit log has no valid code'])
  await app.owner.pool.query(`update audit_log set actor = 'ops'`)
  assert.deepEqual(await findCodeFaults(app.db, recordMac), [], 'what the service wrote reads the same from the database')
  await app.owner.pool.query(`update audit_log set actor = 'ops',
    hash = audit_entry_hash(previous_hash, seq, at, 'ops', action, object, before, after, request_id, ip, merchant_id);
    delete from audit_log; update audit_head set seq = 0, hash = previous_hash`)
})
