/** The cost of recipients does not grow with what a wallet has paid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type TestApp } from '../../../test/app.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import { merchantOfUser } from '../../accounts/identity/merchant.sql.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { fromWire } from '../../platform/ids.ts'
import { countedPayouts } from './recipient.ts'
import { lastPaidNames, listRecipients } from './recipient.sql.ts'

const sharedApp = share((ending) => startTestApp(ending))

/** Completed payouts of the wallet, and as many refunds, to one number; they are not in the ledger, so the test removes them. */
async function seedPayouts(app: TestApp, { merchant }: Owner, phoneNumber: string, count: number): Promise<void> {
  await app.owner.pool.query(
    `insert into payouts (home, id, merchant_id, environment, status, amount, fee, phone_number, recipient_name, idempotency_hash,
      request_hash, requested_by, request_id, completed_at)
    select $1, gen_random_uuid(), $2, 'test', 'completed', 5000, 0, $3, 'Name ' || n, sha256(($3::text || n)::bytea), '\\x00', 'test', 'r',
      clock_now() - make_interval(mins => n)
    from generate_series(1, $4::integer) n`,
    [merchant.home, merchant.id, phoneNumber, count],
  )
}

test('a list of recipients reads the last payout of each and at most a thousand to count, however long the history is', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const merchant = (await merchantOfUser(app.db, fromWire('usr', student.userId)!))!
  const owner: Owner = { merchant, environment: 'test' }
  const [often, twice] = ['+255754000123', '+255754000223']
  await seedPayouts(app, owner, often, 20_000)
  await seedPayouts(app, owner, twice, 2)
  for (let n = 0; n < 10; n += 1) await seedPayouts(app, owner, `+25576500${1000 + n}`, 1_000)
  await app.owner.pool.query('vacuum analyze payouts')
  for (const [name, phone_number] of [
    ['Often', often],
    ['Twice', twice],
    ['Never', '+255754000323'],
  ] as const) {
    assert.equal((await app.call('POST', '/v1/recipients', { key, body: { name, phone_number } })).status, 201)
  }
  const { recipients } = await listRecipients(app.db, owner, {}, { limit: 20, among: 20_000 })
  assert.deepEqual(
    recipients.map(({ name, paidCount, lastPaidName }) => [name, paidCount, lastPaidName]),
    [
      ['Never', 0, null],
      ['Twice', 2, 'Name 1'],
      ['Often', countedPayouts, 'Name 1'],
    ],
  )
  const phones = [often, twice, '+255754000323']
  const reads = {
    list: () => listRecipients(app.db, owner, {}, { limit: 20, among: 20_000 }),
    names: () => lastPaidNames(app.db, owner, phones),
  }
  // PostgreSQL replans a statement for its first few values only; later it may use one plan for all values.
  for (let turn = 0; turn < 8; turn += 1) for (const read of Object.values(reads)) await read()
  const listed = await rowsRead(app, 'payouts', (db) => listRecipients(db, owner, {}, { limit: 20, among: 20_000 }))
  assert.ok(listed < countedPayouts + 20, `${listed} rows of 30,000 were read for the list`)
  const named = await rowsRead(app, 'payouts', (db) => lastPaidNames(db, owner, phones))
  assert.ok(named <= 4, `${named} rows were read for three names`)
  assert.deepEqual(await lastPaidNames(app.db, owner, phones), new Map([often, twice].map((phone) => [phone, 'Name 1'])))
  assert.deepEqual(await lastPaidNames(app.db, { merchant, environment: 'live' }, phones), new Map())
  assert.deepEqual(await lastPaidNames(app.db, owner, []), new Map())
  await app.owner.pool.query(`delete from payouts where requested_by = 'test'`)
})

test('a search that looks at a part of the recipients continues with its cursor, and finds each once', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const merchant = (await merchantOfUser(app.db, fromWire('usr', student.userId)!))!
  const owner: Owner = { merchant, environment: 'test' }
  for (let n = 0; n < 9; n += 1) {
    const body = { name: n % 4 === 0 ? `Asha ${n}` : `Juma ${n}`, phone_number: `+25575400010${n}` }
    assert.equal((await app.call('POST', '/v1/recipients', { key, body })).status, 201)
  }
  const found: string[] = []
  let after: { createdAt: string; id: string } | undefined
  let answers = 0
  for (let hasMore = true; hasMore; answers += 1) {
    const text = { name: 'asha', digits: null }
    const page = await listRecipients(app.db, owner, { text }, { limit: 2, among: 3, ...(after && { after }) })
    found.push(...page.recipients.map(({ name }) => name))
    hasMore = page.hasMore
    after = page.last && { createdAt: page.last.createdAt.toISOString(), id: page.last.id }
  }
  assert.deepEqual(found, ['Asha 8', 'Asha 4', 'Asha 0'])
  assert.ok(answers >= 3 && answers <= 4, `${answers} answers`)
})
