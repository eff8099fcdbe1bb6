/** Names searched as people type them: without accents, with another apostrophe, in composed and decomposed letters. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ask } from '../fixtures/payouts.ts'
import { registerBusiness } from '../onboarding.ts'
import { atDoors } from './at-doors.ts'
import { byKey, bySession, freshNumber, registration, shareShop, type Shop } from './doors.ts'

const shop = shareShop()
const stored = 'Ng’ombe Zoë'
const typed = ["ng'ombe", 'Ngombe', 'NGʼOMBE', 'ng\u2018ombe zoe', 'Ng’ombe Zoe\u0308']

/** Puts the name there, and gives the path of the search and its caller. */
type Door = (shop: Shop) => Promise<(q: string) => Promise<{ status: number; body: any }>>

const find = (there: Shop, path: string) => (q: string) => bySession(there, 'GET', `${path}?q=${encodeURIComponent(q)}`)

async function pay({ app, slug }: Shop): Promise<void> {
  const fields = { customer_name: stored, phone_number: `+255${freshNumber()}`, idempotency_key: randomUUID() }
  const { status, body } = await app.checkout(slug, fields)
  assert.equal(status, 201, JSON.stringify(body))
  await app.settled(body.data.reference)
}

const inConsole = async ({ app }: Shop, path: string) => {
  const { token } = await app.admin()
  return (q: string) => app.call('GET', `${path}?q=${encodeURIComponent(q)}`, { token })
}

const doors: Record<string, Door> = {
  payments: async (there) => {
    await pay(there)
    return find(there, '/v1/merchant/payments')
  },
  payouts: async (there) => {
    const made = await ask(there.app, there.owner.key, { amount: 5_000, recipient_name: stored })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return find(there, '/v1/merchant/payouts')
  },
  customers: async (there) => {
    await pay(there)
    return find(there, '/v1/merchant/customers')
  },
  recipients: async (there) => {
    const made = await byKey(there, '/v1/recipients', { name: stored, phone_number: `+255${freshNumber()}` })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return find(there, '/v1/merchant/recipients')
  },
  wallet: async (there) => {
    await there.app.page(there.owner, { title: stored })
    return find(there, '/v1/merchant/search')
  },
  console: async (there) => {
    const made = await there.app.call('POST', '/v1/auth/register', { body: registration({ full_name: stored }) })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { token } = await there.app.admin()
    return (q) => there.app.call('POST', '/v1/admin/search', { token, body: { q } })
  },
  'review of people': async (there) => {
    const made = await there.app.call('POST', '/v1/auth/register', { body: registration({ full_name: stored }) })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return inConsole(there, '/v1/admin/kyc')
  },
  'review of businesses': async (there) => {
    await registerBusiness(there.app, await there.app.student(), { legal_name: stored })
    return inConsole(there, '/v1/admin/businesses')
  },
}

atDoors(import.meta, 'a name is found however its apostrophe and accents are typed [R04]', doors, async (put) => {
  const search = await put(await shop())
  /* oxlint-disable no-await-in-loop -- one after the other, so that a failure names its text */
  for (const q of typed) {
    const { status, body } = await search(q)
    assert.equal(status, 200, JSON.stringify(body))
    assert.ok(body.data.length > 0, q)
  }
  assert.equal((await search('Ngombwe')).body.data.length, 0)
})
