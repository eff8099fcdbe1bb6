/**
 * A payer's checkout: one payment per idempotency key, stored with its exact charge before the provider is called. Invariant: a request
 * that is sent again under the same key finds its payment and starts nothing.
 */
import type { PayerLanguage } from '../../domain/language.ts'
import type { PaymentStatus } from '../../domain/payment.ts'
import { closedStates, type ClosedState } from '../../domain/page.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import { hashOf } from '../../platform/crypto/hash-of.ts'
import type { Config } from '../../config/config.ts'
import type { Networks } from '../../money/controls/read-networks.ts'
import { openPageState } from '../pages/page.ts'
import type { CustomValue } from '../../domain/custom-field.ts'
import type { OpenPage } from '../pages/page.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import { networkOf } from '../../platform/http/limits.ts'
import type { Log } from '../../platform/process/log.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { assert, Refusal } from '../../platform/refusal.ts'
import { currentTrace, addToTrace } from '../../platform/process/trace.ts'
import { callbackUrlOf } from '../../config/providers.ts'
import type { Provider, ProviderRequest, Providers } from '../../money/providers/provider.ts'
import { chargeCallers, chargePayment, type ChargeDeps } from './charge-payment.ts'
import { idempotencyKeyReused, readAmount, readCurrency, readPayerPhone, type PayerError } from './checkout-rules.ts'
import { checkoutToken } from './checkout-token.ts'
import { readCustomFields } from './custom-fields.ts'
import type { PromptLimit, TakenPrompt } from './limit-prompts.ts'
import { chargeOrderMac } from './order-mac.ts'
import { noMerchantFields, type MerchantFields } from './payment.ts'
import { findByIdempotencyKey, type InsertedPayment, type NewPayment } from './payment.sql.ts'
import { maskPhone } from '../../domain/phone.ts'
import { secondStepRules } from './second-step.ts'

export type CheckoutDeps = ChargeDeps & {
  db: Db
  log: Log
  config: Pick<Config, 'payments' | 'urls' | 'cell' | 'keys' | 'providers' | 'safeguards'>
  providers: Providers
  /** The refusal while operators have disabled checkouts; undefined while they are enabled. */
  switches: { checkoutRefusal(environment: Environment, network: Network | null): Promise<Refusal | undefined> }
  promptLimit: PromptLimit
  networks: Pick<Networks, 'view'>
  recordMac: RecordMac
  insertPayment(payment: NewPayment): Promise<InsertedPayment>
  /** Runs work after the answer is sent; a draining process waits for it. */
  inBackground(work: Promise<unknown>): void
}

/** A checkout request of the right shape; `amount` is still the value that was sent. */
export type CheckoutRequest = {
  phoneNumber: string
  /** Null only from a merchant's server. */
  customerName: string | null
  /** Null only from a merchant's server, or from our own form. */
  customerEmail: string | null
  /** By the key of the page's field, as sent. */
  customFields?: Readonly<Record<string, string | number>> | undefined
  /** What a merchant's server says about the payment; undefined from a payer. */
  merchantFields?: MerchantFields
  idempotencyKey: string
  amount?: unknown
  currency?: unknown
  network?: Network
  /** The address of the caller; undefined when it is one of our servers. */
  address?: string
  /** The language of later messages to the payer. Not part of the comparison of two requests: a payer may switch it in between. */
  language: PayerLanguage
}

export type Checkout = {
  isReplay: boolean
  paymentId: string
  reference: string
  status: PaymentStatus
  amount: number
  network: Network | null
  phoneMasked: string
  shortCode: string
  expiresAt: Date
  checkoutToken: string
  /** The payer has not confirmed the checkout, so the charge was not sent. */
  isUnconfirmed: boolean
}

export function pageRefusal(state: ClosedState): Refusal {
  const { code, message } = closedStates[state]
  return new Refusal(409, code, message[0])
}

function rulesRefusal(errors: PayerError[]): Refusal {
  const [first] = errors
  return new Refusal(400, first!.code, first!.message, {
    param: first!.field,
    messageSw: first!.messageSw,
    errors,
  })
}

/** 503 while the circuit of the provider is open. */
export function providerRefusal(provider: Provider): Refusal | undefined {
  const pausedForMs = provider.pausedForMs?.('charges') ?? 0
  return pausedForMs === 0 ? undefined : notCalledRefusal(pausedForMs)
}

