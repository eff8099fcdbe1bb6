/** What a role or a key may not see, and what no longer may be seen: fields, whole numbers, files that are under way. */
import assert from 'node:assert/strict'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { seedHistory } from '../fixtures/history.ts'
import { share, startTestApp, type Answer, type Ending } from '../app.ts'
import { newMember, verifiedBusiness } from '../members.ts'
import { makeKey } from './objects.ts'

async function startShop(t: Ending) {
  const app = await startTestApp(t, { worker: true, settings: { RATE_LIMIT_QUOTAS: 'key=100000/1,payer-reveal=100000/60' } })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const as = `environment=test&business_id=${businessId}`
  const made = await app.call('POST', `/v1/merchant/payment-pages?${as}`, {
    token: owner.token,
    body: { type: 'payment', title: 'Chai', amount: 1500 },
  })
  const pageId: string = made.body.data.id
  const { reference } = (await app.checkout(made.body.data.slug)).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  return { app, owner, businessId, as, pageId, reference: reference as string }
}

const shared = share(startShop)

test('the balance is in no payment, payout or page for a cashier, nor for a key without a scope that shows it', async () => {
  const { app, owner, businessId, as, pageId, reference } = await shared()
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const shown = async (call: (path: string) => ReturnType<typeof app.call>) => {
    const [payment, page, pages] = [
      await call(`payments/${reference}`),
      await call(`payment-pages/${pageId}`),
      await call('payment-pages'),
    ]
    const line = payment.body.data?.timeline.find(({ type }: { type: string }) => type === 'transaction')
    return [line?.balance_after, page.body.data?.paid_total, pages.body.data?.[0].paid_total]
  }
  const by = (token: string) => (path: string) => app.call('GET', `/v1/merchant/${path}?${as}`, { token })
  const keyed = async (...scopes: string[]) => {
    const { key } = await makeKey(app, owner, { business_id: businessId, scopes })
    return (path: string) => app.call('GET', `/v1/${path}`, { key })
  }
  assert.deepEqual(await shown(by(owner.token)), [1500, 1500, 1500])
  assert.deepEqual(await shown(by(cashier.token)), [null, null, null])
  assert.deepEqual(await shown(await keyed('payments:read', 'pages:read')), [null, null, null])
  assert.deepEqual(await shown(await keyed('payments:read', 'pages:read', 'balance:read')), [1500, 1500, 1500])
  assert.deepEqual(await shown(await keyed('payments:read', 'pages:read', 'transactions:read')), [1500, 1500, 1500])
})

test('a refusal for too little money shows the balance only to who may see it', async () => {
  const { app, owner, businessId } = await shared()
  const refusal = async (...scopes: string[]) => {
    const { key } = await makeKey(app, owner, { business_id: businessId, scopes })
    const body = { amount: 90_000, phone_number: '+255754321987', recipient_name: 'Asha' }
    const answer = await app.call('POST', '/v1/payouts', { key, body, headers: { 'idempotency-key': scopes.join() } })
    assert.equal(answer.status, 402, JSON.stringify(answer.body))
    const { details, message } = answer.body.error
    return [details.available, /TSh 1,500\b/.test(message), details.required > 90_000]
  }
  assert.deepEqual(await refusal('payouts:write', 'payouts:read'), [null, false, true])
  assert.deepEqual(await refusal('payouts:write', 'balance:read'), [1500, true, true])
  assert.deepEqual(await refusal('payouts:write', 'transactions:read'), [1500, true, true])
})

test('a payment request shows the whole number of its customer only to who may see payers or wrote it', async () => {
  const { app, owner, businessId, as } = await shared()
  const cashier = await newMember(app, owner, businessId, 'cashier')
  const body = { title: 'Order 1', amount: 900, customer: { phone_number: '+255754321987' } }
  const made = await app.call('POST', `/v1/merchant/payment-requests?${as}`, { token: cashier.token, body })
  const hidden = [null, '0754 ••• 987']
  const whole = ['+255754321987', '0754 ••• 987']
  const numbers = ({ customer }: { customer: Record<string, unknown> }) => [customer['phone_number'], customer['phone_masked']]
  assert.deepEqual(numbers(made.body.data), hidden)
  const { id } = made.body.data
  const path = `/v1/merchant/payment-requests`
  assert.deepEqual(numbers((await app.call('GET', `${path}/${id}?${as}`, { token: cashier.token })).body.data), hidden)
  assert.deepEqual(numbers((await app.call('GET', `${path}?${as}`, { token: cashier.token })).body.data[0]), hidden)
  assert.deepEqual(numbers((await app.call('GET', `${path}/${id}?${as}`, { token: owner.token })).body.data), whole)
  for (const [scopes, expected] of [
    [['pages:read'], hidden],
    [['pages:read', 'pages:write'], whole],
  ] as const) {
    const { key } = await makeKey(app, owner, { business_id: businessId, scopes: [...scopes] })
    assert.deepEqual(numbers((await app.call('GET', `/v1/payment-requests/${id}`, { key })).body.data), expected, scopes.join())
  }
})

