/** A wallet by key: its balance, and its transactions in the ledger's own order, page by page and filtered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerBusiness } from '../../../test/onboarding.ts'
import { share, startTestApp } from '../../../test/app.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

test('a wallet without transactions is empty, not missing', async (t) => {
  const app = await startTestApp(t)
  const { key } = await app.key(await app.student({ verified: false }))
  const { body } = await app.call('GET', '/v1/balance', { key })
  assert.deepEqual(
    { ...body.data, as_of: '' },
    {
      currency: 'TZS',
      available: 0,
      reserved: 0,
      total: 0,
      receivable: 0,
      payout_minimum: 5000,
      hold: null,
      environment: 'test',
      as_of: '',
    },
  )
  assert.match(body.data.as_of, /Z$/)
  assert.deepEqual((await app.call('GET', '/v1/transactions', { key })).body, { data: [], has_more: false, next_cursor: null })
})

test('transactions come newest first, complete and in order over many pages, and each filter selects the right ones', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const fixed = await app.page(student, { amount: 1500 })
  const custom = await app.page(student, { amount: undefined, allow_custom_amount: true })
  const amounts = [500, 700, 900, 1100, 1300]
  const references: string[] = []
  for (const amount of amounts) {
    const { body } = await app.checkout(custom.slug, { amount })
    references.push(body.data.reference)
    await app.settled(body.data.reference)
  }
  const last = await app.checkout(fixed.slug)
  await app.settled(last.body.data.reference)

  const list = async (query: string) => (await app.call('GET', `/v1/transactions?${query}`, { key })).body
  const all = (await list('')).data
  assert.deepEqual(
    all.map((line: any) => line.amount),
    [1500, 1300, 1100, 900, 700, 500],
  )
  assert.deepEqual(
    all.map((line: any) => line.balance_after),
    [6000, 4500, 3200, 2100, 1200, 500],
  )
  const paged: any[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: any = await list(`limit=4${cursor && `&cursor=${cursor}`}`)
    paged.push(...page.data)
    assert.equal(page.has_more, page.next_cursor !== null)
    cursor = page.next_cursor
  }
  assert.deepEqual(paged, all)

  const amountsOf = async (query: string) => (await list(query)).data.map((line: any) => line.amount)
  assert.deepEqual(await amountsOf(`payment_page_id=${fixed.id}`), [1500])
  assert.deepEqual(await amountsOf(`reference=${references[1]}`), [700])
  assert.deepEqual(await amountsOf('min_amount=900&max_amount=1300'), [1300, 1100, 900])
  assert.deepEqual(await amountsOf('direction=debit'), [])
  assert.deepEqual(await amountsOf('direction=all&type=payment&limit=2'), [1500, 1300])
  assert.deepEqual(await amountsOf('type=payout'), [])
  assert.deepEqual(await amountsOf(`created_from=${all[1].created_at}`), [1500, 1300])
  assert.deepEqual(await amountsOf(`created_to=${all[4].created_at}`), [500])
  for (const query of [
    'reference=x',
    'payment_page_id=pay_x',
    'type=gift',
    'direction=up',
    'min_amount=a',
    'created_from=yesterday',
  ]) {
    assert.equal((await app.call('GET', `/v1/transactions?${query}`, { key })).status, 400, query)
  }
})

test('a type without a direction means both directions, and a key reads the statement of a month', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 30_000 })
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  const headers = { 'idempotency-key': 'back' }
  const refund = await app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body: { amount: 5000 } })
  assert.equal(refund.status, 201, JSON.stringify(refund.body))
  const list = async (query: string) => {
    const { body } = await app.call('GET', `/v1/transactions?${query}`, { key })
    return body.data.map(({ type, direction }: any) => `${type} ${direction}`)
  }
  assert.deepEqual(await list(''), ['payment credit'])
  assert.deepEqual(await list('type=refund'), ['refund debit'])
  assert.deepEqual(await list('type=refund&direction=credit'), [])
  const month = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
  const byKey = await app.call('GET', `/v1/statement?month=${month}`, { key })
  assert.equal(byKey.status, 200, JSON.stringify(byKey.body))
  const { token } = student
  const bySession = await app.call('GET', `/v1/merchant/statement?environment=test&month=${month}`, { token })
  assert.deepEqual({ ...byKey.body.data, as_of: '' }, { ...bySession.body.data, as_of: '' })
  const { fee } = refund.body.data
  assert.equal(byKey.body.data.closing_balance, 30_000 - 5000 - fee)
  const blind = await app.key(student, 'test', ['balance:read'])
  assert.equal((await app.call('GET', `/v1/statement?month=${month}`, { key: blind.key })).status, 403)
})

test('test and live are two wallets', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const [test_, live] = [await app.key(student, 'test'), await app.key(student, 'live')]
  const page = await app.page(student, { amount: 2000 }, 'live')
  const { body } = await app.checkout(page.slug)
  await app.settled(body.data.reference)
  const total = async (key: string) => (await app.call('GET', '/v1/balance', { key })).body.data.total
  assert.deepEqual([await total(test_.key), await total(live.key)], [0, 2000])
  assert.deepEqual((await app.truth('?account=live')).charges.length, 1)
})

test('the signed-in owner reads the same wallet, of their own account or of a business, and no other owner’s', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 2000 })
  const { body } = await app.checkout(page.slug)
  await app.settled(body.data.reference)
  const business = await registerBusiness(app, student)
  const read = (path: string, token = student.token, headers = {}) => app.call('GET', `/v1/merchant/${path}`, { token, headers })
  const total = async (query: string, token = student.token) => {
    const { status, body: answer } = await read(`balance?${query}`, token)
    return status === 200 ? [answer.data.total, answer.data.environment] : [status, answer.error.code]
  }

  assert.deepEqual(await total('environment=test'), [2000, 'test'])
  assert.deepEqual(await total(''), [0, 'live'])
  assert.deepEqual(await total(`environment=test&business_id=${business.id}`), [0, 'test'])
  assert.deepEqual(await total('environment=test', stranger.token), [0, 'test'])
  assert.deepEqual(await total(`business_id=${business.id}`, stranger.token), [404, 'not_found'])

  const byKey = await app.call('GET', '/v1/transactions', { key })
  assert.deepEqual((await read('transactions?environment=test')).body, byKey.body)
  assert.equal(byKey.body.data.length, 1)
  for (const [query, token] of [
    ['', student.token],
    [`environment=test&business_id=${business.id}`, student.token],
    ['environment=test', stranger.token],
  ] as const) {
    assert.deepEqual((await read(`transactions?${query}`, token)).body.data, [], query)
  }
  assert.equal((await read(`transactions?business_id=${business.id}`, stranger.token)).status, 404)
  assert.equal((await read('transactions?environment=test&min_amount=2001')).body.data.length, 0)

  const csv = { accept: 'text/csv' }
  const [mine, keys] = [
    await read('transactions?environment=test', student.token, csv),
    await app.call('GET', '/v1/transactions', { key, headers: csv }),
  ]
  assert.equal(mine.body, keys.body)
  assert.equal(mine.headers.get('content-disposition'), keys.headers.get('content-disposition'))

  await app.checkout(page.slug).then(({ body: second }) => app.settled(second.data.reference))
  const { next_cursor: cursor } = (await read('transactions?environment=test&limit=1')).body
  assert.equal((await read(`transactions?environment=test&cursor=${cursor}`)).body.data.length, 1)
  for (const [query, token] of [
    [`cursor=${cursor}`, student.token],
    [`environment=test&cursor=${cursor}`, stranger.token],
    [`environment=test&business_id=${business.id}&cursor=${cursor}`, student.token],
  ] as const) {
    assert.equal((await read(`transactions?${query}`, token)).body.error.code, 'cursor_invalid', query)
  }
})
