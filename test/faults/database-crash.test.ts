/** The database crashes during its work, under load, and starts again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { startOwnDatabase } from './own-database.ts'
import { askToPay, assertPaidOnce, insistToPay, readBooks, type Asked } from './shop.ts'

test('a database that crashes under load, twice: 503 meanwhile, back within ten seconds, nothing that was answered is lost [F26]', async (t) => {
  const database = await startOwnDatabase()
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' }, { database })
  const { app } = fleet
  const members = [await fleet.api(), await fleet.api(), await fleet.worker()]
  const ended: (number | null)[] = []
  for (const { gone } of members) void gone.then((code) => ended.push(code))
  const page = await app.page(await app.student())
  const answers: Asked[] = []
  let isOver = false
  const payers = Promise.all(
    Array.from({ length: 8 }, async (_, payer) => {
      for (let count = 0; !isOver; count += 1) {
        answers.push(...(await insistToPay(() => members[payer % 2]!.url, page.slug, `${payer}-${count}`)))
      }
    }),
  )
  const taken = () => answers.filter(({ status }) => status === 201 || status === 200).length
  for (let crash = 1; crash <= 2; crash += 1) {
    const before = taken()
    await eventually('payments are made', () => taken() > before + 40, 30_000)
    const completed = (await readBooks(app)).completed
    await database.crash()
    const refused = await eventually('a client gets an answer', async () => {
      const answer = await askToPay(members[0]!.url, page.slug, `while-away-${crash}`)
      return answer.status === 503 && answer
    })
    assert.equal(refused.code, 'overloaded')
    assert.equal((await fetch(`${members[0]!.url}/livez`)).status, 200)
    assert.equal((await fetch(`${members[0]!.url}/readyz`)).status, 503)
    await database.start()
    const startedAt = performance.now()
    for (const { url } of members.slice(0, 2)) {
      await insistToPay(() => url, page.slug, `after-${crash}-${url}`)
      await eventually('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200)
    }
    assert.ok(performance.now() - startedAt < 10_000, `${performance.now() - startedAt} ms`)
    assert.ok((await readBooks(app)).completed >= completed, 'credited payments stay credited')
  }
  isOver = true
  await payers
  const { payments } = await readBooks(app)
  await eventually('every payment is completed', async () => (await readBooks(app)).completed === payments, 90_000)
  const promised = new Set(answers.flatMap(({ reference }) => reference ?? []))
  assert.ok(payments >= promised.size)
  await assertPaidOnce(app, payments)
  assert.deepEqual(ended, [])
  // Notifications travel between processes again, as before.
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as count from pg_stat_activity where application_name = 'malipo-listen' and datname = current_database()`,
  )
  assert.equal(rows[0].count, 4)
})