test('a stale session reveals no number of a payer', async () => {
  const { app, owner, as, reference } = await shared()
  const customers = await app.call('GET', `/v1/merchant/customers?${as}`, { token: owner.token })
  const paths = [`payments/${reference}/payer`, `customers/${customers.body.data[0].id}/payer`]
  const reveal = (path: string) => app.call('POST', `/v1/merchant/${path}?${as}`, { token: owner.token, body: {} })
  for (const path of paths) assert.equal((await reveal(path)).status, 200, path)
  await app.owner.pool.query(`update sessions set authenticated_at = clock_now() - interval '10 minutes'`)
  for (const path of paths) {
    const { status, body } = await reveal(path)
    assert.deepEqual([status, body.error?.code], [401, 'step_up_required'], path)
  }
  await app.owner.pool.query(`update sessions set authenticated_at = clock_now()`)
})

/** A download whose client has read the head of the file, and reads the rest when the test says so. */
async function startDownload(url: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(url, { headers, agent: false }, resolve).once('error', reject)
  })
  assert.equal(response.statusCode, 200)
  response.socket.setNoDelay()
  return {
    /** How many lines came, and whether the file ended as a complete one. */
    async rest(): Promise<{ bytes: number; isComplete: boolean }> {
      let bytes = 0
      try {
        for await (const chunk of response) bytes += (chunk as Buffer).length
      } catch {}
      return { bytes, isComplete: response.complete }
    },
  }
}

/** A merchant's person or key that downloads, and what ends their right to it. */
type Case = { name: string; headers: Record<string, string>; path: string; end(): Promise<Answer> }

test('a file under way ends when its reader is removed, is demoted or signs out, or when the key is revoked', async (t) => {
  const app = await startTestApp(t)
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const as = `environment=test&business_id=${businessId}`
  const body = { type: 'payment', title: 'Vitabu', amount: 1000 }
  const page = await app.call('POST', `/v1/merchant/payment-pages?${as}`, { token: owner.token, body })
  const history = { count: 5_000, amount: 1000, firstAt: '2026-01-01T00:00:00Z', everySeconds: 1 }
  await seedHistory(app, page.body.data.id, history)
  const base = `/v1/businesses/${businessId}/members`
  const csv = { accept: 'text/csv' }
  const join = () => newMember(app, owner, businessId, 'accountant')
  const [removed, demoted, left, reader] = [await join(), await join(), await join(), await join()]
  const revoked = await makeKey(app, owner, { business_id: businessId })
  const by = ({ token }: { token: string }, accept = csv) => ({ ...accept, authorization: `Bearer ${token}` })
  const cases: Case[] = [
    {
      name: 'removed',
      headers: by(removed),
      path: `/v1/merchant/transactions?${as}`,
      end: () => app.call('DELETE', `${base}/${removed.memberId}`, { token: owner.token }),
    },
    {
      name: 'demoted',
      headers: by(demoted),
      path: `/v1/merchant/payments?${as}`,
      end: () => app.call('PATCH', `${base}/${demoted.memberId}`, { token: owner.token, body: { role: 'cashier' } }),
    },
    {
      name: 'signed out',
      headers: by(left),
      path: `/v1/merchant/statement?${as}&month=2026-01`,
      end: () => app.call('POST', '/v1/auth/logout', { token: left.token, body: {} }),
    },
    {
      name: 'removed, as a document',
      headers: by(reader, { accept: 'application/pdf' }),
      path: `/v1/merchant/statement?${as}&month=2026-01`,
      end: () => app.call('DELETE', `${base}/${reader.memberId}`, { token: owner.token }),
    },
    {
      name: 'revoked',
      headers: { ...csv, 'x-api-key': revoked.key },
      path: '/v1/transactions',
      end: () => app.call('DELETE', `/developers/keys/${revoked.keyId}`, { token: owner.token }),
    },
  ]
  const whole = await startDownload(`${app.config.urls.api}${cases[0]!.path}`, cases[0]!.headers)
  const { bytes, isComplete } = await whole.rest()
  assert.ok(isComplete && bytes > 900_000, `${bytes} bytes`)
  for (const { name, headers, path, end } of cases) {
    const download = await startDownload(`${app.config.urls.api}${path}`, headers)
    const { status, body: refused } = await end()
    assert.equal(status, 200, `${name} ${JSON.stringify(refused)}`)
    const got = await download.rest()
    t.diagnostic(`${name}: ${got.bytes} of about ${bytes} bytes came`)
    assert.ok(!got.isComplete, `${name}: the file ended as if it were complete, with ${got.bytes} bytes`)
  }
})
