/**
 * The audit log for operators: filters, an export that records who made it, a hash chain that shows where it is broken, and
 * attempts on operator routes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendAudit } from '../server/base/audit/audit.ts'
import { listEntries } from '../server/base/audit/audit.sql.ts'
import { sql, type Runner } from '../server/platform/db/db.ts'
import { eraseAccount } from '../server/operations/data-lifecycle/erase-account.ts'
import { erasePayer } from '../server/operations/data-lifecycle/erase-payer.ts'
import { eventually, startTestApp, type Admin, type TestApp } from './app.ts'

const by = (actor: string) => ({ actor, requestId: 'r', ip: null })
const read = (app: TestApp, { token }: Admin, query = '', headers: Record<string, string> = {}) =>
  app.call('GET', `/v1/admin/audit?${query}`, { token, headers })

test('an entry shows the name of who acted and of what it is about, as it is now; an erased person has none', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const admin = await app.admin()
  const [student, leaving] = [await app.student(), await app.student()]
  const nameOf = ({ email }: { email: string }) => `Student ${email.split('@')[0]}`
  const page = await app.page(student, { title: 'Kiingilio' })
  const pay = async (phone: string, name: string): Promise<string> => {
    const { reference } = (await app.checkout(page.slug, { phone_number: phone, customer_name: name })).body.data
    await app.settled(reference, ['completed', 'processing'])
    return reference
  }
  const [paid, erased, differing] = [
    await pay('0754123789', 'Neema Juma'),
    await pay('0754000789', 'Zawadi Ally'),
    await pay('0754123189', 'Asha Ali'),
  ]
  const breakId = await eventually('the break is open', async () => {
    const { data } = (await app.call('GET', '/v1/admin/breaks?status=open', { token: admin.token })).body
    return data.find((one: Record<string, unknown>) => one['payment_reference'] === differing)?.id as string | undefined
  })
  await erasePayer(app.deps, '+255754000789')
  const objects = [student.userId, leaving.userId, page.id, paid, erased, breakId, 'day:2026-11-28', 'pay_unknown']
  for (const object of objects) await appendAudit(app.db, by(leaving.userId), { action: 'thing.read', object })
  const names = async () =>
    (await read(app, admin, 'action=thing.read')).body.data
      .toReversed()
      .map((one: Record<string, string | null>) => [one['actor_name'], one['object_name']])
  const ofObjects = [
    nameOf(student),
    nameOf(leaving),
    'Kiingilio',
    `${nameOf(student)} · Neema Juma · Kiingilio`,
    `${nameOf(student)} · ••• · Kiingilio`,
    `${nameOf(student)} · Asha Ali · Kiingilio`,
    null,
    null,
  ]
  assert.deepEqual(
    await names(),
    ofObjects.map((name) => [nameOf(leaving), name]),
  )
  await eraseAccount(app.deps, { email: leaving.email, heldYears: 10, keepsHeldRecords: true })
  assert.deepEqual(
    await names(),
    ofObjects.map((name, place) => [null, place === 1 ? null : name]),
  )
  // Names are on the screen only: neither the log nor its file has them.
  const file = await read(app, admin, 'action=thing.read', { accept: 'text/csv' })
  assert.doesNotMatch(String(file.body), /Student|Neema|Asha/)
})

test('entries are found by actor, action, object and time, and the export has the same entries and records who made it', async (t) => {
  const app = await startTestApp(t)
  const admin = await app.admin()
  for (let number = 1; number <= 3; number += 1) {
    await appendAudit(app.db, by('usr_a'), { action: 'page.painted', object: `page_${number}`, after: { colour: '=red' } })
  }
  await appendAudit(app.db, by('usr_b'), { action: 'page.painted', object: 'page_1' })
  const objects = async (query: string) =>
    (await read(app, admin, query)).body.data.map(({ object, actor }: Record<string, string>) => `${object} ${actor}`)
  assert.deepEqual(await objects('action=page.painted'), ['page_1 usr_b', 'page_3 usr_a', 'page_2 usr_a', 'page_1 usr_a'])
  assert.deepEqual(await objects('actor=usr_a&object=page_2'), ['page_2 usr_a'])
  const [hour, past] = [new Date(Date.now() + 3_600_000), new Date(Date.now() - 3_600_000)].map((day) => day.toISOString())
  assert.equal((await objects(`action=page.painted&from=${past}&to=${hour}`)).length, 4)
  assert.deepEqual(await objects(`action=page.painted&from=${hour}`), [])
  assert.deepEqual(await objects(`action=page.painted&to=${past}`), [])

  const { seq: before } = (await read(app, admin, 'limit=1')).body.data[0]
  const file = await read(app, admin, 'action=page.painted&actor=usr_a', { accept: 'text/csv' })
  assert.match(
    file.headers.get('content-disposition')!,
    new RegExp(`filename="audit-\\d{4}-\\d{2}-\\d{2}-${admin.userId}\\.csv"`),
  )
  const [header, ...lines] = String(file.body).trimEnd().split('\r\n')
  assert.equal(header, 'seq,at,actor,action,object,before,after,request_id,ip,exported_by,exported_at')
  assert.deepEqual(
    lines.map((line) => line.split(',')[4]),
    ['page_3', 'page_2', 'page_1'],
  )
  for (const line of lines) assert.match(line, new RegExp(`,${admin.userId},\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$`))
  const [exported] = (await read(app, admin, 'limit=1')).body.data
  assert.deepEqual(
    [exported.seq, exported.action, exported.actor, exported.after],
    [
      before + 1,
      'audit.exported',
      admin.userId,
      { object: null, actor: 'usr_a', action: 'page.painted', from: null, to: null, up_to_seq: before },
    ],
  )
  // The whole log: more than one page of the export, without entries written in the meantime.
  await Promise.all(Array.from({ length: 600 }, () => appendAudit(app.db, by('usr_c'), { action: 'wall.painted', object: 'w' })))
  const all = await read(app, admin, '', { accept: 'text/csv' })
  const seqs = String(all.body)
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => Number(line.split(',')[0]))
  assert.deepEqual(
    seqs,
    Array.from({ length: seqs[0]! }, (_, index) => seqs[0]! - index),
  )
})

test('a list of a time long ago does not read through later entries', async (t) => {
  const app = await startTestApp(t)
  await app.owner.pool.query(`
    insert into audit_log (seq, at, actor, action, object, request_id, previous_hash, hash)
    select n, '2026-01-01'::timestamptz + n * interval '1 minute', 'system', 'wall.painted', 'w', 'r', sha256(int8send(n - 1)), sha256(int8send(n))
    from generate_series(1, 20000) n`)
  await app.owner.pool.query('analyze audit_log')
  const rows = await app.db.snapshot(async (db: Runner) => {
    const count = async () => {
      const [counted] = await db.rows<{ count: number }>(sql`
        select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_all_tables where relname = 'audit_log'`)
      return counted!.count
    }
    const before = await count()
    const found = await listEntries(db, {
      beforeSeq: null,
      object: null,
      actor: null,
      action: 'wall.painted',
      from: '2026-01-01T01:00:00.000Z',
      to: '2026-01-01T01:10:00.000Z',
      limit: 100,
    })
    assert.deepEqual([found.length, found[0]!.seq, found.at(-1)!.seq], [10, 69, 60])
    return (await count()) - before
  })
  assert.ok(rows < 200, `${rows} rows of 20,000 were read`)
  await app.owner.pool.query('delete from audit_log')
})

test('the chain is computed again, and the result names where it is broken', async (t) => {
  const app = await startTestApp(t)
  const admin = await app.admin()
  for (let number = 1; number <= 5; number += 1) {
    await appendAudit(app.db, by('usr_a'), { action: 'wall.painted', object: `wall_${number}`, after: { number } })
  }
  const chain = async () => (await app.call('GET', '/v1/admin/audit/chain', { token: admin.token })).body.data
  const whole = await chain()
  const head = (await app.owner.pool.query('select seq, hash from audit_head')).rows[0]
  assert.deepEqual(
    { ...whole, checked_at: '' },
    {
      ok: true,
      from_seq: 1,
      to_seq: Number(head.seq),
      broken_at: null,
      head: { seq: Number(head.seq), hash: head.hash.toString('hex') },
      checked_at: '',
    },
  )
  const last = Number(head.seq)
  const kept = (await app.owner.pool.query('select * from audit_log where seq = $1', [last - 2])).rows[0]
  const next = (await app.owner.pool.query('select mac from audit_log where seq = $1', [last - 1])).rows[0]
  await app.owner.pool.query(`update audit_log set after = '{"number": 9}' where seq = $1`, [last - 2])
  const broken = await chain()
  assert.deepEqual([broken.ok, broken.broken_at, broken.to_seq], [false, last - 2, last - 3])
  await app.owner.pool.query('update audit_log set after = $2 where seq = $1', [last - 2, kept.after])
  // The code of an entry does not cover its time, but the hash does.
  await app.owner.pool.query(`update audit_log set at = at - interval '1 day' where seq = $1`, [last - 2])
  assert.equal((await chain()).broken_at, last - 2)
  await app.owner.pool.query(`update audit_log set at = at + interval '1 day' where seq = $1`, [last - 2])
  assert.equal((await chain()).ok, true)
  await app.owner.pool.query('update audit_log set mac = $2 where seq = $1', [last - 1, kept.mac])
  assert.equal((await chain()).broken_at, last - 1)
  await app.owner.pool.query('update audit_log set mac = $2 where seq = $1', [last - 1, next.mac])
  // A log whose owner claims that one code covers all of it, and has no such code.
  await app.owner.pool.query(`update audit_head set keyed_after = seq, keyed_after_hash = hash, keyed_after_mac = 'x.y'`)
  const forged = await chain()
  assert.deepEqual([forged.ok, forged.broken_at, forged.to_seq], [false, 1, 0])
  await app.owner.pool.query(
    `update audit_head set keyed_after = 0, keyed_after_hash = sha256('malipo audit log'), keyed_after_mac = null`,
  )
  assert.equal((await chain()).ok, true)
  const cut = (await app.owner.pool.query('delete from audit_log where seq = $1 returning *', [last])).rows[0]
  const short = await chain()
  assert.deepEqual([short.ok, short.broken_at], [false, last])
  await app.owner.pool.query(`insert into audit_log select * from jsonb_populate_record(null::audit_log, $1)`, [
    JSON.stringify({ ...cut, hash: `\\x${cut.hash.toString('hex')}`, previous_hash: `\\x${cut.previous_hash.toString('hex')}` }),
  ])
})

test('an attempt on an operator route by another user is in the audit log, once per period', async (t) => {
  const app = await startTestApp(t)
  const [admin, student] = [await app.admin(), await app.student()]
  for (let turn = 0; turn < 3; turn += 1) {
    assert.equal((await app.call('GET', '/v1/admin/breaks', { token: student.token })).body.error.code, 'admin_required')
  }
  const { data } = (await read(app, admin, `actor=${student.userId}&action=operator.refused`)).body
  assert.deepEqual(
    data.map(({ after }: { after: unknown }) => after),
    [{ route: 'GET /v1/admin/breaks' }],
  )
})
