/** Saved recipients: one for each number of a wallet, found by name and number, with what was paid to them. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { registerBusiness } from '../../../test/onboarding.ts'
import { isRefusal } from '../../../test/refusals.ts'
import { ask, ended, paidStudent } from '../../../test/fixtures/payouts.ts'

const sharedApp = share((ending) => startTestApp(ending))

const asha = { name: 'Asha Mushi', phone_number: '0754 000 123' }

const save = (app: TestApp, key: string, body: unknown = asha, headers: Record<string, string> = {}): Promise<Answer> =>
  app.call('POST', '/v1/recipients', { key, body, headers })

async function saved(app: TestApp, key: string, fields: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await save(app, key, { ...asha, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

async function names(app: TestApp, key: string, query = ''): Promise<string[]> {
  const { status, body } = await app.call('GET', `/v1/recipients?${query}`, { key })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map(({ name }: { name: string }) => name)
}

async function shop(app: TestApp, verified = true): Promise<Student & { key: string }> {
  // In one home, so that only the owner's filter separates them.
  const student = await app.student({ verified, home: 7 })
  return { ...student, key: (await app.key(student)).key }
}

test('every route needs a caller with the scope, and reports the recipient of another as missing', async () => {
  const app = await sharedApp()
  const owner = await shop(app)
  const { id } = await saved(app, owner.key)
  const stranger = await shop(app)
  const live = (await app.key(owner, 'live')).key
  const reader = (await app.key(owner, 'test', ['payouts:read'])).key
  const pages = (await app.key(owner, 'test', ['pages:read'])).key
  const routes = [
    ['GET', ''],
    ['POST', ''],
    ['GET', `/${id}`],
    ['PATCH', `/${id}`],
    ['DELETE', `/${id}`],
  ] as const
  for (const [method, path] of routes) {
    // A body that no route takes: who may see the recipient is decided before its form.
    const body = method === 'POST' || method === 'PATCH' ? { nonsense: 1 } : undefined
    for (const prefix of ['/v1', '/v1/merchant']) {
      isRefusal(await app.call(method, `${prefix}/recipients${path}`, { body }), 401, 'authentication_required')
    }
    isRefusal(await app.call(method, `/v1/recipients${path}`, { key: pages, body }), 403, 'insufficient_scope')
    if (method !== 'GET') {
      isRefusal(await app.call(method, `/v1/recipients${path}`, { key: reader, body }), 403, 'insufficient_scope')
    }
    if (path === '') continue
    for (const key of [stranger.key, live]) {
      isRefusal(await app.call(method, `/v1/recipients${path}`, { key, body }), 404, 'not_found')
    }
    for (const query of ['environment=live', 'environment=test']) {
      const who = query.endsWith('live') ? owner : stranger
      const address = `/v1/merchant/recipients${path}?${query}`
      isRefusal(await app.call(method, address, { token: who.token, body }), 404, 'not_found')
    }
  }
  assert.deepEqual([await names(app, stranger.key), await names(app, live)], [[], []])
  isRefusal(await app.call('GET', '/v1/recipients/rcp_1', { key: owner.key }), 404, 'not_found')
})

test('a recipient is saved, read, renamed and deleted, by key and by sign-in, without a verification', async () => {
  const app = await sharedApp()
  const { token, key } = await shop(app, false)
  const made = await saved(app, key)
  assert.match(made.id, /^rcp_/)
  assert.deepEqual(
    { ...made, id: '', created_at: '' },
    {
      id: '',
      name: 'Asha Mushi',
      phone_number: '+255754000123',
      network: 'mpesa',
      last_paid_at: null,
      paid_count: 0,
      last_paid_name: null,
      created_at: '',
    },
  )
  const path = `/v1/merchant/recipients/${made.id}?environment=test`
  assert.deepEqual((await app.call('GET', path, { token })).body.data, made)
  const renamed = await app.call('PATCH', path, { token, body: { name: ' Asha Juma Mushi ' } })
  assert.deepEqual(renamed.body.data, { ...made, name: 'Asha Juma Mushi' })
  assert.deepEqual((await app.call('PATCH', path, { token, body: {} })).body.data, renamed.body.data)
  isRefusal(await app.call('PATCH', path, { token, body: { phone_number: '0754000124' } }), 400, 'validation_error')
  const deleted = await app.call('DELETE', `/v1/recipients/${made.id}`, { key })
  assert.deepEqual([deleted.status, deleted.body.data], [200, { id: made.id, deleted: true }])
  isRefusal(await app.call('DELETE', `/v1/recipients/${made.id}`, { key }), 404, 'not_found')
  isRefusal(await app.call('GET', path, { token }), 404, 'not_found')
  // In the live environment too: to write down a number is not to pay it.
  const live = await app.call('POST', '/v1/merchant/recipients?environment=live', { token, body: asha })
  assert.equal(live.status, 201, JSON.stringify(live.body))
  const { rows } = await app.owner.pool.query(
    `select action, actor, after from audit_log where object = $1 or (action = 'recipient.created' and actor = $2) order by seq`,
    [made.id, (await app.call('GET', '/v1/me', { token })).body.data.id],
  )
  assert.deepEqual(
    rows.map(({ action, actor }) => `${action} ${actor.slice(0, 4)}`),
    ['recipient.created key_', 'recipient.renamed usr_', 'recipient.deleted key_', 'recipient.created usr_'],
  )
  assert.doesNotMatch(JSON.stringify(rows), /Asha|754000123/)
})

test('a wallet has a number once, however it is written and however many save it at once', async () => {
  const app = await sharedApp()
  const owner = await shop(app)
  const answers = await Promise.all(
    ['0754000200', '+255754000200', '255 754 000 200', '754-000-200'].map((phone_number) =>
      save(app, owner.key, { name: 'Neema', phone_number }),
    ),
  )
  const [made] = answers.filter(({ status }) => status === 201)
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const refused of answers.filter((answer) => answer !== made)) {
    isRefusal(refused, 409, 'recipient_exists')
    assert.deepEqual(refused.body.error.details, { id: made!.body.data.id })
  }
  isRefusal(await save(app, owner.key, { name: 'Other', phone_number: '0754000200' }), 409, 'recipient_exists')
  assert.deepEqual(await names(app, owner.key), ['Neema'], 'the name did not change')
  // Other wallets are separate: the live one, that of a business, that of another person.
  const business = await registerBusiness(app, owner)
  const body = { name: 'Neema', phone_number: '0754000200' }
  for (const query of ['environment=live', `environment=test&business_id=${business.id}`]) {
    const answer = await app.call('POST', `/v1/merchant/recipients?${query}`, { token: owner.token, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
  }
  await saved(app, (await shop(app)).key, body)
})

test('a repeat with the same key saves nothing and gets the same answer', async () => {
  const app = await sharedApp()
  const { key } = await shop(app)
  const headers = { 'idempotency-key': randomUUID() }
  const first = await save(app, key, asha, headers)
  const again = await save(app, key, asha, headers)
  assert.deepEqual([first.status, again.status, again.headers.get('idempotency-replayed')], [201, 201, 'true'])
  assert.deepEqual(again.body, first.body)
  isRefusal(await save(app, key, { ...asha, name: 'B' }, headers), 422, 'idempotency_key_reused')
})

test('a number that can receive no payout, and a name that says nothing, are refused', async () => {
  const app = await sharedApp()
  const { key } = await shop(app)
  const bad: [Record<string, unknown>, string, string][] = [
    [{ phone_number: '0222111000' }, 'phone_invalid', 'phone_number'],
    [{ phone_number: '0734000123' }, 'network_unsupported', 'phone_number'],
    [{ name: ' ' }, 'validation_error', 'name'],
    [{ name: 'x'.repeat(121) }, 'validation_error', 'name'],
    [{ name: '\u3164\u115f' }, 'validation_error', 'name'],
    [{ network: 'mpesa' }, 'validation_error', 'network'],
  ]
  for (const [fields, code, param] of bad) {
    const answer = await save(app, key, { ...asha, ...fields })
    isRefusal(answer, 400, code)
    assert.equal(answer.body.error.param, param)
  }
  isRefusal(await app.call('GET', '/v1/recipients?phone_number=12', { key }), 400, 'phone_invalid')
  isRefusal(await app.call('GET', '/v1/recipients?q=a', { key }), 400, 'validation_error')
})

test('recipients are listed newest first, page by page, and found by a part of the name or of the number', async () => {
  const app = await sharedApp()
  const { key } = await shop(app)
  const people: [string, string][] = [
    ['Asha Mushi', '0754111222'],
    ['100% Juice_Bar', '0784333222'],
    ['Neema ASHA', '0714555666'],
    ['Juma', '0600000754'],
  ]
  for (const [name, phone_number] of people) await saved(app, key, { name, phone_number })
  const all = people.map(([name]) => name).toReversed()
  assert.deepEqual(await names(app, key), all)

  const first = (await app.call('GET', '/v1/recipients?limit=3', { key })).body
  assert.deepEqual([first.data.length, first.has_more], [3, true])
  const second = (await app.call('GET', `/v1/recipients?limit=3&cursor=${first.next_cursor}`, { key })).body
  assert.deepEqual([second.data.map(({ name }: { name: string }) => name), second.has_more], [['Asha Mushi'], false])
  isRefusal(
    await app.call('GET', `/v1/recipients?cursor=${first.next_cursor}`, { key: (await shop(app)).key }),
    400,
    'cursor_invalid',
  )

  const found: [string, string[]][] = [
    ['asha', ['Neema ASHA', 'Asha Mushi']],
    ['sha mu', ['Asha Mushi']],
    ['222', ['100% Juice_Bar', 'Asha Mushi']],
    ['0754', ['Juma', 'Asha Mushi']],
    ['0754 111', ['Asha Mushi']],
    ['+255754111222', ['Asha Mushi']],
    ['%%', []],
    ['0% J', ['100% Juice_Bar']],
    ['e_B', ['100% Juice_Bar']],
    ['nobody', []],
  ]
  for (const [q, expected] of found) assert.deepEqual(await names(app, key, `q=${encodeURIComponent(q)}`), expected, q)
  assert.deepEqual(await names(app, key, 'phone_number=0784%20333%20222'), ['100% Juice_Bar'])
  assert.deepEqual(await names(app, key, 'phone_number=0784333223'), [])
  assert.deepEqual(await names(app, key, 'phone_number=0784333222&q=asha'), [])
  assert.deepEqual(await names(app, key, 'created_from=2999-01-01T00:00:00Z'), [])
})

test('a recipient shows what was paid to its number by this wallet, and a payout under another name warns', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app, 100_000, 7)
  const { key, token } = student
  const { id } = await saved(app, key, { name: 'Asha M.' })
  const recipient = async (): Promise<any> => (await app.call('GET', `/v1/recipients/${id}`, { key })).body.data
  const fee = async (query: string): Promise<any> =>
    (await app.call('GET', `/v1/payouts/fee?amount=5000&phone_number=0754000123&${query}`, { key })).body.data.warnings
  const pay = async (recipient_name: string, end = 'completed', phone_number = '+255754000123'): Promise<any> => {
    // Its own reference, because the same one again would be another warning.
    const { status, body } = await ask(app, key, { amount: 5_000, recipient_name, phone_number, reference: randomUUID() })
    assert.equal(status, 201, JSON.stringify(body))
    return ended(app, key, body.data.id, end)
  }

  const first = await pay('Asha Mushi')
  assert.deepEqual(first.warnings, [], 'a number that was never paid has no other name')
  const { last_paid_at, ...paid } = await recipient()
  assert.equal(last_paid_at, first.completed_at)
  assert.deepEqual([paid.paid_count, paid.last_paid_name, paid.name], [1, 'Asha Mushi', 'Asha M.'])

  assert.deepEqual(await fee('recipient_name=mushi%20ASHA'), [])
  assert.deepEqual(await fee(''), [])
  const [warning] = await fee('recipient_name=Juma%20Ali')
  assert.equal(warning.code, 'recipient_name_differs')
  assert.match(warning.message, /another name/)
  assert.doesNotMatch(warning.message, /Asha|Mushi/)

  assert.deepEqual((await pay('mushi ASHA')).warnings, [])
  const other = await pay('Juma Ali')
  assert.deepEqual(other.warnings, [warning])
  assert.deepEqual((await app.call('GET', '/v1/payouts?limit=1', { key })).body.data[0].warnings, [warning])
  // It is the state at the request: the payout keeps its warning, and the next one is compared with the name that was paid since.
  assert.deepEqual((await pay('Juma Ali')).warnings, [])
  assert.deepEqual((await pay('Asha Mushi', 'completed')).warnings.length, 1)
  assert.deepEqual([(await recipient()).paid_count, (await recipient()).last_paid_name], [5, 'Asha Mushi'])

  // The number ends in digits that the simulator refuses.
  const failing = '+255754000089'
  await pay('Neema', 'failed', failing)
  assert.deepEqual((await pay('Other', 'failed', failing)).warnings, [], 'a payout that did not arrive is no evidence of a name')

  // The same number in another wallet, and a refund to it, are separate.
  const stranger = await paidStudent(app, 100_000, 7)
  const theirs = await ask(app, stranger.key, { amount: 5_000, recipient_name: 'Zawadi' })
  assert.deepEqual(theirs.body.data.warnings, [])
  const mine = await app.call('GET', '/v1/merchant/recipients?environment=test', { token })
  assert.equal(mine.body.data[0].paid_count, 5)
})

test('the refund of a payment is no payout to a recipient', async () => {
  const app = await sharedApp()
  const { key, ...student } = await paidStudent(app)
  const phone_number = '+255754123789'
  const page = await app.page(student, { amount: 20_000 })
  const paid = (await app.checkout(page.slug, { phone_number })).body.data
  await app.settled(paid.reference)
  const headers = { 'idempotency-key': randomUUID() }
  const refund = await app.call('POST', `/v1/payments/${paid.reference}/refunds`, { key, headers, body: { amount: 5_000 } })
  await eventually('the refund has reached the payer', async () => {
    const { body } = await app.call('GET', `/v1/refunds/${refund.body.data.id}`, { key })
    return body.data.status === 'completed'
  })
  const { paid_count, last_paid_at, last_paid_name } = await saved(app, key, { phone_number })
  assert.deepEqual([paid_count, last_paid_at, last_paid_name], [0, null, null])
  assert.deepEqual((await ask(app, key, { amount: 5_000, recipient_name: 'Anyone', phone_number })).body.data.warnings, [])
})
