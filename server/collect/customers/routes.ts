/** HTTP of a merchant's customers. People only: a key sees the payments. */
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps, type SignedInAuth } from '../../accounts/developers/owner-auth.ts'
import { readPhone } from '../../domain/phone.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { maxSearchedPayments } from '../payments/list-payments.ts'
import { ownerPaymentSchema, ownerPaymentToJson } from '../payments/owner-payment.ts'
import { listOwnerPayments } from '../payments/owner-payment.sql.ts'
import { payerSchema, revealPayer, type RevealDeps } from '../payments/reveal-payer.ts'
import { dataOf, errors, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { searchWords } from '../../platform/http/text.ts'
import { fromWire } from '../../platform/ids.ts'
import { notFound } from '../../platform/refusal.ts'
import { countForReader } from './count-customers.ts'
import { customerSchema, customerToJson, type Customer } from './customer.ts'
import { findCustomer, listCustomers, walletOf, type CustomerFilter } from './customer.sql.ts'

export type CustomerRouteDeps = OwnerAuthDeps & RevealDeps & { cursors: Cursors }

/** How many customers one answer searches for those that contain a text. */
const maxSearchedCustomers = 20_000

const byId = z.object({ id: z.string() })

function filterOf(typed: string | undefined): CustomerFilter {
  if (typed === undefined) return {}
  const phone = readPhone(typed)
  if (phone.kind !== 'invalid') return { phoneNumber: phone.e164 }
  // A dialled number starts with a zero that is not stored.
  const digits = typed.replace(/[\s().+-]/g, '').replace(/^0(?=\d{3})/, '')
  return { text: { name: typed, digits: /^\d{3,}$/.test(digits) ? [digits] : [] } }
}

export async function customerRoutes(http: Http, deps: CustomerRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)
  const described = auth.describe('Customers')
  const customersPath = `${auth.prefix}/customers`

  http.get(
    customersPath,
    {
      onRequest: auth.require('customers.read'),
      schema: {
        ...described,
        operationId: 'listMerchantCustomers',
        summary: 'List customers',
        description: `Everyone who has paid this wallet, by phone number, those who paid last first. \`created_from\` and \`created_to\` select by the last payment. The search with \`q\` covers at most ${maxSearchedCustomers.toLocaleString('en')} customers for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor.`,
        querystring: z.strictObject({
          ...listQuery,
          ...auth.query,
          q: searchWords.optional().meta({ description: 'Part of the name, the whole number, or three digits of it.' }),
        }),
        response: {
          200: listOf(customerSchema).extend({
            counting: z.boolean().meta({
              description:
                'Earlier payments are still being counted: customers may be missing, and totals too low. Read again in some seconds.',
            }),
          }),
          ...errors(400, 401, 403, 404, 503),
        },
      },
    },
    async (request) => {
      const owner = auth.ownerOf(request)
      const scope = `customers ${owner.merchant.id} ${owner.environment}`
      const range = { ...rangeOf(deps.cursors, scope, request.query), among: maxSearchedCustomers }
      const counting = await countForReader(deps, walletOf(owner))
      const { customers, hasMore, last } = await listCustomers(deps.db, owner, filterOf(request.query.q), range)
      const nextCursor = hasMore && last ? deps.cursors.encode(scope, [last.lastPaidAt.toISOString(), last.id]) : null
      return { ...answerPage({ items: customers, hasMore, nextCursor }, customerToJson), counting }
    },
  )

  http.get(
    `${customersPath}/:id`,
    {
      onRequest: auth.require('customers.read'),
      schema: {
        ...described,
        operationId: 'getMerchantCustomer',
        summary: 'Get a customer',
        params: byId,
        querystring: z.strictObject(auth.query),
        response: { 200: dataOf(customerSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
      const owner = auth.ownerOf(request)
      await countForReader(deps, walletOf(owner))
      return { data: customerToJson(await customerOf(deps, owner, request.params.id)) }
    },
  )

  customerPaymentsRoute(http, deps, auth)

  http.post(
    `${customersPath}/:id/payer`,
    {
      onRequest: auth.require('payers.read'),
      schema: {
        ...described,
        operationId: 'revealMerchantCustomer',
        summary: 'Show a customer’s number',
        description:
          'The whole phone number and the name of the customer. Requires a recent sign-in or step-up. Each call is in the audit log and in the activity of the business, with who made it. At most 30 an hour for each person, with those for payments.',
        params: byId,
        querystring: z.strictObject(auth.query),
        response: { 200: dataOf(payerSchema), ...errors(400, 401, 403, 404, 429, 503) },
      },
    },
    async (request, reply) => {
      const id = fromWire('cus', request.params.id)
      if (id === undefined) throw notFound()
      const payer = await revealPayer(deps, { auth, request, reply }, request.params.id, async (tx, owner) => {
        const customer = await findCustomer(tx, owner, id)
        return customer && { phoneNumber: customer.phoneNumber, name: customer.name, email: null }
      })
      return { data: payer }
    },
  )
}

/** Refuses with 404 an unknown customer. */
async function customerOf(deps: CustomerRouteDeps, owner: Owner, wireId: string): Promise<Customer> {
  const id = fromWire('cus', wireId)
  const customer = id === undefined ? undefined : await findCustomer(deps.db, owner, id)
  if (!customer) throw notFound()
  return customer
}

function customerPaymentsRoute(http: Http, deps: CustomerRouteDeps, auth: SignedInAuth): void {
  http.get(
    `${auth.prefix}/customers/:id/payments`,
    {
      onRequest: auth.require('customers.read'),
      schema: {
        ...auth.describe('Customers'),
        operationId: 'listMerchantCustomerPayments',
        summary: 'List payments of a customer',
        description: 'The payments of this phone in every status, newest first.',
        params: byId,
        querystring: z.strictObject({ ...listQuery, ...auth.query }),
        response: { 200: listOf(ownerPaymentSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => {
      const owner = auth.ownerOf(request)
      const { id, phoneNumber } = await customerOf(deps, owner, request.params.id)
      const scope = `customer ${owner.merchant.id} ${owner.environment} ${id}`
      const range = { ...rangeOf(deps.cursors, scope, request.query), among: maxSearchedPayments }
      const { payments, hasMore, last } = await listOwnerPayments(deps.db, owner, { phoneNumber }, range)
      const nextCursor = hasMore && last ? deps.cursors.encode(scope, [last.createdAt.toISOString(), last.id]) : null
      return answerPage({ items: payments, hasMore, nextCursor }, ownerPaymentToJson)
    },
  )
}
