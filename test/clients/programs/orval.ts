/** The calls of an integrator with orval; its zod schemas check what is sent and what arrives. */
import { createPayment, getPayment, listPayments } from './generated/api.js'
import { CreatePaymentBody, CreatePaymentResponse, GetPaymentResponse, ListPaymentsResponse } from './generated/zod.js'

const order = process.env['ORDER']!
const withKey = { headers: { 'X-API-Key': process.env['API_KEY']! } }

const create = (amount: number) =>
  createPayment(
    CreatePaymentBody.parse({
      amount,
      phone_number: '+255754123789',
      description: 'Order 1001',
      merchant_reference: order,
      metadata: { cart: order },
    }),
    { headers: { ...withKey.headers, 'Idempotency-Key': order } },
  )

const created = await create(5000)
if (created.status !== 201) throw new Error(`status ${created.status}`)
const { reference } = CreatePaymentResponse.parse(created.data).data
const read = GetPaymentResponse.parse((await getPayment(reference, withKey)).data)
const listed = ListPaymentsResponse.parse((await listPayments({ merchant_reference: order, limit: 5 }, withKey)).data)
const refused = await create(6000)
if (refused.status !== 422) throw new Error(`status ${refused.status}`)
const codes = { created: reference, read: read.data.reference, listed: listed.data.map((payment) => payment.reference) }
process.stdout.write(JSON.stringify({ ...codes, refused: refused.data.error.code }))
