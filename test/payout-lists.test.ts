/** A merchant's filtered and searched list of payouts: the results of each filter, the content of its file, and the search of the account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantOfUser } from '../server/accounts/identity/merchant.sql.ts'
import { listPayouts, type PayoutFilter } from '../server/pay-out/payouts/payout.sql.ts'
import { ask, ended, paidStudent, type Fields } from './fixtures/payouts.ts'
import { fromWire } from '../server/platform/ids.ts'
import { share, startTestApp } from './app.ts'
import { addMember } from './members.ts'
import { registerBusiness } from './onboarding.ts'

const sharedApp = share((ending) => startTestApp(ending))

const csv = { accept: 'text/csv' }

test('payouts are found by id, batch, number, name, reference, status and day, in the list, in the file and in the search of the account', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await paidStudent(app, 1_000_000, 7), await paidStudent(app, 100_000, 7)]
  const pay = async (fields: Fields, { key } = student) => {
    const { status, body } = await ask(app, key, fields)
    assert.equal(status, 201, JSON.stringify(body))
    return body.data.id as string
  }
  const asha = await pay({ phone_number: '+255754000123', recipient_name: 'Asha Mushi', reference: 'Mshahara-10' })
  const juma = await pay({ phone_number: '+255784111123', recipient_name: 'Juma Ally', reference: 'asha-deni' })
  const closed = await pay({ phone_number: '+255754000089', recipient_name: '=Neema 100%', metadata: { run: '7' } })
  await pay({ recipient_name: 'Asha Mushi', reference: 'Mshahara-10' }, stranger)
  await ended(app, student.key, asha, 'completed')
  await ended(app, student.key, juma, 'completed')
  await ended(app, student.key, closed, 'failed')

  const list = (query: string, headers = {}) => app.call('GET', `/v1/payouts?${query}`, { key: student.key, headers })
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const found: [string, string[]][] = [
    ['', [closed, juma, asha]],
    ['status=completed', [juma, asha]],
    [`created_from=${tomorrow}`, []],
    ['reference=Mshahara-10', [asha]],
    [`q=${juma}`, [juma]],
    ['q=0754%20000%20123', [asha]],
    ['q=0784', [juma]],
    ['q=111', [juma]],
    ['q=asha', [juma, asha]],
    ['q=mshahara', [asha]],
    ['q=100%25', [closed]],
    ['q=asha&status=failed', []],
    ['q=pb_06g2v1d1p5fz9b7q4w5w1y2k3m', []],
  ]
  for (const [query, expected] of found) {
    const { status, body } = await list(query)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.data.map(({ id }: Fields) => id),
      expected,
      query,
    )
    const file = String((await list(query, csv)).body)
    assert.deepEqual(
      file
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
      expected,
      `the file of ${query}`,
    )
  }

  const file = await list('limit=1', csv)
  assert.match(file.headers.get('content-disposition')!, /filename="payouts-test-start-\d{4}-\d\d-\d\d\.csv"/)
  const [header, first, , last, end] = String(file.body).split('\r\n')
  assert.equal(
    header,
    'id,status,amount,fee,total_debited,currency,phone_number,recipient_name,network,reference,narration,failure_code,created_at,completed_at,reversed_at,approval,approval_by,waits_until,warnings,batch_id,metadata',
  )
  const { fee, failure } = (await list(`q=${closed}`)).body.data[0]
  assert.ok(
    first!.startsWith(`${closed},failed,20000,${fee},${20_000 + fee},TZS,'+255754000089,'=Neema 100%,mpesa,,,${failure.code},`),
    first,
  )
  assert.ok(first!.endsWith(',"{""run"":""7""}"'), first)
  assert.match(last!, /,Mshahara-10,,,/)
  assert.equal(end, '')

  const search = async (q: string, token = student.token) => {
    const { status, body } = await app.call('GET', `/v1/merchant/search?environment=test&q=${encodeURIComponent(q)}`, { token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.filter(({ type }: Fields) => type === 'payout')
  }
  const searched: [string, string[]][] = [
    [asha, [asha]],
    ['Mshahara-10', [asha]],
    ['juma a', [juma]],
    ['0784 111 123', [juma]],
    ['po_06g2v1d1p5fz9b7q4w5w1y2k3m', []],
  ]
  for (const [q, expected] of searched) {
    assert.deepEqual(
      (await search(q)).map(({ id }: Fields) => id),
      expected,
      q,
    )
    assert.ok(
      (await search(q, stranger.token)).every(({ id }: Fields) => !expected.includes(id as string)),
      q,
    )
  }
  const [{ title, detail, status, amount }] = await search(asha)
  assert.deepEqual([title, detail, status, amount], ['Asha Mushi', '0754 000 123 · Mshahara-10', 'completed', 20_000])
})

test('a payment is found in the search of the account by its short code and by the number of its network receipt', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const { reference, short_code } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  const at = `/v1/merchant/payments/${reference}?environment=test`
  const { network_receipt } = (await app.call('GET', at, { token: student.token })).body.data
  for (const q of [short_code, short_code.toLowerCase().replaceAll('-', ''), network_receipt, network_receipt.slice(0, 7)]) {
    for (const path of ['search', 'payments']) {
      const { body } = await app.call('GET', `/v1/merchant/${path}?environment=test&q=${q}`, { token: student.token })
      assert.deepEqual(
        body.data.map(({ id, reference: of }: Record<string, string>) => id ?? of),
        [reference],
        `${path} ${q}`,
      )
    }
  }
})

test('a text searches a limited number of payouts and continues with the cursor; a number is found at any age', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app, 1_000_000)
  const ids: string[] = []
  for (let n = 0; n < 6; n += 1) {
    const fields = n === 0 ? { recipient_name: 'Zawadi Kipekee', phone_number: '+255754999123' } : {}
    const { status, body } = await ask(app, student.key, { amount: 5_000, ...fields })
    assert.equal(status, 201, JSON.stringify(body))
    ids.push(body.data.id)
  }
  for (const id of ids) await ended(app, student.key, id, 'completed')
  const merchant = (await merchantOfUser(app.db, fromWire('usr', student.userId)!))!
  const look = (filter: PayoutFilter, after?: { createdAt: string; id: string }) =>
    listPayouts(app.db, { merchant, environment: 'test' }, filter, { limit: 20, among: 4, ...(after && { after }) })
  const first = await look({ text: 'kipekee' })
  assert.deepEqual([first.payouts.length, first.hasMore], [0, true])
  const second = await look({ text: 'kipekee' }, { createdAt: first.last!.createdAt.toISOString(), id: first.last!.id })
  assert.deepEqual([second.payouts.map(({ recipientName }) => recipientName), second.hasMore], [['Zawadi Kipekee'], false])
  assert.equal((await look({ phoneNumber: '+255754999123' })).payouts.length, 1)
})

test('only a role that may export gets the file of payouts, and only of its own business', async () => {
  const app = await sharedApp()
  const [owner, stranger] = [await app.student(), await app.student()]
  const business = await registerBusiness(app, owner)
  const [accountant, cashier] = [await app.student(), await app.student()]
  await addMember(app, owner, business.id, accountant, 'accountant')
  await addMember(app, owner, business.id, cashier, 'cashier')
  const at = `/v1/merchant/payouts?environment=test&business_id=${business.id}`
  for (const [who, expected] of [
    [owner, 200],
    [accountant, 200],
    [cashier, 403],
    [stranger, 404],
  ] as const) {
    assert.equal((await app.call('GET', at, { token: who.token, headers: csv })).status, expected)
  }
  assert.equal((await app.call('GET', at, { headers: csv })).status, 401)
  const forged = await app.call('GET', `${at}&cursor=x.y`, { token: owner.token, headers: csv })
  assert.deepEqual([forged.status, forged.body.error.code], [400, 'cursor_invalid'])
})

test('a refund is found by the number of its payer, their name and your reference, and results name the reference', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const create = (path: string, body: Fields) =>
    app.call('POST', path, { key, headers: { 'idempotency-key': path }, body: { amount: 10_000, ...body } })
  const made = await create('/v1/payments', {
    phone_number: '0754 321 789',
    description: 'Chai',
    customer_name: 'Neema Zuberi',
    merchant_reference: 'ORD-1042',
  })
  const { reference } = made.body.data
  await app.settled(reference)
  const { id } = (await create(`/v1/payments/${reference}/refunds`, { amount: 6_000, merchant_reference: 'RET-77' })).body.data
  const payment = ['payment', reference, 'Neema Zuberi', '0754 ••• 789 · ORD-1042']
  const refund = ['refund', id, 'Neema Zuberi', '0754 ••• 789 · RET-77']
  for (const [q, expected] of [
    ['0754 321 789', [payment, refund]],
    ['neema z', [payment, refund]],
    ['ORD-1042', [payment]],
    ['RET-77', [refund]],
    [id, [refund]],
  ] as const) {
    const at = `/v1/merchant/search?environment=test&q=${encodeURIComponent(q)}`
    const { body } = await app.call('GET', at, { token: student.token })
    assert.deepEqual(
      body.data.map(({ type, id: found, title, detail }: Fields) => [type, found, title, detail]),
      expected,
      q,
    )
    const of = await app.call('GET', at, { token: (await app.student()).token })
    assert.deepEqual(of.body.data, [], q)
  }
})
