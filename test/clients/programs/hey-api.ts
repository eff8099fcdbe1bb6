/** The calls of an integrator with @hey-api/openapi-ts. */
import { client } from './generated/client.gen.js'
import { createPayment, getPayment, listPayments } from './generated/sdk.gen.js'

const order = process.env['ORDER']!
client.setConfig({ baseUrl: process.env['BASE_URL']!, auth: process.env['API_KEY']! })

const create = (amount: number) =>
  createPayment({
    headers: { 'idempotency-key': order },
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
const read = await getPayment({ path: { reference } })
const listed = await listPayments({ query: { merchant_reference: order, limit: 5 } })
const refused = await create(6000)
const codes = {
  created: reference,
  read: read.data?.data.reference,
  listed: listed.data?.data.map((payment) => payment.reference),
}
process.stdout.write(JSON.stringify({ ...codes, refused: refused.error?.error.code }))
