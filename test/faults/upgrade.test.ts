/** The service is upgraded during use: both versions run at once over a schema that changes under them, and no client notices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../server/platform/db/migrate.ts'
import { findingsIn } from '../migration-rules.ts'
import { startFleet, type Member } from '../fleet.ts'
import { eventually } from '../app.ts'
import { makeNextVersion, migrations } from './next-version.ts'
import { assertPaidOnce, readBooks } from './shop.ts'

const isReady = async ({ url }: Member) => (await fetch(`${url}/readyz`)).status === 200

test('the next version arrives with a migration that expands the schema and, after the old version is gone, contracts it: no request fails [F47]', async (t) => {
  // The rules for migrations allow the migrations of this test.
  assert.deepEqual(Object.values(migrations).flatMap(findingsIn), [])
  const next = await makeNextVersion(t)
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' })
  const { app } = fleet
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)

  // The processes of the balancer: all that are ready.
  const apis: Member[] = [await fleet.api(), await fleet.api()]
  const workers: Member[] = [await fleet.worker()]
  const failures: string[] = []
  const asked = { payments: 0, reads: 0, writes: 0 }
  const slowest = { ms: 0, what: '' }
  let turn = 0
  let isOver = false

  async function ask(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<any> {
    for (let tries = 0; ; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      const { url } = apis[turn++ % apis.length]!
      const startedAt = performance.now()
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch((error: unknown) => {
        // No process listens there any more: a balancer tries the next one.
        if (tries > 50) throw error
      })
      if (!response) continue
      const text = await response.text()
      const ms = performance.now() - startedAt
      if (ms > slowest.ms) Object.assign(slowest, { ms, what: `${method} ${path}` })
      if (response.status >= 400) failures.push(`${method} ${path}: ${response.status} ${text}`)
      return JSON.parse(text)
    }
  }
  const asOwner = { authorization: `Bearer ${student.token}` }
  const paying = async (name: number): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const { data } = await ask(
        'POST',
        '/v1/payments/checkout',
        {},
        {
          slug: page.slug,
          phone_number: '0754123789',
          customer_name: 'Juma',
          customer_email: 'juma@example.com',
          idempotency_key: `${name}-${count}`,
        },
      )
      await ask('GET', `/v1/payments/${data?.reference}/status`, {})
      asked.payments += 1
    }
  }
  const reading = async (): Promise<void> => {
    while (!isOver) {
      for (const path of ['/v1/balance', '/v1/transactions?limit=5', '/v1/payment-pages?limit=5'])
        await ask('GET', path, { 'x-api-key': key })
      await ask('GET', '/v1/merchant/payments?environment=test&limit=5', asOwner)
      asked.reads += 1
    }
  }
  const writing = async (): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      await ask('PATCH', `/v1/payment-pages/${page.id}`, { 'x-api-key': key }, { description: `Number ${count}` })
      asked.writes += 1
    }
  }
  const load = Promise.all([paying(0), paying(1), paying(2), reading(), writing()])
  load.catch(() => undefined)

  async function goesOn(): Promise<void> {
    const before = { ...asked }
    await eventually(
      'everything is asked again',
      () => failures.length > 0 || Object.entries(asked).every(([what, count]) => count > before[what as keyof typeof asked] + 8),
      60_000,
    )
    assert.deepEqual(failures, [])
  }
  await goesOn()

  // The files of the next version exist, the schema does not: its first process waits, and the processes of this version are not
  // affected.
  const expanded = await next.lay('expand', 'index')
  const early = await fleet.api({ version: next.folder })
  assert.equal(await isReady(early), false)
  // A busy machine answers for a moment that it is busy.
  await eventually('it says what it waits for', async () =>
    /lacks migrations/.test(await (await fetch(`${early.url}/readyz`)).text()),
  )
  await goesOn()

  // Expand, with both versions in service before, during and after.
  assert.equal((await migrate(app.owner, expanded)).length, 2)
  await eventually('the next version is ready', () => isReady(early))
  for (const old of apis) assert.equal(await isReady(old), true)
  apis.push(early)
  await goesOn()
  const written = await app.owner.pool.query(`select count(channel)::integer as new, count(*)::integer as all from payments`)
  assert.ok(written.rows[0].new > 0 && written.rows[0].new < written.rows[0].all, 'both versions accept payments')

  // They leave one after the other, and each time a process of the next version starts first.
  for (const members of [apis, workers]) {
    for (const leaving of members.filter((member) => member !== early)) {
      const coming = await (members === apis ? fleet.api : fleet.worker)({ version: next.folder })
      members.splice(members.indexOf(leaving), 1, coming)
      assert.equal(await leaving.stop(), 0)
      await goesOn()
    }
  }

  // The rows of the old version are backfilled in small batches; then the column becomes required.
  let filled: number | null
  do {
    const batch = await app.owner.pool.query(`
      update payments set channel = 'page'
      where (home, id) in (select home, id from payments where channel is null order by home, id limit 50 for update skip locked)`)
    filled = batch.rowCount
  } while (filled)
  assert.equal((await migrate(app.owner, await next.lay('require', 'validate', 'contract'))).length, 3)
  await goesOn()
  for (const member of apis) assert.equal(await isReady(member), true)

  isOver = true
  await load
  assert.deepEqual(failures, [])
  const { payments } = await readBooks(app)
  await eventually('every payment is completed', async () => (await readBooks(app)).completed === payments, 60_000)
  await assertPaidOnce(app, payments)
  const { rows } = await app.owner.pool.query(
    `select attnotnull as "isRequired" from pg_attribute where attrelid = 'payments'::regclass and attname = 'channel'`,
  )
  assert.deepEqual(rows, [{ isRequired: true }])
  t.diagnostic(`${JSON.stringify(asked)}, the slowest answer after ${Math.round(slowest.ms)} ms (${slowest.what})`)
})
