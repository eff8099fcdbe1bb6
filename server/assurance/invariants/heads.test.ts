/** Heads written outside the database prove that its chains were rewritten, and distinguish this from a restore. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { appendAudit, byCommandLine } from '../../base/audit/audit.ts'
import { loadConfig } from '../../config/config.ts'
import { createRecordMac } from '../../platform/crypto/record-mac.ts'
import { closeDay } from './close-days.ts'
import { createHeadWriter, verifyHeads, type Head } from './heads.ts'
import { sealSpans } from './sealed-span.sql.ts'

const linesOf = async (app: TestApp): Promise<string[]> =>
  (await readFile(app.config.heads.file, 'utf8')).split('\n').filter(Boolean)

/** The report on heads that the database fits. */
const fits = (heads: number) => ({ heads, rewritten: [], aheadSince: undefined, underOtherKeys: new Map(), cutShort: 0 })

const spansOf = (line: string): unknown[] => (JSON.parse(line) as Head).spans

async function pay(app: TestApp, slug: string): Promise<void> {
  await app.settled((await app.checkout(slug)).body.data.reference)
}

const says = (app: TestApp, what: string) => appendAudit(app.db, byCommandLine, { action: 'test.done', object: what })

test('a chain that was rewritten with its head and digests does not match the heads, and an older database is distinguished from it', async (t) => {
  const app = await startTestApp(t)
  const writeHead = createHeadWriter(app.deps)
  const page = await app.page(await app.student())
  await pay(app, page.slug)
  await app.owner.pool.query(`update ledger_transfers set created_at = created_at - interval '2 days'`)
  while (await closeDay(app.deps)) continue
  await says(app, 'one')
  await sealSpans(app.db, { lagSeconds: 0, steps: 2 })
  await writeHead()
  await says(app, 'two')
  await writeHead()
  const lines = await linesOf(app)
  const compared = () => verifyHeads({ db: app.db, recordMac: app.deps.recordMac }, lines)
  assert.deepEqual(await compared(), fits(2))

  const client = await app.owner.pool.connect()
  const within = async (statements: string) => {
    await client.query(`begin; set local session_replication_role = replica; ${statements}`)
    await client.query('commit')
    return compared()
  }
  try {
    // Changes a day, recomputes its digest, writes the new digest into the audit log, and recomputes that chain up to its head.
    await client.query(
      'create table kept_log as table audit_log; create table kept_head as table audit_head; create table kept_days as table closed_days',
    )
    const forged = await within(`
      update ledger_transfers set actor = 'intruder' where kind = 'payment';
      update closed_days d set digest = n.digest from closed_days k cross join lateral ledger_day_digest(k.day) n where k.day = d.day;
      update audit_log l set after = jsonb_set(after, '{digest}', to_jsonb(encode(d.digest, 'hex'))) from closed_days d
        where action = 'ledger.day_closed' and object = 'day:' || d.day::text;
      do $$ declare entry record; link bytea := sha256('malipo audit log'); begin
        for entry in select * from audit_log order by seq loop
          link := audit_entry_hash(link, entry.seq, entry.at, entry.actor, entry.action, entry.object, entry.before, entry.after, entry.request_id, entry.ip, entry.merchant_id);
          update audit_log set hash = link, previous_hash = coalesce((select hash from audit_log where seq = entry.seq - 1), sha256('malipo audit log')) where seq = entry.seq;
        end loop;
        update audit_head set hash = link;
      end $$`)
    assert.equal(forged.aheadSince, undefined)
    assert.match(forged.rewritten.join('\n'), /entry \d+ of the audit log was/)
    assert.match(forged.rewritten.join('\n'), /the digest of day .* was/)
    const corrected = await within(`
      update ledger_transfers set actor = 'provider:webhook' where kind = 'payment' and actor = 'intruder';
      delete from closed_days; insert into closed_days select * from kept_days;
      delete from audit_log; insert into audit_log select * from kept_log; update audit_head h set hash = k.hash from kept_head k`)
    assert.deepEqual(corrected.rewritten, [])

    // A restore: the last entry was never written.
    const earlier = await within(`
      delete from audit_log where seq = (select max(seq) from audit_log);
      update audit_head h set seq = l.seq, hash = l.hash from (select seq, hash from audit_log order by seq desc limit 1) l`)
    assert.deepEqual([earlier.rewritten, earlier.aheadSince], [[], JSON.parse(lines[1]!).at])
    await within(
      `delete from audit_log; insert into audit_log select * from kept_log; update audit_head h set seq = k.seq, hash = k.hash from kept_head k`,
    )
  } finally {
    await client.query('rollback; drop table kept_log, kept_head, kept_days')
    client.release()
  }
  // A forged head has no valid code.
  const forged = lines.map((line) => line.replace(/"hash":"./, (start) => (start.endsWith('0') ? '"hash":"1' : '"hash":"0')))
  const report = await verifyHeads({ db: app.db, recordMac: app.deps.recordMac }, forged)
  assert.deepEqual(report.rewritten, ['line 1 has no valid code', 'line 2 has no valid code'])
})

test('a head from before the first entry of the audit log matches', async (t) => {
  const app = await startTestApp(t)
  const writeHead = createHeadWriter(app.deps)
  await writeHead()
  const lines = await linesOf(app)
  assert.equal(JSON.parse(lines[0]!).audit.seq, 0)
  await says(app, 'one')
  assert.deepEqual(await verifyHeads({ db: app.db, recordMac: app.deps.recordMac }, lines), fits(1))
})

test('heads from before a rotation of the key are not called forged: the report names the key that they need', async (t) => {
  const app = await startTestApp(t)
  const writeHead = createHeadWriter(app.deps)
  await writeHead()
  const lines = await linesOf(app)
  const old = app.settings['INTEGRITY_KEYS']!
  const next = `next:${randomBytes(32).toString('base64url')}`
  const compared = (ring: string, heads: string[]) => {
    const { keys } = loadConfig({ ...app.settings, INTEGRITY_KEYS: ring }, {})
    return verifyHeads({ db: app.db, recordMac: createRecordMac(keys.integrity) }, heads)
  }
  assert.deepEqual(await compared(next, lines), { ...fits(0), underOtherKeys: new Map([['test', 1]]) })
  assert.deepEqual(await compared(`${next},${old}`, lines), fits(1))
  // A code under a key of the ring, and one that names no key, are forged.
  const forged = [lines[0]!.replace('"mac":"test.', '"mac":"next.'), lines[0]!.replace('"mac":"test.', '"mac":"')]
  const { rewritten } = await compared(next, forged)
  assert.deepEqual(rewritten, ['line 1 has no valid code', 'line 2 has no valid code'])

  const env = { PATH: process.env['PATH'], ...app.settings, INTEGRITY_KEYS: next }
  const words = ['server/start/ops.ts', 'verify', '--heads', app.config.heads.file]
  const { code, text } = await new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile('node', words, { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, text: stdout + stderr }))
  })
  assert.equal(code, 1)
  assert.match(text, /^1 heads are under the key test, .* INTEGRITY_KEYS=…,test:/)
  assert.doesNotMatch(text, /data-breach|fits all/)
})

