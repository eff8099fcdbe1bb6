/**
 * `/clickpesa/third-parties`: a second provider over the same phones, numbers, storm and truth. Invariant: one order reference of
 * an account makes at most one charge and one payout, whatever happens to the answers.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Admission } from './admission.ts'
import type { Books } from './books.sql.ts'
import { struckOf, type Charges } from './charges.ts'
import { readCollection, readDisbursement, readListing, readProven } from './clickpesa-orders.ts'
import type { ClickPesaTokens } from './clickpesa-tokens.ts'
import {
  channelOf,
  createdPayment,
  listedPayment,
  listedPayout,
  payoutProviderOf,
  payoutStatus,
  queriedPayment,
  shownPayout,
  walletName,
} from './clickpesa-wire.ts'
import type { ClickPesaAccount, SimulatorConfig } from './config.ts'
import type { Attempted, CreateFaults } from './create-faults.ts'
import { collectionFee, payoutFee } from './fees.ts'
import { payoutScenarioOf, type Payouts } from './payouts.ts'
import { networkOf, suffixOf } from './phones.ts'
import { chargeScenarios } from './scenarios.ts'
import { drifted } from './drift.ts'
import { cut, send } from './serve.ts'
import type { Storm } from './storm.ts'
import type { Switches } from './switches.ts'
import { ConnectionCut, ProviderRefusal, refusalStatus, Spoiled, type Answer } from './wire.ts'

type Deps = {
  admission: Admission
  books: Books
  charges: Charges
  config: SimulatorConfig
  createFaults: CreateFaults
  payouts: Payouts
  storm: Storm
  switches: Switches
  tokens: ClickPesaTokens
  now: () => number
  /** Every create waits for this once it is in the books. */
  beforeAnswer: () => Promise<void>
}

type Call = { account: ClickPesaAccount; body: Buffer; query: URLSearchParams; orderReference: string }

const base = '/clickpesa/third-parties'

const answerOf = (document: unknown): Answer => ({ status: 200, body: JSON.stringify(document) })

export function clickPesaRoutes(app: FastifyInstance, deps: Deps): void {
  const { books, charges, config, createFaults, payouts, storm, switches, tokens } = deps
  const clientId = (account: ClickPesaAccount): string => config.clickPesa[account].clientId
  const proven = ({ account, body }: Call): Record<string, unknown> =>
    readProven(body, config.clickPesa[account].checksumKey, switches.clickPesaChecksum)
  const webhookUrl = (account: ClickPesaAccount): string | null => switches.clickPesaWebhookUrls[account]

  app.post(`${base}/generate-token`, async (request, reply) => {
    try {
      const named = (name: string): string | undefined => [request.headers[name]].flat()[0]
      return await send(reply, answerOf({ success: true, token: tokens.give(named('client-id'), named('api-key')) }))
    } catch (error) {
      return await send(reply, refusedAnswer(error, switches))
    }
  })

  const serve = createServe(deps)

  app.post(
    `${base}/payments/preview-ussd-push-request`,
    serve((call) => {
      const fields = proven(call)
      // A preview may omit the phone; any number replaces it.
      const order = readCollection({ ...fields, phoneNumber: fields.phoneNumber ?? '255712345678' }, null)
      const channel = channelOf(networkOf(order.phone))
      const sender = { accountName: walletName, accountNumber: order.phone, accountProvider: channel }
      return answerOf({
        activeMethods: [{ name: channel, status: 'AVAILABLE', fee: collectionFee(order.amount) }],
        ...(fields.fetchSenderDetails === true ? { sender } : {}),
      })
    }),
  )

  app.post(
    `${base}/payments/initiate-ussd-push-request`,
    serve(async (call) => {
      const { account } = call
      const order = readCollection(proven(call), webhookUrl(account))
      const { orderReference } = order
      const fault = chargeScenarios[suffixOf(order.phone)]?.create ?? null
      const attempted = attempt(books, account, 'clickpesa payments', orderReference, fault)
      await createFaults.admit(attempted)
      const before = books.charges.ofOrder(account, orderReference)
      if (before) {
        charges.countCreateCall(before.reference)
        throw new ProviderRefusal('conflict', `Order reference ${orderReference} already used`)
      }
      const charge = books.tx(() => charges.open(account, order, orderReference))
      await charges.playBeforeAnswer(charge.reference)
      await deps.beforeAnswer()
      const struck = struckOf(charge)
      return await createFaults.deliver(answerOf(createdPayment(charge, clientId(account))), { ...attempted, struck }, false)
    }),
  )

  app.get(
    `${base}/payments/all`,
    serve(({ account, query }) => {
      const { skip, limit } = readListing(query)
      storm.spoilRead('listFails', { account, key: `payments ${limit} ${skip}`, reference: null })
      const data = books.charges.of(account, limit, skip).map((charge) => listedPayment(charge, switches))
      return answerOf({ data, totalCount: books.charges.count(account) })
    }),
  )

  app.get(
    `${base}/payments/:orderReference`,
    serve(({ account, orderReference }) => {
      const charge = books.charges.ofOrder(account, orderReference)
      if (!charge || deps.now() < charge.createdAt + switches.readLagMs) throw unknownOrder(orderReference)
      storm.spoilRead('getFails', struckOf(charge))
      return answerOf([queriedPayment(charge, clientId(account), switches)])
    }),
  )

  app.post(
    `${base}/payouts/preview-mobile-money-payout`,
    serve((call) => {
      const order = readDisbursement(proven(call), null)
      const { balance } = books.account(call.account)
      const total = order.amount + payoutFee()
      if (balance < total) throw new ProviderRefusal('insufficientBalance', 'Insufficient balance')
      return answerOf({
        amount: total,
        balance,
        channelProvider: payoutProviderOf(networkOf(order.phone)),
        fee: payoutFee(),
        order: { amount: order.amount, currency: 'TZS', id: order.orderReference },
        payoutFeeBearer: 'merchant',
        receiver: { accountName: walletName, accountNumber: order.phone, accountCurrency: 'TZS', amount: order.amount },
      })
    }),
  )

  app.post(
    `${base}/payouts/create-mobile-money-payout`,
    serve(async (call) => {
      const { account } = call
      const order = readDisbursement(proven(call), webhookUrl(account))
      const { orderReference } = order
      const attempted = attempt(books, account, 'clickpesa payouts', orderReference, payoutScenarioOf(order.phone).create)
      await createFaults.admit(attempted)
      const before = books.payouts.ofOrder(account, orderReference)
      if (before) {
        payouts.countCreateCall(before.reference)
        throw new ProviderRefusal('conflict', `Order reference ${orderReference} already used`)
      }
      const payout = books.tx(() => payouts.send(account, order, orderReference))
      await deps.beforeAnswer()
      const answer = answerOf(shownPayout(payout, clientId(account), 'AUTHORIZED'))
      return await createFaults.deliver(answer, { ...attempted, struck: struckOf(payout) }, false)
    }),
  )

  app.get(
    `${base}/payouts/all`,
    serve(({ account, query }) => {
      const { skip, limit } = readListing(query)
      storm.spoilRead('listFails', { account, key: `payouts ${limit} ${skip}`, reference: null })
      return answerOf({
        data: books.payouts.of(account, limit, skip).map(listedPayout),
        totalCount: books.payouts.count(account),
      })
    }),
  )

  app.get(
    `${base}/payouts/:orderReference`,
    serve(({ account, orderReference }) => {
      const payout = books.payouts.ofOrder(account, orderReference)
      if (!payout || deps.now() < payout.createdAt + switches.readLagMs) throw unknownOrder(orderReference)
      storm.spoilRead('getFails', struckOf(payout))
      return answerOf([shownPayout(payout, clientId(account), payoutStatus(payout.status))])
    }),
  )

  // Our interpretation of the page's example: one item for each currency.
  app.get(
    `${base}/account/balance`,
    serve(({ account }) => answerOf([{ currency: 'TZS', balance: books.account(account).balance }])),
  )
}

