/** Frequent statements cost the same however long the past is: they read by an index, from the needed position, and no further. */
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type pg from 'pg'
import { makePages, makePending, newPayment, ownerOf, successOf, type BenchPage } from '../bench/postgres.ts'
import { historyTables, seedPast } from '../bench/seed.ts'
import { readWallet } from '../server/money/ledger/account.sql.ts'
import { claimWaitingMessages } from '../server/money/providers/inbox.sql.ts'
import { listOwnerPayments } from '../server/collect/payments/owner-payment.sql.ts'
import { claimDueCharges, findPaymentViews, findReference, insertPayments } from '../server/collect/payments/payment.sql.ts'
import { applySettlements } from '../server/collect/payments/settle.sql.ts'
import { makeChargeCodes } from './fixtures/order-codes.ts'
import type { Db, Runner, Sql } from '../server/platform/db/db.ts'
import { runnerOf } from '../server/platform/db/runner.ts'
import { createCursors } from '../server/platform/http/page.ts'
import { findWithoutReceipt } from '../server/views/notifications/receipt.sql.ts'
import { listTransactions } from '../server/views/merchant-account/list-transactions.ts'
import { listEvents } from '../server/merchants/webhooks/event.sql.ts'
import { startTestApp } from './app.ts'
import { nodesOf, textOf, type Plan } from './plans.ts'

const payments = 40_000

const history = new Set(historyTables)

/**
 * Pages of 8 KiB that a statement may read: an index is a few levels deep, and each requested object has a few rows in a few
 * tables. None of it depends on the total amount of data.
 */
const pagesAtMost = (things: number): number => 400 + 40 * things

const wholeTables = (plan: Plan): string[] =>
  nodesOf(plan)
    .filter((node) => node['Node Type'] === 'Seq Scan' && history.has(node['Relation Name']!))
    .map((node) => node['Relation Name']!)

/** After more than this number of uses, a prepared statement gets a generic plan, unless a custom plan is cheaper. */
const usesBeforeGeneric = 6

/**
 * A runner that explains each statement before running it: with its values, and also without values if the server might use a
 * generic plan.
 */
