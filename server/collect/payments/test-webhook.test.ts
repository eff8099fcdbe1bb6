import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { eventually, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'

async function receiver(t: TestContext): Promise<{ url: string; events: any[] }> {
  const events: any[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      events.push(JSON.parse(body))
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, events }
}

async function appWithWebhook(app: TestApp, { token }: Student, url: string, environment = 'test'): Promise<string> {
  const shopApp = await app.call('POST', '/developers/apps', { token, body: { name: 'Shop', environment } })
  await app.call('POST', `/developers/apps/${shopApp.body.data.id}/webhook`, { token, body: { url } })
  return shopApp.body.data.id
}

const tryOut = (app: TestApp, { token }: Student, appId: string, body?: unknown): Promise<Answer> =>
  app.call('POST', `/developers/apps/${appId}/webhook/test`, { token, body })

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

test('a test sends the real event of a simulated payment, and the list of deliveries shows which test it was for', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const here = await receiver(t)
  const appId = await appWithWebhook(app, student, here.url)
  const answers = await Promise.all([tryOut(app, student, appId), tryOut(app, student, appId, {})])
  assert.deepEqual(answers.map(short), ['200', '200'])
  const { reference, event_type } = answers[0]!.body.data
  assert.equal(event_type, 'payment.completed')
  await eventually('both events arrive', () => here.events.length === 2)
  const event = here.events.find(({ data }) => data.reference === reference)
  assert.deepEqual([event.type, event.data.amount], ['payment.completed', 1000])
  const deliveries = await eventually('the attempts are on record', async () => {
    const { body } = await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token: student.token })
    return body.data.length === 2 && body.data
  })
  assert.deepEqual(
    deliveries.map(({ trigger, max_attempts, outcome }: Record<string, unknown>) => [trigger, max_attempts, outcome]),
    [
      ['test', 5, 'succeeded'],
      ['test', 5, 'succeeded'],
    ],
  )
  // The money is real test money, of one page.
  const { body } = await app.call('GET', '/v1/merchant/balance?environment=test', { token: student.token })
  assert.equal(body.data.available, 2000)
  const pages = await app.call('GET', '/v1/merchant/payment-pages?environment=test', { token: student.token })
  assert.deepEqual(
    pages.body.data.map(({ title, paid_count }: Record<string, unknown>) => [title, paid_count]),
    [
      ['Webhook test', 2],
      ['Malipo ya majaribio / Test payment', 0],
    ],
  )
  // A test leaves nothing in the figures, and a payment that was not started by one does not count as one.
  const figures = async () => {
    const [{ data }, patterns] = await Promise.all(
      ['summary', 'patterns'].map(async (view) => {
        return (await app.call('GET', `/v1/merchant/${view}?environment=test`, { token: student.token })).body
      }),
    )
    const { volume, count, success_rate } = data.period
    return [volume, count, success_rate, data.by_page.length, data.by_network.length, patterns.data.hours.length]
  }
  assert.deepEqual(await figures(), [0, 0, null, 0, 0, 0])
  const page = await app.page(student)
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  assert.deepEqual(await figures(), [1500, 1, 1, 1, 1, 1])
  await eventually('its attempt is on record', async () => {
    const list = await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token: student.token })
    return list.body.data.length === 3 && list.body.data[0].trigger === 'automatic'
  })

  await app.call('PATCH', `/v1/merchant/payment-pages/${pages.body.data[0].id}?environment=test`, {
    token: student.token,
    body: { active: false },
  })
  assert.equal(short(await tryOut(app, student, appId)), '409 page_inactive')
})

test('a webhook is tested before any verification, with a genuine event', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const newcomer = await app.student({ verified: false })
  const here = await receiver(t)
  const own = await appWithWebhook(app, newcomer, here.url)
  const { status, body } = await tryOut(app, newcomer, own)
  assert.equal(status, 200)
  await eventually('the event arrives', () => here.events.some(({ data }) => data.reference === body.data.reference))
})

test('a live app never receives a test event; a missing webhook and other callers are refused [W32]', async (t) => {
  const app = await startTestApp(t)
  const [student, stranger] = [await app.student(), await app.student()]
  const here = await receiver(t)
  const live = await appWithWebhook(app, student, here.url, 'live')
  assert.equal(short(await tryOut(app, student, live)), '403 test_environment_only')
  const { appId } = await app.key(student)
  assert.equal(short(await tryOut(app, student, appId)), '409 invalid_state')
  const own = await appWithWebhook(app, student, here.url)
  assert.equal(short(await tryOut(app, stranger, own, { nonsense: true })), '404 not_found')
  assert.equal(short(await tryOut(app, student, own, { nonsense: true })), '400 validation_error')
  assert.equal(short(await tryOut(app, student, live, { nonsense: true })), '403 test_environment_only')
  assert.equal((await app.truth()).charges.length, 0)
  assert.equal((await app.owner.pool.query('select from payments')).rows.length, 0)
})

test('a test pays the amount of its page, up to the limit of tests', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'webhook-test=3/3600' } })
  const student = await app.student()
  const own = await appWithWebhook(app, student, (await receiver(t)).url)
  const amountOf = async () => (await tryOut(app, student, own)).body.data.amount
  assert.equal(await amountOf(), 1000)
  const { body } = await app.call('GET', '/v1/merchant/payment-pages?environment=test', { token: student.token })
  const change = (fields: Record<string, unknown>) =>
    app.call('PATCH', `/v1/merchant/payment-pages/${body.data[0].id}?environment=test`, { token: student.token, body: fields })
  await change({ allow_custom_amount: true, amount: null, max_amount: 600 })
  assert.equal(await amountOf(), 600)
  await change({ min_amount: 5000, max_amount: null })
  assert.equal(await amountOf(), 5000)
  assert.equal(short(await tryOut(app, student, own)), '429 rate_limited')
})

test('no test runs where the provider of the test environment prompts real phones', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live' } })
  const student = await app.student()
  const here = await receiver(t)
  const appId = await appWithWebhook(app, student, here.url)
  assert.equal(short(await tryOut(app, student, appId)), '403 test_environment_only')
  assert.equal((await app.truth()).charges.length, 0)
})
