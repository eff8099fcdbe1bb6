/** HTTP of a merchant's customers. People only: a key sees the payments. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { partOfPhone, readPhone } from '../../domain/phone.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { maxSearchedPayments } from '../payments/list-payments.ts'
import { ownerPaymentSchema, ownerPaymentToJson } from '../payments/owner-payment.ts'
import { listOwnerPayments } from '../payments/owner-payment.sql.ts'
import { payerSchema, revealPayer, type RevealDeps } from '../payments/reveal-payer.ts'
import { dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { answerPage, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { searchWords } from '../../platform/http/text.ts'
import { fromWire } from '../../platform/ids.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { countForReader } from './count-customers.ts'
import { customerSchema, customerToJson, type Customer } from './customer.ts'
import { findCustomer, listCustomers, walletOf, type CustomerFilter } from './customer.sql.ts'

export type CustomerRouteDeps = OwnerAuthDeps & RevealDeps & { cursors: Cursors }

/** How many customers one answer searches for those that contain a text. */
const maxSearchedCustomers = 20_000

function filterOf(typed: string | undefined): CustomerFilter {
  if (typed === undefined) return {}
  const phone = readPhone(typed)
  if (phone.kind !== 'invalid') return { phoneNumber: phone.e164 }
  const digits = partOfPhone(typed)
  return { text: { name: typed, digits: digits === null ? [] : [digits] } }
}

export async function customerRoutes(http: Http, deps: CustomerRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)

  ownerRoute(http, deps, auth, {
    route: 'GET /customers',
    permission: 'customers.read',
    operationId: 'listMerchantCustomers',
    summary: 'List customers',
    description: `Everyone who has paid this wallet, by phone number, those who paid last first. \`created_from\` and \`created_to\` select by the last payment. The search with \`q\` covers at most ${maxSearchedCustomers.toLocaleString('en')} customers for one answer: it may contain fewer than \`limit\`, even none, while \`has_more\` is true; continue with its cursor.`,
    query: z.strictObject({
      ...listQuery,
      ...auth.query,
      q: searchWords.optional().meta({ description: 'Part of the name, the whole number, or three digits of it.' }),
    }),
    answers: {
      200: listOf(customerSchema).extend({
        counting: z.boolean().meta({
          description:
            'Earlier payments are still being counted: customers may be missing, and totals too low. Read again in some seconds.',
        }),
      }),
    },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const scope = `customers ${owner.merchant.id} ${owner.environment}`
      const range = { ...rangeOf(deps.cursors, scope, request.query), among: maxSearchedCustomers }
      const counting = await countForReader(deps, walletOf(owner))
      const { customers, hasMore, last } = await listCustomers(deps.db, owner, filterOf(request.query.q), range)
      const nextCursor = hasMore && last ? deps.cursors.encode(scope, [last.lastPaidAt.toISOString(), last.id]) : null
      return { ...answerPage({ items: customers, hasMore, nextCursor }, customerToJson), counting }
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'GET /customers/:id',
    permission: 'customers.read',
    operationId: 'getMerchantCustomer',
    summary: 'Get a customer',
    answers: { 200: dataOf(customerSchema) },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      await countForReader(deps, walletOf(owner))
      return { data: customerToJson(await customerOf(deps, owner, request.params.id)) }
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'GET /customers/:id/payments',
    permission: 'customers.read',
    operationId: 'listMerchantCustomerPayments',
    summary: 'List payments of a customer',
    description: 'The payments of this phone in every status, newest first.',
    query: z.strictObject({ ...listQuery, ...auth.query }),
    answers: { 200: listOf(ownerPaymentSchema) },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const { id, phoneNumber } = await customerOf(deps, owner, request.params.id)
      const scope = `customer ${owner.merchant.id} ${owner.environment} ${id}`
      const range = { ...rangeOf(deps.cursors, scope, request.query), among: maxSearchedPayments }
      const { payments, hasMore, last } = await listOwnerPayments(deps.db, owner, { phoneNumber }, range)
      const nextCursor = hasMore && last ? deps.cursors.encode(scope, [last.createdAt.toISOString(), last.id]) : null
      return answerPage({ items: payments, hasMore, nextCursor }, ownerPaymentToJson)
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'POST /customers/:id/payer',
    permission: 'payers.read',
    operationId: 'revealMerchantCustomer',
    summary: 'Show a customer’s number',
    description:
      'The whole phone number and the name of the customer. Requires a recent sign-in or step-up. Each call is in the audit log and in the activity of the business, with who made it. At most 30 an hour for each person, with those for payments.',
    answers: { 200: dataOf(payerSchema) },
    refuses: ['step_up_required'],
    handler: async (request, reply) => {
      const id = orNotFound(fromWire('cus', request.params.id))
      const payer = await revealPayer(deps, { auth, request, reply }, request.params.id, async (tx, owner) => {
        const customer = await findCustomer(tx, owner, id)
        return customer && { phoneNumber: customer.phoneNumber, name: customer.name, email: null }
      })
      return { data: payer }
    },
  })
}

/** Refuses with 404 an unknown customer. */
async function customerOf(deps: CustomerRouteDeps, owner: Owner, wireId: string): Promise<Customer> {
  const id = fromWire('cus', wireId)
  return orNotFound(id === undefined ? undefined : await findCustomer(deps.db, owner, id))
}