function explaining(client: pg.PoolClient, found: string[], used: { words: string; index: string }[]): Runner {
  const inRolledBackTransaction = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await client.query('begin')
    try {
      return await work()
    } finally {
      await client.query('rollback')
    }
  }
  return runnerOf(async <Row>(query: Sql): Promise<Row[]> => {
    const values: unknown[] = []
    const text = textOf(query, values)
    const words = text.trim().replaceAll(/\s+/g, ' ')
    const name = `explained ${createHash('sha1').update(text).digest('hex')}`
    const explain = async (how: string, given?: unknown[]): Promise<Plan> => {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (${how}, format json) ${text}`, given)
      return rows[0]!['QUERY PLAN'][0].Plan
    }
    const plan = await inRolledBackTransaction(() => explain('analyze, buffers', values))
    const pages = Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks'])
    // The number of requested objects, or of result rows if the statement asks for all.
    const things = Math.max(Number(plan['Actual Rows']), ...values.map((value) => (Array.isArray(value) ? value.length : 0)))
    for (const index of nodesOf(plan).flatMap((node) => node['Index Name'] ?? [])) used.push({ words, index })
    if (pages > pagesAtMost(things)) found.push(`looks at ${pages} pages: ${words}`)
    found.push(...wholeTables(plan).map((table) => `reads all of ${table}: ${words}`))

    const isGeneric = await inRolledBackTransaction(async () => {
      for (let use = 0; use < usesBeforeGeneric; use += 1) await client.query({ name, text, values })
      const { rows } = await client.query<{ used: boolean }>(
        'select generic_plans > 0 as used from pg_prepared_statements where name = $1',
        [name],
      )
      return rows[0]!.used
    })
    if (isGeneric) {
      const tables = wholeTables(await explain('generic_plan'))
      found.push(...tables.map((table) => `reads all of ${table} once it is prepared: ${words}`))
    }
    const result = await client.query<unknown[]>({ text, values, rowMode: 'array' })
    const columns = result.fields.map((field) => field.name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
    return result.rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])) as Row)
  })
}

test('frequent reads and writes read no more pages when the past is long', async (t) => {
  const app = await startTestApp(t)
  const pages = await makePages(app.db, 20)
  await seedPast(app.owner, pages, payments)
  await makeChargeCodes(app.owner, app.deps.recordMac)
  await app.owner.script('vacuum provider_charges')
  // The first page has had every fifth payment: its merchant has the longest past of all.
  const hot = pages[0]! satisfies BenchPage
  const owner = ownerOf(hot)
  const pending = await makePending(app.db, pages, 64, app.deps.recordMac)
  await app.owner.script('analyze')
  const { rows: old } = await app.owner.pool.query<{ home: number; id: string; createdAt: string; reference: string }>(
    `select p.home, p.id, to_json(p.created_at) #>> '{}' as "createdAt", c.provider_reference as reference
     from payments p join provider_charges c on c.home = p.home and c.payment_id = p.id
     where p.merchant_id = $1 and p.status = 'completed' order by p.created_at offset 4000 limit 1`,
    [hot.merchantId],
  )
  const middle = old[0]!

  const client = await app.db.pool.connect()
  const found: string[] = []
  const used: { words: string; index: string }[] = []
  const runner = explaining(client, found, used)
  const db = { ...app.db, rows: runner.rows } as Db
  const tx = { ...runner, kind: 'tx' as const, afterCommit: () => undefined, recordMac: undefined }
  const cursors = createCursors([Buffer.alloc(32)])
  const range = { limit: 50 }
  try {
    assert.equal((await findPaymentViews(runner, [...pending, middle])).filter(Boolean).length, 65)
    assert.ok((await readWallet(runner, { ...hot, environment: 'live' })).balance > 0)

    const first = await listTransactions({ db, cursors }, owner, { direction: 'all', limit: 50 })
    assert.equal(first.items.length, 50)
    const deep = cursors.encode(`transactions ${hot.merchantId} live`, [4_000])
    const second = await listTransactions({ db, cursors }, owner, { direction: 'all', limit: 50, cursor: deep })
    assert.equal(second.items[0]!.line.seq, 3_999)
    await listTransactions({ db, cursors }, owner, { direction: 'all', limit: 50, createdTo: middle.createdAt })

    assert.equal((await listOwnerPayments(runner, owner, {}, { ...range, among: 1_000 })).payments.length, 50)
    const older = await listOwnerPayments(runner, owner, {}, { ...range, among: 1_000, after: middle })
    assert.ok(older.payments.every(({ createdAt }) => createdAt <= new Date(middle.createdAt)))
    await listOwnerPayments(runner, owner, { pageId: hot.pageId, status: 'failed' }, { ...range, among: 100 })
    await listEvents(runner, owner, {}, range)
    assert.deepEqual(await findReference(runner, { provider: 'snippe', environment: 'live', reference: middle.reference }), {
      home: middle.home,
      paymentId: middle.id,
    })

    await insertPayments(
      runner,
      pages.map((page) => newPayment(page, app.deps.recordMac)),
    )
    const settled = await applySettlements(runner, pending.map(successOf), '')
    assert.ok(settled.every(({ verdict }) => verdict === 'applied'))
    await claimDueCharges(runner, 50, { lease: 30, unsentRetry: 60, expiry: 3600 })
    await claimWaitingMessages(runner, randomUUID(), 100)
    const now = Date.now()
    await findWithoutReceipt(tx, { fromMs: now - 600_000, toMs: now, limit: 200 })
  } finally {
    client.release(true)
  }
  assert.deepEqual(found, [])
  // Payments requested one by one are read by their key: an index on the merchant would read all of its past.
  const labels = used.filter(({ words }) => words.includes('p.customer_name, p.phone_number'))
  const ofPayments = labels.map(({ index }) => index).filter((index) => index.startsWith('payments_'))
  assert.deepEqual(new Set(ofPayments), new Set(['payments_pkey']))
})
