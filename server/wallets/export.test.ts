/** Transactions as CSV: what is in the file, what no cell may do, and that an export of any length takes the memory of one page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../../test/fleet.ts'
import { eventually, startWorld } from '../../test/world.ts'
import { csvLines, wantsCsv } from './csv.ts'
import { seedHistory } from './history-world.ts'

const csv = { accept: 'text/csv' }

test('a cell that a spreadsheet would calculate gets an apostrophe, a number does not', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '＝']) {
    const [cell] = csvLines([[`${start}1+1`]])
      .replace(/^"/, '')
      .split('\n')
    assert.ok(cell!.startsWith("'"), JSON.stringify(cell))
  }
  assert.equal(csvLines([[-5, 'a,b', 'say "so"', null, 'Neema – Ñ']]), '-5,"a,b","say ""so""",,Neema – Ñ\r\n')
})

test('CSV is for who asks for it by name', () => {
  const wants = (accept?: string) => wantsCsv({ headers: { accept } })
  for (const accept of ['text/csv', 'TEXT/CSV; q=0.9', 'text/csv, application/json', 'text/csv, */*;q=0.1'])
    assert.ok(wants(accept), accept)
  for (const accept of [undefined, '', '*/*', 'text/*', 'text/csv;q=0', 'application/json, text/csv;q=0.5', 'text/csvx'])
    assert.ok(!wants(accept), accept)
})

test('the file holds the filtered list, newest first, and nobody else’s', async (t) => {
  const world = await startWorld(t, { worker: true })
  const student = await world.student()
  const stranger = await world.student({ home: 7 })
  const { key } = await world.key(student)
  const page = await world.page(student, { amount: undefined, allow_custom_amount: true })
  const pay = async (fields: Record<string, unknown>) => {
    const { body } = await world.checkout(page.slug, fields)
    await world.settled(body.data.reference)
    return body.data.reference as string
  }
  const first = await pay({ amount: 700, customer_name: '=HYPERLINK("http://x")' })
  await pay({ amount: 900, customer_name: 'Asha, Binti' })
  const { body: listed } = await world.call('GET', '/v1/transactions', { key })

  const answer = await world.call('GET', '/v1/transactions?limit=1', { key, headers: csv })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="transactions-start-\d{4}-\d{2}-\d{2}\.csv"$/)
  const [newest, oldest] = listed.data
  assert.equal(
    answer.body,
    [
      'id,type,direction,amount,currency,balance_after,reference,payment_page_id,payout_id,network,customer_name,customer_phone_masked,description,created_at',
      `${newest.id},payment,credit,900,TZS,1600,${newest.reference},${page.id},,mpesa,"Asha, Binti",0754 ••• 789,,${newest.created_at}`,
      `${oldest.id},payment,credit,700,TZS,700,${first},${page.id},,mpesa,"'=HYPERLINK(""http://x"")",0754 ••• 789,,${oldest.created_at}`,
      '',
    ].join('\r\n'),
  )

  const lines = async (query: string, apiKey = key) => {
    const { body } = await world.call('GET', `/v1/transactions?${query}`, { key: apiKey, headers: csv })
    return (body as string).split('\r\n').length - 2
  }
  assert.equal(await lines('min_amount=900'), 1)
  assert.equal(await lines('direction=debit'), 0)
  const [other, live] = [await world.key(stranger), await world.key(student, 'live')]
  assert.deepEqual([await lines('', other.key), await lines('', live.key)], [0, 0])

  const month = 'created_from=2026-01-01T00:00:00%2B03:00&created_to=2026-02-01T00:00:00%2B03:00'
  const named = await world.call('GET', `/v1/transactions?${month}`, { key, headers: csv })
  assert.equal(named.headers.get('content-disposition'), 'attachment; filename="transactions-2026-01-01-2026-01-31.csv"')
  const forged = await world.call('GET', '/v1/transactions?cursor=x.y', { key, headers: csv })
  assert.deepEqual([forged.status, forged.body.error.code], [400, 'cursor_invalid'])
  const head = await world.call('HEAD', '/v1/transactions', { key, headers: csv })
  assert.deepEqual([head.status, head.body], [200, ''])
})

test('200,000 transactions go out in flat memory, to a slow client too, and a client that leaves ends it', async (t) => {
  const { world, api } = await startFleet(t)
  const member = await api()
  const student = await world.student()
  const { key } = await world.key(student)
  const page = await world.page(student, { amount: 1000 })
  const count = 200_000
  await seedHistory(world, page.id, { count, amount: 1000, firstAt: '2025-01-01T00:00:00Z', everySeconds: 60 })
  const open = async (query = '') => {
    const gone = new AbortController()
    const headers = { ...csv, 'x-api-key': key }
    const response = await fetch(`${member.url}/v1/transactions${query}`, { headers, signal: gone.signal })
    assert.equal(response.status, 200)
    return { reader: response.body!.getReader(), gone }
  }
  const reads = async () => {
    const { rows } = await world.owner.pool.query(
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
    // The service would read on and heap up what nobody takes, if it did not wait for its client.
    await new Promise((resolve) => setTimeout(resolve, 300))
    during = Math.max(during, await member.liveMb())
  }
  assert.equal(lines, count + 1)
  const seconds = (performance.now() - startedAt) / 1000
  t.diagnostic(
    `${count} lines, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s; live memory ${before.toFixed(1)} MB before, ${during.toFixed(1)} MB at most during`,
  )
  assert.ok(during - before < 10, `${before} MB grew to ${during} MB`)

  // While a client does not read, no transaction is open; once it is gone, nothing more is read.
  const left = await open()
  await left.reader.read()
  await eventually('the database has nothing to do for it', async () => {
    const { rows } = await world.owner.pool.query(
      `select 1 from pg_stat_activity where application_name = 'malipo-api' and state <> 'idle'`,
    )
    return rows.length === 0
  })
  left.gone.abort()
  await eventually('the export stands still', async () => {
    const one = await reads()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    return (await reads()) === one
  })
  assert.ok((await member.liveMb()) - before < 10)
})