test('heads are posted to a configured URL, and one that is not accepted raises an alert', async (t) => {
  const bodies: string[] = []
  let status = 204
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      bodies.push(body)
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const lines: string[] = []
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`
  const app = await startTestApp(t, { settings: { HEADS_URL: url }, logLevel: 'error', logTo: (line) => lines.push(line) })
  const writeHead = createHeadWriter(app.deps)
  await writeHead()
  assert.deepEqual(bodies, await linesOf(app))
  await sealSpans(app.db, { lagSeconds: 0, steps: 2 })
  status = 503
  await writeHead()
  assert.ok(lines.some((line) => line.includes('books.head_not_stored')))
  // What was not accepted is in the next head again.
  status = 204
  await writeHead()
  await writeHead()
  const [, refused, again, after] = bodies.map((body) => spansOf(body).length)
  assert.ok(refused! > 0)
  assert.deepEqual([again, after], [refused, 0])
})

test('a head has only what is new since the one before, and the first of a process has the last hour', async (t) => {
  const app = await startTestApp(t)
  const deps = { db: app.db, recordMac: app.deps.recordMac }
  const page = await app.page(await app.student())
  await pay(app, page.slug)
  await app.owner.pool.query(`update ledger_transfers set created_at = created_at - interval '2 days'`)
  while (await closeDay(app.deps)) continue
  await sealSpans(app.db, { lagSeconds: 0, steps: 2 })
  const writeHead = createHeadWriter(app.deps)
  await writeHead()
  await writeHead()
  await pay(app, page.slug)
  await sealSpans(app.db, { lagSeconds: 0, steps: 2 })
  await writeHead()
  // Another process.
  await createHeadWriter(app.deps)()
  const lines = await linesOf(app)
  const [first, idle, later, restarted] = lines.map((line) => spansOf(line).length)
  assert.ok(first! > 0)
  assert.equal(idle, 0)
  assert.ok(later! > 0)
  assert.equal(restarted, first! + later!)
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as Head).days.length > 0),
    [true, false, false, true],
  )
  assert.deepEqual(await verifyHeads(deps, lines), fits(4))

  // An operator moves the file away: the next head begins another one.
  await rename(app.config.heads.file, `${app.config.heads.file}.1`)
  await writeHead()
  assert.equal((await linesOf(app)).length, 1)
})

test('a head that a full disk cut short takes nothing from the next one, and is not called forged', async (t) => {
  const app = await startTestApp(t)
  const deps = { db: app.db, recordMac: app.deps.recordMac }
  const writeHead = createHeadWriter(app.deps)
  const { file } = app.config.heads
  await writeHead()
  const [whole] = await linesOf(app)
  await appendFile(file, whole!.slice(0, 40))
  await writeHead()
  assert.deepEqual(await verifyHeads(deps, await linesOf(app)), { ...fits(2), cutShort: 1 })
  const { rewritten } = await verifyHeads(deps, ['not a head', `${whole!.slice(0, -1)},"more":1}`.replace('"at":"2', '"at":"3')])
  assert.deepEqual(rewritten, ['line 1 has no valid code', 'line 2 has no valid code'])
})
