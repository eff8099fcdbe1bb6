/** What payers read of a merchant that no reviewer has seen, or that operators have suspended: anyone can be sent the address of a test page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type Answer } from '../../../../test/app.ts'
import { verifyEmail } from '../../../../test/members.ts'
import { businessFacts, decideBusiness, submitBusiness, uploadFour } from '../../../../test/onboarding.ts'

const sharedApp = share((ending) => startTestApp(ending, { worker: true }))

const name = 'Benki ya Akiba ya Wote'
const phone = '+255754999888'

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

test('payers of a test page read no name and no contact of a merchant that no reviewer has seen', async () => {
  const app = await sharedApp()
  const owner = await app.student()
  const facts = { ...businessFacts, legal_name: name, trading_name: name }
  const registered = await app.call('POST', '/v1/businesses', { token: owner.token, body: facts })
  assert.equal(registered.status, 201, JSON.stringify(registered.body))
  const { id: businessId, sandbox } = registered.body.data
  const contact = await app.call('PUT', `/v1/merchant/support-contact?environment=test&business_id=${businessId}`, {
    token: owner.token,
    body: { phone, email: null, whatsapp: null },
  })
  assert.equal(contact.status, 200, JSON.stringify(contact.body))
  const { page_slug: slug, key } = sandbox
  const asked = await app.call('POST', '/v1/payment-requests', { key, body: { title: 'Chai', amount: 1_500 } })
  const requestSlug = asked.body.data.url.split('/pay/')[1]
  const pay = async (): Promise<string> => {
    const sent = await app.checkout(slug, { amount: 1_500 })
    assert.equal(sent.status, 201, JSON.stringify(sent.body))
    const { reference } = sent.body.data
    await app.settled(reference, ['completed'])
    return reference
  }
  const reference = await pay()

  const seen = async (of: string): Promise<Record<string, string>> => {
    const texts: Record<string, string> = {}
    for (const path of [`/pay/${slug}`, `/pay/${requestSlug}`, `/pay/${slug}/${of}`, `/r/${of}`, `/c/new/${of}`]) {
      for (const language of ['sw', 'en']) {
        const address = `${path}?lang=${language}`
        texts[address] = await (await fetch(`${app.config.urls.checkout}${address}`)).text()
      }
    }
    for (const path of [`/v1/pay/${slug}`, `/v1/pay/${requestSlug}`, `/v1/payments/${of}/status`]) {
      texts[path] = (await app.call('GET', path)).body.data.merchant_name
    }
    return texts
  }
  for (const [where, text] of Object.entries(await seen(reference))) {
    assert.ok(!text.includes(name), where)
    assert.ok(!text.includes('999 888') && !text.includes(phone), where)
    assert.match(text, where.endsWith('sw') ? /Mfanyabiashara wa majaribio/ : /Test merchant/, where)
  }

  await verifyEmail(app, owner.email)
  const submitted = await submitBusiness(app, owner, businessId, await uploadFour(app, owner, businessId))
  assert.equal(submitted.status, 200, JSON.stringify(submitted.body))
  assert.equal((await decideBusiness(app, await app.admin(), businessId, { status: 'verified' })).status, 200)
  for (const [where, text] of Object.entries(await seen(await pay()))) {
    assert.ok(text.includes(name), where)
    assert.doesNotMatch(text, /Mfanyabiashara wa majaribio|Test merchant/, where)
  }
})

test('a suspended merchant: its test pages and requests take no payments, and its servers go on in test', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const { key } = await app.key(student)
  const asked = await app.call('POST', '/v1/payment-requests', { key, body: { title: 'Chai', amount: 1_500 } })
  const suspended = await app.call('POST', `/v1/admin/merchants/${student.userId}/suspend`, {
    token: (await app.admin()).token,
    body: { reason: 'Complaints of payers.' },
  })
  assert.equal(suspended.status, 200, JSON.stringify(suspended.body))
  for (const slug of [page.slug, asked.body.data.url.split('/pay/')[1]]) {
    assert.equal(short(await app.checkout(slug)), '409 page_inactive')
    assert.equal((await app.call('GET', `/v1/pay/${slug}`)).body.data.state, 'inactive')
    assert.equal((await fetch(`${app.config.urls.checkout}/pay/${slug}`)).status, 409)
  }
  const body = { amount: 1_500, phone_number: '+255754123789', description: 'Chai' }
  const made = await app.call('POST', '/v1/payments', { key, headers: { 'idempotency-key': 'one' }, body })
  assert.equal(short(made), '201')
})
