/** The environment and the business of a request, in its query or its body. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerBusiness } from '../../../test/onboarding.ts'
import { isRefusal } from '../../../test/refusals.ts'
import { share, startTestApp } from '../../../test/app.ts'

const sharedApp = share((ending) => startTestApp(ending))

test('the environment of a signed-in request counts in its query or its body', async () => {
  const app = await sharedApp()
  const { token } = await app.student()
  const page = { type: 'payment', title: 'Chai', amount: 1500 }
  const create = (query: string, body: object) => app.call('POST', `/v1/merchant/payment-pages${query}`, { token, body })
  for (const [query, inBody, environment] of [
    ['?environment=test', {}, 'test'],
    ['', { environment: 'test' }, 'test'],
    ['?environment=test', { environment: 'test' }, 'test'],
    ['', {}, 'live'],
  ] as const) {
    const made = await create(query, { ...page, ...inBody })
    assert.deepEqual([made.status, made.body.data?.environment], [201, environment], `${query} ${JSON.stringify(inBody)}`)
  }
  const differing = await create('?environment=live', { ...page, environment: 'test' })
  isRefusal(differing, 400, 'validation_error')
  assert.equal(differing.body.error.param, 'environment')
  for (const wrong of ['prod', 5, null]) isRefusal(await create('', { ...page, environment: wrong }), 400, 'validation_error')
  for (const body of [[], 'test', null]) isRefusal(await create('', body as object), 400, 'validation_error')
})

test('the business of a request counts in its query or its body, and a business of another person is not found', async () => {
  const app = await sharedApp()
  const [owner, stranger] = [await app.student(), await app.student()]
  const { id } = await registerBusiness(app, owner)
  const shop = { name: 'Shop', environment: 'test' }
  const create = (query: string, body: object, token = owner.token) =>
    app.call('POST', `/developers/apps${query}`, { token, body: { ...shop, ...body } })
  for (const answer of [
    await create(`?business_id=${id}`, {}),
    await create('', { business_id: id }),
    await create(`?business_id=${id}`, { business_id: id }),
  ]) {
    assert.equal(answer.status, 201)
    assert.equal(answer.body.data.business_id, id)
  }
  isRefusal(await create('?business_id=biz_x', { business_id: id }), 400, 'validation_error')
  isRefusal(await create(`?business_id=${id}`, {}, stranger.token), 404, 'not_found')
  const page = { type: 'payment', title: 'Chai', amount: 1500 }
  const foreign = await app.call('POST', '/v1/merchant/payment-pages', {
    token: stranger.token,
    body: { ...page, business_id: id },
  })
  isRefusal(foreign, 404, 'not_found')
})

test('a key belongs to one environment: its requests have no such field', async () => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const body = { type: 'payment', title: 'Chai', amount: 1500, environment: 'live' }
  isRefusal(await app.call('POST', '/v1/payment-pages', { key, body }), 400, 'validation_error')
})