const unknownOrder = (orderReference: string): ProviderRefusal =>
  new ProviderRefusal('notFound', `No record with order reference ${orderReference}`)

function attempt(
  books: Books,
  account: ClickPesaAccount,
  route: string,
  orderReference: string,
  fault: Attempted['fault'],
): Attempted {
  const call = books.countCall(account, route, orderReference)
  return { struck: { account, key: orderReference, reference: null }, fault, call }
}

/**
 * Token and rate limit come before the route; an error thrown by the route is sent as `{"message"}`, the one form of error that the
 * pages show.
 */
function createServe(deps: Deps): (route: (call: Call) => Answer | Promise<Answer>) => RouteHandlerMethod {
  return (route) => async (request, reply) => {
    try {
      const account = deps.tokens.account(request.headers.authorization)
      const { allowed, headers } = deps.admission.count(account)
      void reply.headers(headers)
      if (!allowed) throw new ProviderRefusal('rateLimit', 'Too many requests')
      const answer = await route(readCall(account, request))
      return await send(reply, { ...answer, body: drifted(answer.body, deps.switches.drift) })
    } catch (error) {
      return await refuse(reply, error, deps.switches)
    }
  }
}

function readCall(account: ClickPesaAccount, request: FastifyRequest): Call {
  const { orderReference = '' } = request.params as { orderReference?: string }
  const query = new URLSearchParams(request.url.split('?')[1])
  return { account, orderReference, query, body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0) }
}

async function refuse(reply: FastifyReply, error: unknown, switches: Switches): Promise<FastifyReply> {
  if (error instanceof ConnectionCut) return cut(reply)
  return await send(reply, error instanceof Spoiled ? error.answer : refusedAnswer(error, switches))
}

function refusedAnswer(error: unknown, switches: Switches): Answer {
  if (!(error instanceof ProviderRefusal)) throw error
  // A balance that is too small is an ordinary refusal here, not the other provider's 500: our interpretation.
  const status = error.kind === 'insufficientBalance' ? 400 : refusalStatus(error, switches)
  return { status, body: JSON.stringify({ message: error.message }) }
}
