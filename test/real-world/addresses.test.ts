/** E-mail and web addresses as they are pasted, with marks that cannot be seen around them, at every door where one enters. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { postForm } from '../fixtures/support.ts'
import { businessFacts, registerBusiness } from '../onboarding.ts'
import { atDoors } from './at-doors.ts'
import { byKey, bySession, freshNumber, readOf, registration, shareShop, type Shop } from './doors.ts'

const shop = shareShop()

/** Sends an address as `paste` writes it; gives what was kept, and what should be. */
type Door = (shop: Shop, paste: (address: string) => string) => Promise<[kept: string | null, plain: string]>

const freshMail = (): string => `asha-${randomUUID()}@example.com`
const phone = (): string => `+255${freshNumber()}`

async function emailOf(there: Shop, reference: string): Promise<string> {
  const { body } = await bySession(there, 'GET', `/v1/merchant/payments/${reference}`)
  return body.data.customer.email
}

async function registered({ app }: Shop) {
  const person = registration({ email: freshMail() })
  const { status, body } = await app.call('POST', '/v1/auth/register', { body: person })
  assert.equal(status, 201, JSON.stringify(body))
  return { ...person, email: body.data.user.email as string }
}

const site = 'https://duka.example.com/asante?a=B'

const doors: Record<string, Door> = {
  'e-mail of a checkout': async (there, paste) => {
    const email = freshMail()
    const fields = { customer_email: paste(email), phone_number: phone(), idempotency_key: randomUUID() }
    const reference = readOf(await there.app.checkout(there.slug, fields), (data) => data.reference)
    return [reference && (await emailOf(there, reference)), email]
  },
  'e-mail of a checkout form': async (there, paste) => {
    const email = freshMail()
    const fields = { customer_name: 'Asha', idempotency_key: randomUUID(), lang: 'en', amount: '500', phone_number: phone() }
    const { location } = await postForm(there.app, `/pay/${there.slug}`, { ...fields, customer_email: paste(email) })
    return [location === undefined ? null : await emailOf(there, /pay_[0-9a-z]{26}/.exec(location)![0]), email]
  },
  'e-mail of a link': async (there, paste) => {
    const email = freshMail()
    const made = await byKey(there, '/v1/payment-requests', { amount: 500, title: 'Chai', customer: { email: paste(email) } })
    return [readOf(made, ({ customer }) => customer.email), email]
  },
  'e-mail of a registration': async ({ app }, paste) => {
    const email = freshMail()
    const made = await app.call('POST', '/v1/auth/register', { body: registration({ email: paste(email) }) })
    return [readOf(made, ({ user }) => user.email), email]
  },
  'sign-in by e-mail': async (there, paste) => {
    const { email, password } = await registered(there)
    const { status } = await there.app.call('POST', '/v1/auth/login', { body: { identifier: paste(email), password } })
    return [status === 200 ? email : null, email]
  },
  'e-mail of a reset': async (there, paste) => {
    const { email } = await registered(there)
    await there.app.call('POST', '/v1/auth/password/forgot', { body: { email: paste(email) } })
    const wrong = { email: paste(email), code: '000000', password: 'simba mla nyama pori' }
    const { body } = await there.app.call('POST', '/v1/auth/password/reset', { body: wrong })
    return [body.error.code === 'token_invalid' ? email : null, email]
  },
  'e-mail of an invitation': async ({ app }, paste) => {
    const owner = await app.student()
    const { id } = await registerBusiness(app, owner)
    const email = freshMail()
    const body = { email: paste(email), role: 'cashier' }
    const made = await app.call('POST', `/v1/businesses/${id}/members`, { token: owner.token, body })
    return [readOf(made, (data) => data.email), email]
  },
  'e-mail of support': async (there, paste) => {
    const email = freshMail()
    const contact = { phone: null, email: paste(email), whatsapp: null }
    return [readOf(await bySession(there, 'PUT', '/v1/merchant/support-contact', contact), (data) => data.email), email]
  },
  'e-mail of a report': async (there, paste) => {
    const email = freshMail()
    const made = await there.app.checkout(there.slug, { phone_number: phone(), idempotency_key: randomUUID() })
    const path = `/c/new/${made.body.data.reference}`
    const { status, text } = await postForm(there.app, path, { lang: 'en', sms_number: 'S46121174212', email: paste(email) })
    assert.equal(status, 303, text)
    const { rows } = await there.app.owner.pool.query('select email from support_cases order by created_at desc, id desc limit 1')
    return [rows[0].email, email]
  },
  'e-mail of a business': async ({ app }, paste) => {
    const { token } = await app.student()
    const email = freshMail()
    const made = await app.call('POST', '/v1/businesses', { token, body: { ...businessFacts, email: paste(email) } })
    return [readOf(made, (data) => data.email), email]
  },
  'website of a business': async ({ app }, paste) => {
    const { token } = await app.student()
    const made = await app.call('POST', '/v1/businesses', { token, body: { ...businessFacts, website: paste(site) } })
    return [readOf(made, ({ website }) => website), site]
  },
  'number of an identity card': async ({ app }, paste) => {
    const { token } = await app.student({ verified: false })
    const number = '20030517-12345-00001-23'
    // Without its documents nothing is submitted; the answer names the fields that were not read.
    const sent = { national_id_number: paste(number.replace('-', '\u2011')), date_of_birth: '2003-05-17' }
    const { status, body } = await app.call('POST', '/v1/kyc', { token, body: sent })
    assert.equal(status, 400, JSON.stringify(body))
    const wrong: string[] = body.error.errors.map(({ field }: { field: string }) => field)
    assert.ok(wrong.includes('selfie_url'))
    return [wrong.includes('national_id_number') ? null : number, number]
  },
  webhook: async ({ app, owner }, paste) => {
    const { appId } = await app.key(owner)
    const url = 'http://127.0.0.1:4000/Hook?a=B'
    const made = await app.call('POST', `/developers/apps/${appId}/webhook`, { token: owner.token, body: { url: paste(url) } })
    return [readOf(made, (data) => data.url), url]
  },
  'return from a page': async (there, paste) => {
    const body = { type: 'payment', title: 'Chai', amount: 1500, redirect_url: paste(site) }
    const made = await bySession(there, 'POST', '/v1/merchant/payment-pages', body)
    return [readOf(made, ({ redirect_url }) => redirect_url), site]
  },
  'host of returns': async (there, paste) => {
    const host = `duka-${freshNumber()}.example.com`
    const made = await bySession(there, 'POST', '/v1/merchant/redirect-hosts', { host: paste(host) })
    return [readOf(made, (data) => data.host), host]
  },
}

const pasted: ((address: string) => string)[] = [
  (address) => `\u202a${address}\u202c`,
  (address) => ` ${address}\ufeff`,
  (address) => `\u200b${address}\n`,
]

atDoors(import.meta, 'a pasted address is read without the marks around it [R01]', doors, async (send) => {
  const there = await shop()
  /* oxlint-disable no-await-in-loop -- one after the other, so that a failure names its form */
  for (const paste of pasted) {
    const [kept, plain] = await send(there, paste)
    assert.equal(kept, plain, JSON.stringify(paste('address')))
  }
})

test('two addresses that look alike stay two addresses', async () => {
  const { app } = await shop()
  const [one, other] = ['asha', '\uff41sha'].map((name) => `${name}-${freshNumber()}@example.com`)
  assert.notEqual(one, other)
  const { status } = await app.call('POST', '/v1/auth/register', { body: registration({ email: other }) })
  assert.equal(status, 400)
})
