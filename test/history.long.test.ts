/** The history of one payment or payout for an operator: every step, in order, without personal data. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { fromWire } from '../server/platform/ids.ts'
import { startShop } from './webhook-shop.ts'
import { eventually, startTestApp, type TestApp } from './app.ts'

type Ended = { code: number; out: string; err: string }

/** Runs the operator's command line as a separate program with the settings of a test app. */
function ops(app: TestApp, ...words: string[]): Promise<Ended> {
  const options = { env: { ...process.env, ...app.settings }, cwd: join(import.meta.dirname, '..') }
  return new Promise((resolve) =>
    execFile(process.execPath, ['server/start/ops.ts', ...words], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    ),
  )
}

/** The actors and actions, line by line, without times, ids and durations. */
const outline = (out: string): string[] =>
  out
    .split('\n\n')[1]!
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .slice(26)
        .replaceAll(/\b(req|evt|txn|app|brk|usr|pay|po)_[\w-]+|\bevt-[\w-]+/g, '$1')
        .replaceAll(/127\.0\.0\.1:\d+/g, 'shop')
        .replaceAll(/\d+ ms/g, '… ms')
        .replaceAll(/message \S+:/g, 'message:')
        .replaceAll(/message \S+ is/g, 'message is')
        .replaceAll(/request \S+\)/g, 'request)')
        .replaceAll(/ +/g, ' '),
    )

test('an operator gets the whole history of a payment, in order, without personal data', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,0.2,0.2,0.2' } })
  let answers = 0
  const shop = await startShop(t, app, (response) => response.writeHead((answers += 1) === 1 ? 500 : 200).end())
  await shop.sell(1)
  await eventually('the webhook is accepted', async () => {
    const { rows } = await app.owner.pool.query(`select from webhook_deliveries where status = 'delivered'`)
    return rows.length === 1
  })
  const admin = await app.admin()
  const { rows } = await app.owner.pool.query(`select id from payments`)
  const { charges } = await app.truth()
  const reference: string = charges[0].metadata?.malipo_payment ?? charges[0].our_reference
  assert.equal(fromWire('pay', reference), rows[0].id)
  const asked = await app.call('POST', `/v1/admin/payments/${reference}/query`, { token: admin.token, body: {} })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))

  const { code, out, err } = await ops(app, 'payment', 'show', reference)
  assert.equal(code, 0, err)
  assert.deepEqual(outline(out), [
    'payer starts the payment (request)',
    'status pending',
    'provider message: completed, TSh 1,500 (settled; request)',
    'provider message is applied',
    'status completed',
    'ledger payment: TSh 1,500 from provider_clearing to wallet (txn; by provider:webhook, request)',
    'ledger provider_fee: TSh 29 from provider_fees to provider_clearing (txn; by provider:webhook, request)',
    'event evt payment.completed',
    'webhook automatic delivery for app is due',
    'webhook attempt 1 at shop: failed (500, … ms)',
    'webhook attempt 2 at shop: succeeded (200, … ms)',
    'webhook automatic delivery for app is delivered',
    'operator payment.queried pay (by usr, request)',
  ])
  const times = out
    .split('\n\n')[1]!
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(0, 24))
  assert.deepEqual(times, times.toSorted())
  for (const fact of ['completed', 'TSh 1,500, test', '0754 ••• 789, mpesa, j•••@e•••.com', 'charge accepted', 'req_'])
    assert.ok(out.includes(fact), `${fact}\n${out}`)
  for (const secret of ['123789', 'Juma', 'juma@', 'Hamisi', 'whsec_']) assert.ok(!out.includes(secret), secret)

  for (const words of [
    ['payment', 'show', `${reference.slice(0, -1)}${reference.endsWith('0') ? '1' : '0'}`],
    ['payment', 'show', 'pay_1'],
    ['payout', 'show', reference],
  ]) {
    const unknown = await ops(app, ...words)
    assert.equal(unknown.code, 1)
    assert.match(unknown.err, new RegExp(`^There is no ${words[0]} ${words[2]} in this database \\(.*\\)\\.\n$`))
    assert.equal(unknown.out, '')
  }
  assert.match((await ops(app, 'payment', 'show')).err, /^Usage/)
})

test('a payout, and money that matches nothing, have a history too', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 20_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const made = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'kodi' },
    body: { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mollel', narration: 'Kodi' },
  })
  const payoutId: string = made.body.data.id
  await eventually('the payout is completed', async () => {
    const { body } = await app.call('GET', `/v1/payouts/${payoutId}`, { key })
    return body.data.status === 'completed'
  })
  const payout = await ops(app, 'payout', 'show', payoutId)
  assert.equal(payout.code, 0, payout.err)
  const lines = outline(payout.out)
  assert.deepEqual(lines.slice(0, 2), [
    'merchant requests the payout (by key, request)'.replace('key', lines[0]!.split(' ')[5]!.slice(0, -1)),
    'status pending',
  ])
  assert.ok(lines.includes('provider the order is first sent') && lines.includes('status completed'), payout.out)
  assert.ok(lines.filter((line) => line.startsWith('ledger payout')).length >= 2, payout.out)
  for (const secret of ['000123', 'Asha', 'Kodi', 'kodi']) assert.ok(!payout.out.includes(secret), secret)

  const { reference } = (await app.checkout(page.slug, { phone_number: '+255754000111' })).body.data
  const { charges } = await app.truth('?status=pending')
  await app.control('POST', `/charges/${charges[0].reference}/answer`, { action: 'complete', amount: 19_000 })
  await eventually('its money is in suspense', async () => {
    const { rows } = await app.owner.pool.query(`select from payments where id = $1 and held`, [fromWire('pay', reference)])
    return rows.length === 1
  })
  const { out } = await ops(app, 'payment', 'show', reference)
  assert.match(out, /status +processing \(held: its money waits for a decision\)/)
  const shown = outline(out)
  assert.ok(shown.includes('break brk amount_differs is open'), out)
  assert.ok(
    shown.some((line) => line.startsWith('ledger suspense: TSh 19,000 from provider_clearing to suspense')),
    out,
  )
})