/** 503 for what was certainly not sent, because the provider is not called at the moment. */
export function notCalledRefusal(pausedForMs: number): Refusal {
  return new Refusal(
    503,
    'provider_unavailable',
    'Mobile money cannot be reached at the moment. Nothing was sent. Try again in a few minutes.',
    {
      retryAfterSeconds: Math.max(1, Math.ceil(pausedForMs / 1000)),
      messageSw: 'Malipo kwa simu hayapatikani kwa sasa. Hakuna ombi lililotumwa. Jaribu tena baada ya dakika chache.',
    },
  )
}

/** The order of the keys has no meaning, and a number is the same as its text. Nothing for none: as before there were fields. */
function customPartsOf({ customFields = {} }: CheckoutRequest): unknown[] {
  const given = Object.entries(customFields).map(([key, value]) => [key, String(value)] as const)
  return given.length === 0 ? [] : [{ customFields: given.toSorted(([a], [b]) => (a < b ? -1 : 1)) }]
}

/** The values that a repeat with the same key must send again. */
function requestHashOf(request: CheckoutRequest, phoneNumber: string): Buffer {
  const { merchantFields: own } = request
  return hashOf([
    phoneNumber,
    request.customerName,
    request.customerEmail,
    // An invalid number must not be treated as a missing amount: it is a different body.
    typeof request.amount === 'number' && !Number.isFinite(request.amount) ? 'not a whole number' : (request.amount ?? null),
    request.currency ?? 'TZS',
    request.network ?? null,
    // The order of the keys of `metadata` has no meaning.
    ...(own
      ? [own.merchantReference, own.description, Object.entries(own.metadata).toSorted(([a], [b]) => (a < b ? -1 : 1))]
      : []),
    ...customPartsOf(request),
  ])
}

/** Counts a prompt for the phone, if the provider prompts real phones. */
async function takePrompt(
  deps: CheckoutDeps,
  page: OpenPage,
  request: CheckoutRequest,
  phone: { e164: string; network: Network | null },
  idempotencyHash: Buffer,
): Promise<TakenPrompt | undefined> {
  if (deps.config.providers[page.environment].isSimulated) return undefined
  const isWatched = page.environment === 'live' && deps.config.safeguards.checkoutSecondStep
  // By the phone number and not by the requested network: otherwise a payer could name an unavailable network for phones of another
  // network.
  const carrier = deps.networks.view(page.environment).find((one) => one.network === phone.network)
  const isCarrierAway = carrier !== undefined && carrier.status !== 'operational'
  // Only a merchant's server pays on the hidden page, from one address and in bursts: neither is a sign of a flood.
  const isByKey = page.kind === 'direct'
  const address = isByKey ? undefined : request.address
  const watched = isWatched ? { merchantId: page.merchantId, address, isByKey, isCarrierAway } : undefined
  return deps.promptLimit.take({ page, idempotencyHash, phoneNumber: phone.e164, watched })
}

/** What one idempotency key stands for: its hash, and the hash of the request that was sent under it. */
type KeyHashes = { idempotencyHash: Buffer; requestHash: Buffer }

/** The payment that this key made before, if any. Looked up before any current condition may refuse. */
async function replay(deps: CheckoutDeps, page: OpenPage, hashes: KeyHashes): Promise<Checkout | undefined> {
  const made = await findByIdempotencyKey(deps.db, page, hashes.idempotencyHash)
  if (!made) return undefined
  addToTrace(toWire('pay', made.id))
  if (!made.requestHash.equals(hashes.requestHash)) throw idempotencyKeyReused()
  return {
    isReplay: true,
    paymentId: made.id,
    reference: toWire('pay', made.id),
    status: made.status,
    amount: made.amount,
    network: made.network,
    phoneMasked: maskPhone(made.phoneNumber),
    shortCode: made.shortCode,
    expiresAt: made.expiresAt,
    checkoutToken: checkoutToken(deps, made.id),
    isUnconfirmed: made.isUnconfirmed,
  }
}

