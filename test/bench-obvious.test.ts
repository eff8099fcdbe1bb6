/** The obvious service of the bench keeps its promises: a baseline that skips work would make every ratio wrong. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { startChild } from '../bench/child.ts'
import { checkoutOn, webhookOf, type Request } from '../bench/measures.ts'
import { startShop } from '../bench/members.ts'
import { makeObvious } from '../bench/obvious.ts'
import type { Scope } from '../bench/scope.ts'
import { eventually, freePorts } from './app.ts'
import { createTestDatabase } from './databases.ts'

test('the obvious service: one payment for each key, one credit for each message, balanced entries, a recorded webhook', async (t) => {
  const closings: (() => unknown)[] = []
  t.after(async () => {
    for (const close of closings.toReversed()) await close()
  })
  const scope: Scope = {
    async use(opening, close) {
      const opened = await opening
      closings.push(() => close(opened))
      return opened
    },
    folder: () => Promise.reject(new Error('not used')),
  }
  const database = await scope.use(createTestDatabase(), ({ drop }) => drop())
  const shop = await startShop(scope)
  const [slug] = (await makeObvious(database.url, 1, shop.url)) as [string]
  const [port] = (await freePorts(1)) as [number]
  const secret = randomBytes(16).toString('hex')
  await startChild(scope, ['obvious.ts'], { DATABASE_URL: database.url, PORT: String(port), PROVIDER_SECRET: secret })
  const pool = await scope.use(Promise.resolve(new pg.Pool({ connectionString: database.url, max: 1 })), (opened) => opened.end())
  const send = async ({ method, path, headers = {}, body }: Request) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, body: (await response.json()) as any }
  }

  const checkout = checkoutOn(slug)
  const first = await send(checkout)
  assert.equal(first.status, 201)
  assert.deepEqual(await send(checkout), first)
  const changed = { ...checkout, body: checkout.body!.replace('Juma', 'Asha') }
  assert.equal((await send(changed)).status, 409)
  assert.equal((await send(checkoutOn('no-such-page'))).status, 404)

  const { reference } = first.body.data
  const hook = shop.receives(reference)
  const waits = send({ method: 'GET', path: `/v1/payments/${reference}/status?wait=25` })
  const message = webhookOf({ ours: reference, theirs: `SN${reference.slice(4)}` }, secret)
  assert.equal((await send({ ...message, body: message.body!.replace('5000', '5001') })).status, 401)
  assert.equal((await send(message)).status, 200)
  assert.equal((await send(message)).status, 200)
  assert.equal((await waits).body.data.status, 'completed')
  await hook

  const read = async (text: string) => (await pool.query({ text, rowMode: 'array' })).rows
  assert.deepEqual(await read('select kind, balance::integer from obvious.accounts order by kind'), [
    ['provider', -5000],
    ['wallet', 5000],
  ])
  assert.deepEqual(await read('select amount::integer, balance_after::integer from obvious.entries order by amount'), [
    [-5000, -5000],
    [5000, 5000],
  ])
  await eventually('the attempt is recorded', async () => {
    const rows = await read(
      'select d.status, d.attempts, a.response_status from obvious.deliveries d join obvious.attempts a on a.delivery_id = d.id',
    )
    return rows.length > 0 && (assert.deepEqual(rows, [['delivered', 1, 200]]), true)
  })
})
