/** Phone numbers as they are pasted from contacts, chats and spreadsheets, at every door where one enters. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { maskPhone } from '../../server/domain/phone.ts'
import { itemsOf, uploadCsv, uploadItems } from '../fixtures/batches.ts'
import { ask } from '../fixtures/payouts.ts'
import { postForm } from '../fixtures/support.ts'
import { businessFacts } from '../onboarding.ts'
import { atDoors } from './at-doors.ts'
import { byKey, bySession, freshNumber, readOf, registration, shareShop, type Shop } from './doors.ts'
import type { Answer, TestApp } from '../app.ts'

const shop = shareShop()
const root = join(import.meta.dirname, '../..')

/** Ways to write a number of nine digits. */
const forms: ((digits: string) => string)[] = [
  (digits) => `\u202a+255 ${digits}\u202c`,
  (digits) => `+255\u2011${digits.slice(0, 3)}\u2011${digits.slice(3)}`,
  (digits) => `0${digits.slice(0, 3)}\u2013${digits.slice(3)}`,
  (digits) => `+255 (0) ${digits}`,
  (digits) => `\u200e0${digits.slice(0, 3)}\u00a0${digits.slice(3, 6)}\u00a0${digits.slice(6)}\ufeff`,
]
const noPhones: ((digits: string) => string)[] = [(digits) => `0.${digits}`, (digits) => `-${digits}`]

/** Sends what was typed, and gives the number as the service shows it; null: it was refused, or found nothing. `plain` is E.164. */
type Door = (shop: Shop, typed: string, plain: string) => Promise<string | null>

/** The caller's payment of this number. */
async function pay({ app, slug }: Shop, phone: string): Promise<string> {
  const { status, body } = await app.checkout(slug, { phone_number: phone, idempotency_key: randomUUID() })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.reference
}