/** What the merchant's server said about the payment, or about the payment request whose page this is. */
function merchantFieldsOf(page: OpenPage, { merchantFields }: CheckoutRequest): MerchantFields {
  if (merchantFields) return merchantFields
  if (page.kind !== 'request') return noMerchantFields
  return { merchantReference: page.merchantReference, metadata: page.metadata, description: page.title }
}

/** A checkout that passed every rule, before it is stored. */
type Accepted = {
  page: OpenPage
  request: CheckoutRequest
  requestId: string
  amount: number
  phoneNumber: string
  network: Network | null
  customFields: CustomValue[]
  hashes: KeyHashes
  isUnconfirmed: boolean
}

/** The payment as it is stored, with the exact charge to send for it. */
function composePayment(
  deps: CheckoutDeps,
  provider: Provider,
  accepted: Accepted,
): { payment: NewPayment; charge: ProviderRequest } {
  const { page, request, amount, phoneNumber, network, isUnconfirmed } = accepted
  const { customerName, customerEmail } = request
  const merchantFields = merchantFieldsOf(page, request)
  const { expirySeconds, claimLeaseSeconds } = deps.config.payments
  const id = newMoneyId(page.home)
  const charge = provider.composeCharge({
    reference: toWire('pay', id),
    amount,
    phoneNumber,
    customerName,
    customerEmail,
    callbackUrl: callbackUrlOf(deps.config, provider.name, page.environment),
  })
  const order = {
    home: page.home,
    id,
    merchantId: page.merchantId,
    environment: page.environment,
    pageId: page.id,
    amount,
    phoneNumber,
    customerName,
    customerEmail,
    provider: provider.name,
  }
  const payment = {
    ...order,
    ...merchantFields,
    metadata: JSON.stringify(merchantFields.metadata),
    customFields: accepted.customFields.length > 0 ? JSON.stringify(accepted.customFields) : null,
    // A payment that is not confirmed takes no place. Otherwise a script could keep a page full without a prompt to any phone.
    needsPlace: page.isLimited && !isUnconfirmed,
    network,
    payerLanguage: request.language,
    ...accepted.hashes,
    expirySeconds: isUnconfirmed ? secondStepRules.confirmWithinSeconds : expirySeconds,
    claimLeaseSeconds,
    confirmSeconds: isUnconfirmed ? secondStepRules.confirmWithinSeconds : null,
    requestId: accepted.requestId,
    traceId: currentTrace()?.traceId,
    providerKey: charge.idempotencyKey,
    providerBody: charge.body,
    orderMac: chargeOrderMac(deps.recordMac, { ...order, idempotencyKey: charge.idempotencyKey, requestBody: charge.body }),
  }
  return { payment, charge }
}

/** Stores the payment and sends its charge, unless its payer must confirm it first. */
async function storeAndSend(deps: CheckoutDeps, provider: Provider, accepted: Accepted, prompt?: TakenPrompt): Promise<Checkout> {
  const { page, request, requestId, amount, network, isUnconfirmed } = accepted
  const { payment, charge } = composePayment(deps, provider, accepted)
  const { home, id: paymentId, merchantId, pageId, environment } = payment
  const reference = toWire('pay', paymentId)
  addToTrace(reference)
  const inserted = await deps.insertPayment(payment).catch(async (error: unknown) => {
    // Nothing was stored: the phone is free for the next request.
    if (error instanceof Refusal) await prompt?.refund()
    throw error
  })
  if (inserted === null || typeof inserted === 'string') {
    // The key's payment is older than the counted time, or no place is left: no prompt was sent now. Done first, because the key may
    // belong to another body.
    await prompt?.refund()
    const made = await replay(deps, page, accepted.hashes)
    if (made) return made
    assert(inserted !== null, 'a key that is in use has a payment')
    throw pageRefusal(inserted)
  }
  const sent = { home, paymentId, merchantId, pageId, environment, provider: provider.name, requestId, request: charge }
  return {
    isReplay: false,
    paymentId,
    reference,
    status: isUnconfirmed ? 'pending' : await sendFirst(deps, { ...sent, attempts: 0, address: request.address }),
    amount,
    network,
    phoneMasked: maskPhone(payment.phoneNumber),
    expiresAt: inserted.expiresAt,
    shortCode: inserted.shortCode,
    checkoutToken: checkoutToken(deps, paymentId),
    isUnconfirmed,
  }
}

