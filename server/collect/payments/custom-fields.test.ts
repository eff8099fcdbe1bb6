/** The fields of a merchant's own: checked at the page and at the checkout, and shown wherever the merchant reads the payment. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { share, startTestApp, type Answer, type TestApp } from '../../../test/app.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { exportPhone } from '../../operations/data-lifecycle/export-person.ts'
import type { CustomField } from '../pages/custom-field.ts'
import { readCustomFields } from './custom-fields.ts'

const sharedApp = share((ending) => startTestApp(ending))

const field = (changes: Partial<CustomField> = {}): CustomField => ({
  key: 'table',
  label: 'Table',
  type: 'text',
  required: false,
  choices: [],
  ...changes,
})

const fields = [
  field({ label: 'Table number', type: 'number', required: true }),
  field({ key: 'size', label: 'Size', type: 'choice', choices: ['S', 'M', 'L'] }),
  field({ key: 'note', label: 'Note' }),
]

test('values are read in the order of the page; each wrong one is named', () => {
  const read = (sent: Record<string, string | number>) => {
    const reading = readCustomFields(fields, sent)
    return reading.kind === 'values'
      ? reading.values.map(({ key, value }) => `${key}=${value}`)
      : reading.errors.map((error) => `${error.field} ${error.code}`)
  }
  assert.deepEqual(read({ note: '  Bila sukari ', size: 'M', table: 7 }), ['table=7', 'size=M', 'note=Bila sukari'])
  assert.deepEqual(read({ table: '1,250.5', size: '', note: ' ' }), ['table=1250.5'])
  assert.deepEqual(read({}), ['custom_fields.table custom_field_required'])
  assert.deepEqual(read({ table: 'seven', size: 'XL', note: 'a\nb' }), [
    'custom_fields.table custom_field_invalid',
    'custom_fields.size custom_field_invalid',
    'custom_fields.note custom_field_invalid',
  ])
  for (const number of ['1e3', '0x1', '--1', '1.', '٧', '1,2', '-', '1'.repeat(16)])
    assert.deepEqual(read({ table: number }), ['custom_fields.table custom_field_invalid'], number)
  assert.deepEqual(read({ table: 1, constructor: 'x' }), ['custom_fields.constructor custom_field_unknown'])
  assert.deepEqual(read({ table: 1, note: 'x'.repeat(201) }), ['custom_fields.note custom_field_invalid'])
  assert.equal(readCustomFields([field({ key: 'constructor', required: true })], {}).kind, 'broken')
})

type Shop = { app: TestApp; token: string; key: string }

async function openShop(app: TestApp): Promise<Shop> {
  const student = await app.student()
  const { key } = await app.key(student)
  return { app, token: student.token, key }
}

const makePage = ({ app, token }: Shop, custom_fields: unknown, changes = {}): Promise<Answer> =>
  app.call('POST', '/v1/merchant/payment-pages?environment=test', {
    token,
    body: { type: 'payment', title: 'Chakula', amount: 2_000, custom_fields, ...changes },
  })

test('a page takes up to five fields, keeps them until they are replaced, and shows them to payers', async () => {
  const shop = await openShop(await sharedApp())
  const { app, key } = shop
  const made = await makePage(shop, fields)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.deepEqual(made.body.data.custom_fields, fields)
  const { slug } = made.body.data
  assert.deepEqual((await app.call('GET', `/v1/pay/${slug}`)).body.data.custom_fields, fields)
  const renamed = await app.call('PATCH', `/v1/payment-pages/${slug}`, { key, body: { title: 'Chakula cha jioni' } })
  assert.deepEqual(renamed.body.data.custom_fields, fields)
  const short = await app.call('PATCH', `/v1/payment-pages/${slug}`, {
    key,
    body: { custom_fields: [{ key: 'table', label: 'Meza', type: 'number' }] },
  })
  assert.deepEqual(short.body.data.custom_fields, [field({ label: 'Meza', type: 'number' })])
  const plain = await makePage(shop, undefined)
  assert.deepEqual(plain.body.data.custom_fields, [])

  const many = Array.from({ length: 6 }, (_, index) => field({ key: `k${index}` }))
  for (const [wrong, at] of [
    [many, 'custom_fields'],
    [[field(), field()], 'custom_fields'],
    [[field({ label: 'x'.repeat(61) })], 'custom_fields.0.label'],
    [[field({ label: ' ' })], 'custom_fields.0.label'],
    [[field({ key: 'Table' })], 'custom_fields.0.key'],
    [[field({ type: 'choice' })], 'custom_fields.0.choices'],
    [[field({ type: 'choice', choices: ['S', 'S'] })], 'custom_fields.0.choices'],
    [[field({ choices: ['S'] })], 'custom_fields.0.choices'],
    [[field({ type: 'choice', choices: Array.from({ length: 21 }, String) })], 'custom_fields.0.choices'],
    [[{ ...field(), type: 'date' }], 'custom_fields.0.type'],
  ] as const) {
    const refused = await makePage(shop, wrong)
    assert.equal(refused.status, 400, JSON.stringify(wrong))
    assert.equal(refused.body.error.errors[0].field, at)
  }
})

test('a checkout is refused without a required value, and its values reach the merchant but no public answer', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const shop = await openShop(app)
  const { key } = shop
  const made = await makePage(shop, [...fields, field({ key: 'formula', label: '=Sum' })])
  const { slug } = made.body.data
  const missing = await app.checkout(slug, { phone_number: '0754000789' })
  assert.equal(missing.status, 400)
  assert.deepEqual([missing.body.error.code, missing.body.error.param], ['custom_field_required', 'custom_fields.table'])
  const both = await app.checkout(slug, { phone_number: '12345', custom_fields: { table: 'x', color: 'red' } })
  assert.deepEqual(
    both.body.error.errors.map((error: { field: string }) => error.field),
    ['phone_number', 'custom_fields.table', 'custom_fields.color'],
  )
  const decimal = (await app.checkout(slug, { phone_number: '0754000789', custom_fields: { table: 2.5 } })).body.error
  assert.deepEqual([decimal.code, decimal.param], ['validation_error', 'custom_fields.table'])
  assert.match(decimal.errors[0].message, /text.*"2\.5"/)
  assert.match(decimal.errors[0].message_sw, /maandishi.*"2\.5"/)
  assert.equal((await app.truth()).charges.length, 0)

  const idempotency_key = randomUUID()
  const custom_fields = { note: '=HYPERLINK("http://x")', table: 7, size: 'M' }
  const sent = await app.checkout(slug, { phone_number: '0754000789', idempotency_key, custom_fields })
  assert.equal(sent.status, 201, JSON.stringify(sent.body))
  // The same values in another order and form are the same request; other values are not.
  const again = await app.checkout(slug, {
    phone_number: '0754000789',
    idempotency_key,
    custom_fields: { size: 'M', table: '7', note: custom_fields.note },
  })
  assert.deepEqual([again.status, again.body.data.reference], [200, sent.body.data.reference])
  const other = await app.checkout(slug, {
    phone_number: '0754000789',
    idempotency_key,
    custom_fields: { ...custom_fields, table: 8 },
  })
  assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_key_reused'])
  const { reference } = sent.body.data
  assert.equal((await app.settled(reference)).status, 'completed')

  const given = [
    { key: 'table', label: 'Table number', value: '7' },
    { key: 'size', label: 'Size', value: 'M' },
    { key: 'note', label: 'Note', value: custom_fields.note },
  ]
  // A later change of the page does not change what the payer saw.
  await app.call('PATCH', `/v1/payment-pages/${slug}`, { key, body: { custom_fields: [] } })
  const payment = await app.call('GET', `/v1/payments/${reference}`, { key })
  assert.deepEqual(payment.body.data.custom_fields, given)
  const events = await app.call('GET', '/v1/events', { key })
  const event = events.body.data.find((one: { type: string }) => one.type === 'payment.completed')
  assert.deepEqual(event.data.custom_fields, given)
  const csv = await fetch(`${app.config.urls.api}/v1/payments`, { headers: { 'x-api-key': key, accept: 'text/csv' } })
  const [header, line] = (await csv.text()).trim().split(/\r?\n/)
  assert.ok(header!.endsWith('custom_fields'))
  assert.ok(line!.includes('Table number: 7; Size: M; Note: =HYPERLINK'), line)

  const shown = await app.call('GET', `/v1/payments/${reference}/status`)
  assert.ok(!JSON.stringify([shown.body, sent.body]).includes('HYPERLINK'))

  const exported = await exportPhone({ db: app.deps.db, nowMs: 0 }, '+255754000789')
  assert.ok(JSON.stringify(exported.data['payments']).includes('HYPERLINK'))
  await erasePayer(app.deps, '+255754000789')
  assert.deepEqual((await app.call('GET', `/v1/payments/${reference}`, { key })).body.data.custom_fields, [])
  assert.ok(!JSON.stringify((await app.call('GET', '/v1/events', { key })).body).includes('HYPERLINK'))
})

test('a page without fields refuses values, and its payments and events stay as they were', async () => {
  const shop = await openShop(await sharedApp())
  const { app, key } = shop
  const { slug } = (await makePage(shop, [])).body.data
  const refused = await app.checkout(slug, { phone_number: '0754000789', custom_fields: { table: 1 } })
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'custom_field_unknown'])
  const sent = await app.checkout(slug, { phone_number: '0754000789', custom_fields: {} })
  await app.settled(sent.body.data.reference)
  const payment = await app.call('GET', `/v1/payments/${sent.body.data.reference}`, { key })
  assert.deepEqual(payment.body.data.custom_fields, [])
  const { body } = await app.call('GET', '/v1/events', { key })
  assert.ok(!('custom_fields' in body.data[0].data))
})
