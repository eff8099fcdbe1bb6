/** Requests as proxies and generated clients send them: a key twice, and names of properties that no column holds. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { postForm } from '../fixtures/support.ts'
import { atDoors } from './at-doors.ts'
import { byKey, freshNumber, shareShop, type Shop } from './doors.ts'

const shop = shareShop()

/** Sends a header as often as it has values, which `fetch` cannot. */
function sendTwice({ app, owner }: Shop, path: string, type: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type, 'x-api-key': owner.key, 'idempotency-key': ['K', 'K'] }
    const sent = request(`${app.config.urls.api}${path}`, { method: 'POST', headers }, (answer) => {
      let text = ''
      answer.on('data', (piece: Buffer) => (text += piece.toString()))
      answer.on('end', () => resolve({ status: answer.statusCode!, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const json = (path: string, body: (shop: Shop) => unknown) => async (there: Shop) =>
  sendTwice(there, path, 'application/json', JSON.stringify(body(there)))

const row = () => ({ amount: 10_000, phone_number: `+255${freshNumber()}`, recipient_name: 'Asha' })

const doublings = {
  payment: json('/v1/payments', () => ({ amount: 500, phone_number: `+255${freshNumber()}`, description: 'Chai' })),
  link: json('/v1/payment-requests', () => ({ amount: 500, title: 'Chai' })),
  payout: json('/v1/payouts', row),
  refund: async (there: Shop) => {
    const made = await there.app.checkout(there.slug, { phone_number: `+255${freshNumber()}` })
    const { reference } = made.body.data
    await there.app.settled(reference)
    return sendTwice(there, `/v1/payments/${reference}/refunds`, 'application/json', '{}')
  },
  'batch row': json('/v1/payout-batches', () => ({ items: [row()] })),
  'batch file': async (there: Shop) =>
    sendTwice(there, '/v1/payout-batches', 'text/csv', `amount,phone_number,recipient_name\n10000,0${freshNumber()},Asha\n`),
  recipient: json('/v1/recipients', () => ({ name: 'Asha', phone_number: `+255${freshNumber()}` })),
}

atDoors(import.meta, 'a key that came twice is refused by name, and nothing is made [R06]', doublings, async (send) => {
  const there = await shop()
  const count = async (): Promise<unknown> =>
    (
      await there.app.owner.pool.query(
        `select (select count(*) from payments) + (select count(*) from payouts) + (select count(*) from payout_batches)
         + (select count(*) from recipients) as made`,
      )
    ).rows[0].made
  const before = await count()
  const { status, text } = await send(there)
  assert.deepEqual([status, JSON.parse(text).error.code], [400, 'header_duplicated'])
  // A refund needs a payment first.
  assert.equal(Number(await count()) - Number(before), send === doublings.refund ? 1 : 0)
})

type Operation = { requestBody?: { content: Record<string, unknown> } }

const oddBody = '{"a\\u0000b":1}'

const bodies: Record<string, (there: Shop) => Promise<void>> = {
  'body of every operation': async ({ app, owner }) => {
    const admin = await app.admin()
    const { paths } = (await app.call('GET', '/openapi.json')).body as { paths: Record<string, Record<string, Operation>> }
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { requestBody }]) => requestBody?.content['application/json'])
        .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'x') })),
    )
    assert.ok(operations.length > 50)
    const callers = [{ key: owner.key }, { token: owner.token }, { token: admin.token }]
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    /* oxlint-disable no-await-in-loop -- one after the other, so that a failure names its operation */
    for (const { method, path } of operations) {
      const answers = await Promise.all(callers.map((caller) => app.call(method, path, { ...caller, headers, rawBody: oddBody })))
      const statuses = answers.map(({ status }) => status)
      assert.ok(
        statuses.every((status) => status >= 400 && status < 500) && statuses.includes(400),
        `${method} ${path}: ${statuses.join()}`,
      )
    }
  },
  'batch row': async (there) => {
    const { status, body } = await byKey(there, '/v1/payout-batches', undefined, {
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      key: there.owner.key,
      rawBody: `{"items":[${oddBody}]}`,
    })
    assert.equal(status, 400, JSON.stringify(body))
  },
  checkout: async ({ app, slug }) => {
    const fields = { phone_number: `0${freshNumber()}`, customer_name: 'Asha', customer_email: 'a@example.com', amount: '500' }
    const odd: Record<string, string>[] = [{ 'a\0b': '1' }, { customer_name: 'As\0ha' }]
    for (const more of odd) {
      const { status } = await postForm(app, `/pay/${slug}`, { ...fields, idempotency_key: randomUUID(), lang: 'en', ...more })
      assert.ok(status === 303 || status === 422 || status === 400, String(status))
    }
  },
}

atDoors(
  import.meta,
  'a name of a property with a character that no column holds is refused like a value [R16]',
  bodies,
  async (door) => door(await shop()),
)