/**
 * Starts a checkout of a page that was just read. Refuses by the page's state, the amount, the phone and the key, in the order of the API
 * contract.
 */
export async function startCheckout(
  deps: CheckoutDeps,
  page: OpenPage,
  request: CheckoutRequest,
  requestId: string,
): Promise<Checkout> {
  const phone = readPayerPhone(request.phoneNumber)
  const amount = readAmount(page, request.amount)
  const currency = readCurrency(request.currency)
  const custom = readCustomFields(page.customFields, request.customFields ?? {})
  const hashes = {
    idempotencyHash: hashOf([request.idempotencyKey]),
    requestHash: requestHashOf(request, phone.kind === 'phone' ? phone.e164 : request.phoneNumber),
  }

  const state = openPageState(page)
  const errors = [amount, currency, phone].flatMap((reading) => (reading.kind === 'broken' ? [reading.error] : []))
  if (custom.kind === 'broken') errors.push(...custom.errors)
  if (phone.kind === 'broken' || amount.kind === 'broken' || custom.kind === 'broken' || errors.length > 0 || state !== 'open') {
    const made = await replay(deps, page, hashes)
    if (made) return made
    throw errors.length > 0 ? rulesRefusal(errors) : pageRefusal(state as ClosedState)
  }

  const network = request.network ?? phone.network
  const provider = deps.providers[page.environment].charges
  // Before the payment is stored: a stored payment is answered with 201, whatever the provider does.
  const refused = (await deps.switches.checkoutRefusal(page.environment, network)) ?? providerRefusal(provider)
  if (refused) {
    const made = await replay(deps, page, hashes)
    if (made) return made
    throw refused
  }

  let prompt: TakenPrompt | undefined
  try {
    prompt = await takePrompt(deps, page, request, phone, hashes.idempotencyHash)
  } catch (error) {
    const made = error instanceof Refusal ? await replay(deps, page, hashes) : undefined
    if (made) return made
    throw error
  }

  const isUnconfirmed = prompt?.needsConfirmation ?? false
  const accepted = {
    page,
    request,
    requestId,
    amount: amount.amount,
    phoneNumber: phone.e164,
    network,
    customFields: custom.values,
    hashes,
    isUnconfirmed,
  }
  return storeAndSend(deps, provider, accepted, prompt)
}

/** A charge that is stored as claimed and is certainly not sent yet. */
export type FirstSend = {
  home: number
  paymentId: string
  merchantId: string
  pageId: string
  environment: Environment
  provider: string
  requestId: string
  request: ProviderRequest
  attempts: number
  address: string | undefined
}

/** Sends a charge for the first time. Returns the payment's status within the time that the payer may wait. */
export async function sendFirst(deps: CheckoutDeps, charge: FirstSend): Promise<PaymentStatus> {
  const { home, paymentId, environment, provider, requestId, request, attempts, address } = charge
  const source = { home, paymentId, environment, provider, actor: 'provider:answer', requestId }
  const networkKey =
    address &&
    hmacSha256(deps.config.keys.limits)
      .update(`budget|${networkOf(address)}`)
      .digest('base64url')
      .slice(0, 22)
  const history = { state: 'new', attempts, ageSeconds: 0, isPastExpiry: false } as const
  const charging = chargePayment(deps, source, request, history, chargeCallers(charge, networkKey))
    .then((settled) => settled.status ?? 'pending')
    .catch((error: unknown): PaymentStatus => {
      // The claim is stored: the worker asks again under the same key. The answer to the payer is correct: the payment is pending.
      deps.log.error('charge.record_failed', error, { payment_id: toWire('pay', paymentId), request_id: requestId })
      return 'pending'
    })
  deps.inBackground(charging)
  return withinTime(charging, deps.config.payments.answerWithinMs)
}

/** The payer waits no longer than this for a slow provider; the charge continues, and the status route reports its result. */
async function withinTime(charging: Promise<PaymentStatus>, answerWithinMs: number): Promise<PaymentStatus> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<PaymentStatus>((resolve) => {
    timer = setTimeout(() => resolve('pending'), answerWithinMs)
  })
  const status = await Promise.race([charging, patience])
  clearTimeout(timer)
  return status
}
