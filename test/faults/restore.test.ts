/**
 * A restore drill: a backup is taken under load and everything is lost. The database returns to its state at an earlier moment,
 * with the documents and the keys from before one rotation, and the provider's records restore the later bookings.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { loadConfig } from '../../server/config/config.ts'
import { verify } from '../../server/assurance/invariants/verify.ts'
import { documentsOf } from '../../server/merchants/documents/document.sql.ts'
import { removeDocuments } from '../../server/merchants/documents/prune-unsubmitted.ts'
import { sweepObjects } from '../../server/merchants/documents/sweep-uploads.ts'
import { rewrapValues } from '../../server/operations/operators/rewrap-values.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { createSealer } from '../../server/platform/crypto/secrets.ts'
import { startFleet } from '../fleet.ts'
import { submitKyc, upload } from '../onboarding.ts'
import { eventually } from '../app.ts'
import { startOwnDatabase } from './own-database.ts'
import { askToPay, insistToPay, payAll, readBooks, startReceiver, waiting } from './shop.ts'

const root = join(import.meta.dirname, '../..')
const archiveTimeoutSeconds = 2

const documentsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath.slice(folder.length), name))
    .toSorted((one, other) => (one < other ? -1 : 1))

test('all is lost and restored to an earlier moment: payments made by then are credited once, under the event ids that merchants already know, and payouts that are requested again are paid once [F52] [T03]', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'malipo-drill-'))
  t.after(() => rm(place, { recursive: true, force: true }))
  const database = await startOwnDatabase()
  const [archive, backups] = [join(place, 'archive'), join(place, 'backups')]
  await Promise.all([mkdir(archive, { mode: 0o700 }), mkdir(backups, { mode: 0o700 })])
  await chmod(place, 0o755)
  if (process.getuid?.() === 0) await chown(archive, database.owner.uid, database.owner.gid)

  const envelope = (id: string) => `${id}:${randomBytes(32).toString('base64url')}`
  const [a, b] = [envelope('a'), envelope('b')]
  const fleet = await startFleet(t, { RATE_LIMITS: 'off', ENVELOPE_KEYS: a }, { database })
  const { app } = fleet
  const { owner } = app
  // The settings from docs/operations/backup.md, but with shorter times.
  for (const setting of [
    `archive_mode = on`,
    `archive_timeout = ${archiveTimeoutSeconds}`,
    `archive_command = 'if test -f "${archive}/%f"; then cmp -s %p "${archive}/%f" && sync "${archive}"; else cp %p "${archive}/%f.part" && sync "${archive}/%f.part" && mv "${archive}/%f.part" "${archive}/%f" && sync "${archive}"; fi'`,
  ]) {
    await owner.pool.query(`alter system set ${setting}`)
  }
  await database.crash()
  await database.start()
  await eventually('the app is connected to its database again', () => readBooks(app).catch(() => false as const))

  const ops = async (settings: Record<string, string>, ...words: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'], ...app.settings, ...settings }
    const { stdout } = await promisify(execFile)('node', ['server/start/ops.ts', ...words], { cwd: root, env })
    return stdout
  }

  const student = await app.student({ verified: false })
  assert.equal((await submitKyc(app, student)).status, 200)
  const erased = await app.student({ verified: false })
  await upload(app, erased, '/v1/kyc', 'selfie')
  const seller = await app.student()
  const { appId, key: sellerKey } = await app.key(seller)
  const page = await app.page(seller)
  const receiver = await startReceiver(t)
  const webhook = `/developers/apps/${appId}/webhook`
  const made = await app.call('POST', webhook, { token: seller.token, body: { url: receiver.url } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  let [api, worker] = [await fleet.api(), await fleet.worker()]

  // Takes a backup under load.
  let isOver = false
  let count = 0
  const payers = Promise.all(
    Array.from({ length: 3 }, async (_, payer) => {
      for (let turn = 0; !isOver; turn += 1) {
        await insistToPay(() => api.url, page.slug, `${payer}-${turn}`)
        count += 1
      }
    }),
  )
  payers.catch(() => undefined)
  await eventually('payments are made', () => count > 20, 60_000)
  const backup = join(backups, 'first')
  const takenAt = performance.now()
  const before = count
  const output = await ops({}, 'backup', 'take', backup)
  const tookMs = performance.now() - takenAt
  assert.ok(count > before, 'payers continued to pay')
  assert.match(output, /\d+ files, .* MB[\s\S]*[1-9]\d* documents were copied/)
  assert.match(await ops({}, 'backup', 'check', backup), /are as they were/)
  const exported = await ops({}, 'keys', 'export')
  assert.ok(exported.includes(`ENVELOPE_KEYS=${a}\n`))
  assert.ok(!(await readdir(backup)).some((name) => /key/i.test(name)), 'the keys are kept apart')
  await eventually('more payments are made', () => count > before + 20, 60_000)
  isOver = true
  await payers

  // Some payers have an open prompt at the moment to which everything is restored.
  const open = await Promise.all(
    Array.from({ length: 5 }, (_, index) => askToPay(api.url, page.slug, `open-${index}`, waiting.replace(/\d\d$/, `1${index}`))),
  )
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([201]))
  const settledAll = () =>
    eventually(
      'all but the open ones are completed',
      async () => {
        const books = await readBooks(app)
        return books.completed === count && books.unfinished === 5 && books
      },
      60_000,
    )
  const then = await settledAll()
  // Meanwhile documents come, are copied each minute, and others are erased.
  const late = await app.student({ verified: false })
  assert.equal((await submitKyc(app, late)).status, 200)
  await app.deps.db.tx(async (tx) => removeDocuments(tx, await documentsOf(tx, [fromWire('usr', erased.userId)!])))
  await owner.pool.query(`update unfinished_objects set since = since - interval '1 day'`)
  await sweepObjects(app.deps, 10)
  const documents = join(app.config.dataDir, 'documents')
  const stored = await documentsIn(documents)
  assert.ok(!stored.some((path) => path.includes(erased.userId)), 'erased documents are gone')
  const copies = join(backups, 'documents')
  const {
    rows: [moment],
  } = await owner.pool.query<{ at: Date }>('select clock_timestamp() as at')
  const until = moment!.at.toISOString()

  // After that moment: a payout is paid, the open charges are paid, new payments come, keys are rotated. The database will know
  // none of this.
  const payOut = async (key: string): Promise<any> => {
    const answer = await fetch(`${api.url}/v1/payouts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': sellerKey, 'idempotency-key': key },
      body: JSON.stringify({ amount: 5_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }),
    })
    return { status: answer.status, ...((await answer.json()) as any) }
  }
  const lostPayouts = await Promise.all(['rent', 'wages'].map(payOut))
  assert.deepEqual(
    lostPayouts.map(({ status }) => status),
    [201, 201],
  )
  await eventually(
    'the payouts are paid',
    async () => {
      const { payouts } = await app.truth()
      return payouts.length === 2 && payouts.every(({ status }: any) => status === 'completed')
    },
    60_000,
  )
  await eventually(
    'the open ones are paid',
    async () => (await payAll(app)) === 0 && (await readBooks(app)).completed === count + 5,
    60_000,
  )
  for (let turn = 0; turn < 10; turn += 1) await insistToPay(() => api.url, page.slug, `later-${turn}`)
  await eventually('the later ones are completed', async () => (await readBooks(app)).completed === count + 15, 60_000)
  await eventually('their events were sent', () => receiver.received.size === count + 15, 60_000)
  const rotated = loadConfig({ ...app.settings, ENVELOPE_KEYS: `${b},${a}` }, {})
  await rewrapValues({ db: owner, config: rotated, sealer: createSealer(rotated.keys.envelope), recordMac: app.deps.recordMac })
  await upload(app, await app.student({ verified: false }), '/v1/kyc', 'selfie')
  assert.match(await ops({}, 'backup', 'documents', copies), /[1-9]\d* documents were copied/)
  const notified = new Map([...receiver.received].map(([reference, ids]) => [reference, [...ids]]))

  // The machine is gone, with everything that was not archived.
  const { rows: last } = await owner.pool.query<{ file: string }>('select pg_walfile_name(pg_current_wal_lsn()) as file')
  await eventually('the log is archived up to now', async () => {
    const { rows } = await owner.pool.query<{ isArchived: boolean }>(
      `select last_archived_wal >= $1 as "isArchived" from pg_stat_archiver`,
      [last[0]!.file],
    )
    return rows[0]!.isArchived
  })
  // Nothing is waited for any more: only the archived part of this would return.
  for (let turn = 0; turn < 5; turn += 1) await insistToPay(() => api.url, page.slug, `last-${turn}`)
  const {
    rows: [lost],
  } = await owner.pool.query<{ seconds: number }>(
    `select extract(epoch from clock_timestamp() - last_archived_time)::float8 as seconds from pg_stat_archiver`,
  )
  const lostAt = performance.now()
  await Promise.all([api.kill(), worker.kill()])
  await database.crash()
  await Promise.all([rm(database.cluster, { recursive: true, maxRetries: 10 }), rm(documents, { recursive: true })])

  const words = ['--into', database.cluster, '--archive', archive]
  await assert.rejects(ops({}, 'backup', 'restore', backup, ...words, '--until', '2020-01-01T00:00:00Z'), /use an older one/)
  await ops({}, 'backup', 'restore', backup, ...words, '--until', until)
  await database.start()
  // While it still recovers, the service refuses it as a standby.
  await eventually(
    'the database takes writes',
    () =>
      owner.pool.query('select').then(
        () => true,
        () => false,
      ),
    60_000,
  )
  // What was uploaded since the backup is in another folder, and the command reports what one folder does not have.
  await assert.rejects(
    ops({}, 'backup', 'restore-documents', join(backup, 'documents')),
    /3 documents .* run this with each other folder/,
  )
  assert.match(await ops({}, 'backup', 'restore-documents', copies), /^6 files were copied/)
  receiver.received.clear()
  // The state of that moment, to the row, and consistent: what was erased before, or uploaded later, does not come back.
  assert.deepEqual(await readBooks(app), then)
  assert.deepEqual(await verify(owner), [])
  assert.deepEqual(await documentsIn(documents), stored)
  ;[api, worker] = [
    await fleet.api({ settings: { ENVELOPE_KEYS: `${b},${a}` } }),
    await fleet.worker({ settings: { ENVELOPE_KEYS: `${b},${a}` } }),
  ]
  await eventually('it is ready', async () => (await fetch(`${api.url}/readyz`)).status === 200)
  const backMs = performance.now() - lostAt

  // People sign in, and the key from one rotation ago decrypts their webhook's secret.
  const signIn = await fetch(`${api.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: seller.email, password: seller.password }),
  })
  assert.equal(signIn.status, 200)
  const { data: tokens } = (await signIn.json()) as any
  const secret = await fetch(`${api.url}${webhook}`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
  assert.equal(((await secret.json()) as any).data.secret, made.body.data.secret)

  const operator = await app.admin()
  const at = `/v1/admin/kyc/${late.userId}/documents/selfie/view`
  const { body: view } = await app.call('POST', at, { token: operator.token })
  const opened = await fetch(view.data.view_url, { headers: { authorization: `Bearer ${operator.token}` } })
  assert.equal(opened.status, 200, 'a document that came after the backup opens')

  // The provider is queried: paid charges are credited again, once, and reported under the same event id as before.
  await eventually('open payments are completed', async () => (await readBooks(app)).completed === count + 5, 60_000)
  const books = await readBooks(app)
  const { rows: kept } = await owner.pool.query<{ total: number }>(`select sum(amount)::integer as total from payments`)
  assert.equal(books.credited, kept[0]!.total)
  const again = new Set(open.map(({ reference }) => reference!))
  await eventually('their events are sent again', () => [...again].every((reference) => receiver.received.has(reference)), 60_000)
  for (const [reference, ids] of receiver.received) assert.deepEqual([...ids], notified.get(reference), reference)
  for (const [reference, ids] of notified) assert.equal(ids.length, 1, reference)

  // No payout begins before the lost time has been compared; then the same requests are sent again.
  const turnOn = async (name: string): Promise<number> => {
    const answer = await fetch(`${api.url}/v1/admin/switches/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${operator.token}` },
      body: JSON.stringify({ state: 'on', reason: 'Restored and compared.' }),
    })
    return answer.status
  }
  await eventually('the lost time is compared', async () => (await ops({}, 'restored')).startsWith('No restore is open'), 240_000)
  for (const name of ['payouts', 'test.checkout', 'live.checkout']) assert.equal(await turnOn(name), 200)
  const asked = await eventually(
    'payouts are taken again',
    async () => {
      const answers = await Promise.all(['rent', 'wages'].map(payOut))
      return answers.every(({ status }) => status === 201 || status === 200) && answers
    },
    30_000,
  )
  assert.deepEqual(
    asked.map(({ data }) => data.id),
    lostPayouts.map(({ data }) => data.id),
  )
  await eventually(
    'they are completed',
    async () => {
      const { rows } = await owner.pool.query(`select count(*)::integer as count from payouts where status = 'completed'`)
      return rows[0].count === 2
    },
    120_000,
  )
  const { payouts } = await app.truth()
  assert.deepEqual(
    payouts.map(({ amount, status }: any) => [amount, status]),
    [
      [5_000, 'completed'],
      [5_000, 'completed'],
    ],
  )

  // For charges after that moment only the provider has a record: no merchant is credited, and no payer was charged twice.
  const { charges } = await app.truth()
  assert.equal(charges.length, count + 20)
  for (const { prompts } of charges) assert.equal(prompts, 1)
  assert.deepEqual(await verify(owner), [])
  t.diagnostic(
    `RPO ${lost!.seconds.toFixed(1)} s (archive_timeout ${archiveTimeoutSeconds} s), RTO ${(backMs / 1000).toFixed(1)} s, backup ${(tookMs / 1000).toFixed(1)} s under load; ` +
      `${books.payments} payments, ${books.events} events, ${stored.length} documents`,
  )
})
