/** The calls of an integrator with openapi-typescript and openapi-fetch. */
import createClient from 'openapi-fetch'
import type { paths } from './generated/schema.js'

const order = process.env['ORDER']!
const client = createClient<paths>({ baseUrl: process.env['BASE_URL']!, headers: { 'X-API-Key': process.env['API_KEY']! } })

const create = (amount: number) =>
  client.POST('/v1/payments', {
    params: { header: { 'idempotency-key': order } },
    body: {
      amount,
      phone_number: '+255754123789',
      description: 'Order 1001',
      merchant_reference: order,
      metadata: { cart: order },
    },
  })

const created = await create(5000)
if (!created.data) throw new Error(created.error.error.message)
const { reference } = created.data.data
const read = await client.GET('/v1/payments/{reference}', { params: { path: { reference } } })
const listed = await client.GET('/v1/payments', { params: { query: { merchant_reference: order, limit: 5 } } })
const refused = await create(6000)
const codes = {
  created: reference,
  read: read.data?.data.reference,
  listed: listed.data?.data.map((payment) => payment.reference),
}
process.stdout.write(JSON.stringify({ ...codes, refused: refused.error?.error.code }))