/** A list in which the number is, searched for what was typed. */
const search =
  (path: string, put: (shop: Shop, plain: string) => Promise<unknown>): Door =>
  async (there, typed, plain) => {
    await put(there, plain)
    const { status, body } = await bySession(there, 'GET', `${path}?q=${encodeURIComponent(typed)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.length > 0 ? plain : null
  }

const console_ =
  (find: (app: TestApp, token: string, typed: string) => Promise<Answer>): Door =>
  async ({ app }, typed, plain) => {
    const made = await app.call('POST', '/v1/auth/register', { body: registration({ phone_number: plain }) })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { token } = await app.admin()
    const { status, body } = await find(app, token, typed)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.length > 0 ? plain : null
  }

const payOut = ({ app, owner }: Shop, phone: string) => ask(app, owner.key, { amount: 5_000, phone_number: phone })

/** A row of a draft. */
async function rowOf({ app, owner }: Shop, made: { status: number; body: any }): Promise<string | null> {
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return (await itemsOf(app, owner.key, made.body.data.id))[0].phone_number
}

const row = { amount: 10_000, recipient_name: 'Asha' }

const doors: Record<string, Door> = {
  checkout: async ({ app, slug }, typed, plain) =>
    readOf(await app.checkout(slug, { phone_number: typed, idempotency_key: randomUUID() }), () => plain),
  'checkout form': async ({ app, slug }, typed, plain) => {
    const fields = {
      customer_name: 'Asha',
      customer_email: 'a@example.com',
      idempotency_key: randomUUID(),
      lang: 'en',
      amount: '500',
    }
    const { status, location } = await postForm(app, `/pay/${slug}`, { ...fields, phone_number: typed })
    assert.equal(status, location === undefined ? 422 : 303)
    return location === undefined ? null : plain
  },
  payment: async (there, typed) =>
    readOf(
      await byKey(there, '/v1/payments', { amount: 500, phone_number: typed, description: 'Mandazi' }),
      ({ phone_masked }) => phone_masked,
    ),
  link: async (there, typed) =>
    readOf(
      await byKey(there, '/v1/payment-requests', { amount: 500, title: 'Mandazi', customer: { phone_number: typed } }),
      ({ customer }) => customer.phone_number,
    ),
  payout: async (there, typed) => readOf(await payOut(there, typed), ({ phone_number }) => phone_number),
  'batch row': async (there, typed) =>
    rowOf(there, await uploadItems(there.app, there.owner.key, [{ ...row, phone_number: typed }])),
  'batch file': async (there, typed) =>
    rowOf(there, await uploadCsv(there.app, there.owner.key, `amount,phone_number,recipient_name\n10000,${typed},Asha\n`)),
  'batch correction': async (there, typed) => {
    const { app, owner } = there
    const made = await uploadItems(app, owner.key, [{ ...row, phone_number: 'sijui' }])
    const path = `/v1/payout-batches/${made.body.data.id}/items/1`
    const corrected = await app.call('PATCH', path, { key: owner.key, body: { phone_number: typed } })
    assert.equal(corrected.status, 200, JSON.stringify(corrected.body))
    return rowOf(there, made)
  },
  recipient: async (there, typed) =>
    readOf(await byKey(there, '/v1/recipients', { name: 'Asha', phone_number: typed }), ({ phone_number }) => phone_number),
  registration: async ({ app }, typed) =>
    readOf(
      await app.call('POST', '/v1/auth/register', { body: registration({ phone_number: typed }) }),
      ({ user }) => user.phone_number,
    ),
  'sign-in': async ({ app }, typed, plain) => {
    const person = registration({ phone_number: plain })
    assert.equal((await app.call('POST', '/v1/auth/register', { body: person })).status, 201)
    const body = { identifier: typed, password: person.password }
    return (await app.call('POST', '/v1/auth/login', { body })).status === 200 ? plain : null
  },
  'change of number': async ({ app }, typed) => {
    const { token } = await app.student()
    const changed = await app.call('POST', '/v1/auth/contact/change', { token, body: { phone_number: typed } })
    return readOf(changed, ({ contact_change }) => contact_change.phone_number)
  },
  'business form': async ({ app }, typed) => {
    const { token } = await app.student()
    return readOf(
      await app.call('POST', '/v1/businesses', { token, body: { ...businessFacts, phone: typed } }),
      ({ phone }) => phone,
    )
  },
  'support contact': async (there, typed) => {
    const contact = { phone: typed, email: null, whatsapp: typed }
    return readOf(await bySession(there, 'PUT', '/v1/merchant/support-contact', contact), ({ phone, whatsapp }) => {
      assert.equal(phone, whatsapp)
      return phone
    })
  },
  'report of a payer': async (there, typed) => {
    const reference = await pay(there, `+255${freshNumber()}`)
    const sent = await postForm(there.app, `/c/new/${reference}`, { lang: 'en', sms_number: 'S46121174212', phone: typed })
    if (sent.status === 422) return null
    const id = /case_[0-9a-z]{26}/.exec(sent.location!)![0]
    const { token } = await there.app.admin()
    const { body } = await there.app.call('GET', `/v1/admin/support-cases/${id}`, { token })
    return body.data.claim.phone
  },
  'search of payments': search('/v1/merchant/payments', pay),
  'search of payouts': search('/v1/merchant/payouts', payOut),
  'search of customers': search('/v1/merchant/customers', async (there, plain) => there.app.settled(await pay(there, plain))),
  'search of recipients': search('/v1/merchant/recipients', (there, plain) =>
    byKey(there, '/v1/recipients', { name: 'Asha', phone_number: plain }),
  ),
  'search of a wallet': search('/v1/merchant/search', pay),
  'console search': console_((app, token, q) => app.call('POST', '/v1/admin/search', { token, body: { q } })),
  'review search': console_((app, token, typed) => app.call('GET', `/v1/admin/kyc?q=${encodeURIComponent(typed)}`, { token })),
  'command line': async ({ app, owner }, typed) => {
    const args = ['payments', 'create', '--amount', '500', '--description', 'Mandazi', `--phone=${typed}`, '--json']
    const env = { PATH: process.env['PATH'], HOME: '/nowhere', MALIPO_API_KEY: owner.key, MALIPO_BASE_URL: app.config.urls.api }
    const run = promisify(execFile)(process.execPath, [join(root, 'scripts/malipo.ts'), ...args], { env })
    const ended = await run.catch((error: { stdout: string; stderr: string }) => error)
    if (ended.stdout !== '') return JSON.parse(ended.stdout).phone_masked
    assert.match(ended.stderr, /phone/)
    return null
  },
}

atDoors(import.meta, 'a pasted number is read, and one of another kind is not [R01, R02]', doors, async (send) => {
  const there = await shop()
  /* oxlint-disable no-await-in-loop -- one after the other, so that a failure names its form */
  for (const form of forms) {
    const digits = freshNumber()
    const plain = `+255${digits}`
    const got = await send(there, form(digits), plain)
    assert.ok(got === plain || got === maskPhone(plain), `${JSON.stringify(form(digits))}: ${got}`)
  }
  for (const form of noPhones) {
    const digits = freshNumber()
    assert.equal(await send(there, form(digits), `+255${digits}`), null, form(digits))
  }
})
