/** An export of any length takes the memory of one page, and no transaction stays open while its client does not read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../../../test/fleet.ts'
import { eventually } from '../../../test/app.ts'
import { seedHistory } from '../../../test/fixtures/history.ts'

const csv = { accept: 'text/csv' }

test('200,000 transactions are exported in constant memory, also to a slow client, and a client that disconnects ends the export', async (t) => {
  const { app, api } = await startFleet(t)
  const member = await api()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 1000 })
  const count = 200_000
  await seedHistory(app, page.id, { count, amount: 1000, firstAt: '2025-01-01T00:00:00Z', everySeconds: 60 })
  const open = async (query = '') => {
    const gone = new AbortController()
    const headers = { ...csv, 'x-api-key': key }
    const response = await fetch(`${member.url}/v1/transactions${query}`, { headers, signal: gone.signal })
    assert.equal(response.status, 200)
    return { reader: response.body!.getReader(), gone }
  }
  const reads = async () => {
    const { rows } = await app.owner.pool.query(
      `select idx_tup_fetch as n from pg_stat_user_tables where relname = 'ledger_transfers'`,
    )
    return Number(rows[0].n)
  }

  const warm = await open('?min_amount=1000&created_to=2025-01-10T00:00:00Z')
  while (!(await warm.reader.read()).done);
  const before = await member.liveMb()
  const startedAt = performance.now()
  const { reader } = await open()
  let lines = 0
  let bytes = 0
  let during = 0
  let at = 25_000
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    for (let index = value.indexOf(10); index !== -1; index = value.indexOf(10, index + 1)) lines += 1
    if (lines < at) continue
    at += 50_000
    // If the service did not wait for its client, it would continue to read and fill the memory.
    await new Promise((resolve) => setTimeout(resolve, 300))
    during = Math.max(during, await member.liveMb())
  }
  assert.equal(lines, count + 1)
  const seconds = (performance.now() - startedAt) / 1000
  t.diagnostic(
    `${count} lines, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s; live memory ${before.toFixed(1)} MB before, ${during.toFixed(1)} MB at most during`,
  )
  assert.ok(during - before < 10, `${before} MB grew to ${during} MB`)

  // While a client does not read, no transaction is open; after it has disconnected, nothing more is read.
  const left = await open()
  await left.reader.read()
  await eventually('the database runs no statement for it', async () => {
    const { rows } = await app.owner.pool.query(
      `select 1 from pg_stat_activity where application_name = 'malipo-api' and state <> 'idle'`,
    )
    return rows.length === 0
  })
  left.gone.abort()
  await eventually('the export waits for the client', async () => {
    const one = await reads()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    return (await reads()) === one
  })
  assert.ok((await member.liveMb()) - before < 10)
})
