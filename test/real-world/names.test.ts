/** Names and titles that show nothing, cover other lines or turn the text around, at every door where a line of text enters. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { itemsOf, uploadCsv, uploadItems } from '../fixtures/batches.ts'
import { ask } from '../fixtures/payouts.ts'
import { postForm } from '../fixtures/support.ts'
import { businessFacts } from '../onboarding.ts'
import { atDoors } from './at-doors.ts'
import { byKey, bySession, freshNumber, readOf, registration, shareShop, type Shop } from './doors.ts'

const shop = shareShop()

/** Sends a name, and gives it as the service keeps it; null: it was refused. */
type Door = (shop: Shop, name: string) => Promise<string | null>

const phone = () => `+255${freshNumber()}`

/** The name of the payer as the merchant reads it. */
async function payerOf(there: Shop, reference: string): Promise<string> {
  const { status, body } = await bySession(there, 'GET', `/v1/merchant/payments/${reference}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.customer.name
}

async function rowOf({ app, owner }: Shop, made: { status: number; body: any }): Promise<string | null> {
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const [row] = await itemsOf(app, owner.key, made.body.data.id)
  assert.deepEqual(
    row.errors.map(({ column }: { column: string }) => column),
    row.status === 'ready' ? [] : ['recipient_name'],
  )
  return row.recipient_name
}

const doors: Record<string, Door> = {
  checkout: async (there, name) => {
    const fields = { customer_name: name, phone_number: phone(), idempotency_key: randomUUID() }
    const sent = await there.app.checkout(there.slug, fields)
    const reference = readOf(sent, (data) => data.reference)
    return reference && payerOf(there, reference)
  },
  'checkout form': async (there, name) => {
    const fields = { customer_email: 'a@example.com', idempotency_key: randomUUID(), lang: 'en', amount: '500' }
    const path = `/pay/${there.slug}`
    const { status, location } = await postForm(there.app, path, { ...fields, phone_number: phone(), customer_name: name })
    assert.equal(status, location === undefined ? 422 : 303)
    return location === undefined ? null : payerOf(there, /pay_[0-9a-z]{26}/.exec(location)![0])
  },
  'own question of a page': async (there, name) => {
    const { app, owner } = there
    const page = await app.page(owner, { custom_fields: [{ key: 'child', label: 'Mtoto', type: 'text', required: true }] })
    const sent = await app.checkout(page.slug, { phone_number: phone(), custom_fields: { child: name } })
    if (sent.status === 400) return null
    const { body } = await bySession(there, 'GET', `/v1/merchant/payments/${sent.body.data.reference}`)
    return body.data.custom_fields[0].value
  },
  payment: async (there, name) =>
    readOf(
      await byKey(there, '/v1/payments', { amount: 500, phone_number: phone(), description: name }),
      ({ description }) => description,
    ),
  link: async (there, name) =>
    readOf(await byKey(there, '/v1/payment-requests', { amount: 500, title: name }), ({ title }) => title),
  'customer of a link': async (there, name) =>
    readOf(
      await byKey(there, '/v1/payment-requests', { amount: 500, title: 'Chai', customer: { name } }),
      ({ customer }) => customer.name,
    ),
  page: async (there, name) =>
    readOf(
      await bySession(there, 'POST', '/v1/merchant/payment-pages', { type: 'payment', title: name, amount: 1500 }),
      ({ title }) => title,
    ),
  payout: async ({ app, owner }, name) =>
    readOf(await ask(app, owner.key, { amount: 5_000, recipient_name: name }), ({ recipient_name }) => recipient_name),
  batch: async ({ app, owner }, name) => {
    const items = [{ amount: 10_000, phone_number: phone(), recipient_name: 'Asha' }]
    return readOf(await uploadItems(app, owner.key, items, { title: name }), ({ title }) => title)
  },
  'batch row': async (there, name) => {
    const items = [{ amount: 10_000, phone_number: phone(), recipient_name: name }]
    return rowOf(there, await uploadItems(there.app, there.owner.key, items))
  },
  'batch file': async (there, name) =>
    rowOf(there, await uploadCsv(there.app, there.owner.key, `amount,phone_number,recipient_name\n10000,${phone()},${name}\n`)),
  recipient: async (there, name) =>
    readOf(await byKey(there, '/v1/recipients', { name, phone_number: phone() }), (data) => data.name),
  refund: async (there, name) => {
    const { app, owner } = there
    const page = await app.page(owner, { amount: 5_000 })
    const { reference } = (await app.checkout(page.slug, { phone_number: phone() })).body.data
    await app.settled(reference)
    return readOf(await byKey(there, `/v1/payments/${reference}/refunds`, { reason: name }), ({ reason }) => reason)
  },
  registration: async ({ app }, name) =>
    readOf(
      await app.call('POST', '/v1/auth/register', { body: registration({ full_name: name }) }),
      ({ user }) => user.full_name,
    ),
  'business form': async ({ app }, name) => {
    const { token } = await app.student()
    const body = { ...businessFacts, legal_name: name }
    return readOf(await app.call('POST', '/v1/businesses', { token, body }), ({ legal_name }) => legal_name)
  },
  app: async ({ app, owner }, name) =>
    readOf(
      await app.call('POST', '/developers/apps', { token: owner.token, body: { name, environment: 'test' } }),
      (data) => data.name,
    ),
  key: async ({ app, owner }, name) => {
    const { appId } = await app.key(owner)
    const body = { app_id: appId, key_name: name, scopes: ['payments:read'] }
    return readOf(await app.call('POST', '/developers/keys', { token: owner.token, body }), (data) => data.key_name ?? data.name)
  },
  'saved filter': async (there, name) =>
    readOf(
      await bySession(there, 'PUT', '/v1/merchant/saved-filters/payments', { name, filter: { status: 'failed' } }),
      (data) => data.name,
    ),
}

const unseen = ['\u3164', '\u115f', '\uffa0', `a${'\u0301'.repeat(119)}`]

atDoors(
  import.meta,
  'a name of nothing that can be seen is refused, and one without its hidden marks is kept [R03]',
  doors,
  async (send) => {
    const there = await shop()
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a failure names its text
    for (const name of unseen) assert.equal(await send(there, name), null, JSON.stringify(name))
    assert.equal(await send(there, 'Asha \u202eMwinyi'), 'Asha Mwinyi')
  },
)
