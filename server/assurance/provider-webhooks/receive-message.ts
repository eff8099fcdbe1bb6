/**
 * A provider's webhook: verified on its raw bytes, stored once, answered, then settled. Invariant: after a 200 the message is in the
 * database; a message that could not settle at once is retried until it settles or is escalated to operators.
 */
import type { Environment } from '../../domain/environment.ts'
import { hash, randomUUID } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { isUnavailable, type Db } from '../../platform/db/db.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import { ownsHome, wrongCell, type Cell } from '../../platform/http/cell.ts'
import type { Clock } from '../../platform/clock.ts'
import { providerNamed, type ChargeSnapshot, type Provider, type WebhookHeaders } from '../../money/providers/provider.ts'
import { Refusal } from '../../platform/refusal.ts'
import { addToTrace } from '../../platform/process/trace.ts'
import { checkDelay } from '../../config/payments.ts'
import {
  claimWaitingMessages,
  markAsked,
  orphanMessage,
  putBack,
  claimMessage,
  type InboxMessage,
  type Stored,
  type WaitingMessage,
} from '../../money/providers/inbox.sql.ts'
import { checkSoon, findReference } from '../../collect/payments/payment.sql.ts'
import type { Settle } from '../../collect/payments/settle.ts'
import { settlementOf } from '../../collect/payments/settlement.ts'
import { compareCharge } from '../reconciliation/charge-book.ts'
import {
  askAboutPayout,
  settlePayoutMessage,
  type Named,
  type PayoutMessageDeps,
  type Received,
} from './receive-payout-message.ts'

export type ReceiveDeps = PayoutMessageDeps & {
  db: Db
  clock: Clock
  config: Pick<Config, 'payments' | 'cell'>
  /** `createSettle`: the settlements of one moment are one statement. */
  settle: Settle
  /** `createMessageStore`: the messages of one moment are one statement. */
  storeMessage(message: InboxMessage): Promise<Stored>
  /** Runs work after the answer is sent; a draining process waits for it. */
  inBackground(work: Promise<unknown>): void
}

/** The sweep ignores a message while the process that received it surely works on it. */
const settleAtOnceSeconds = 10
/** After these attempts (about an hour and a half) a message with an unknown payment is left to operators. */
const orphanAfterAttempts = 9
/** A message that causes this many errors is left to operators: it is not retried and delays no other message. */
const maxErrors = 5

async function findPaymentOf(
  deps: Pick<ReceiveDeps, 'db'>,
  message: Received,
  named: Named,
): Promise<{ home: number; paymentId: string } | undefined> {
  const paymentId = named.ourReference === null ? undefined : fromWire('pay', named.ourReference)
  if (paymentId !== undefined) return { home: homeOfId(paymentId), paymentId }
  if (named.reference === null) return undefined
  return findReference(deps.db, { provider: message.provider, environment: message.environment, reference: named.reference })
}

type AskDeps = Pick<ReceiveDeps, 'db' | 'log' | 'config' | 'providers' | 'settle'>

/** Settles one stored message; returns false if it must wait. */
async function settleMessage(deps: AskDeps, message: Received, snapshot: ChargeSnapshot): Promise<boolean> {
  const payment = await findPaymentOf(deps, message, snapshot)
  if (!payment) return false
  const source = {
    ...payment,
    environment: message.environment,
    provider: message.provider,
    actor: 'provider:webhook',
    requestId: message.requestId,
    inboxEventId: message.eventId,
    confirmAbove: deps.config.payments.confirmAbove,
  }
  const { verdict } = await deps.settle(settlementOf(source, snapshot, checkDelay(deps.config, 0)))
  if (verdict === 'to_confirm' || verdict === 'amount_to_confirm' || verdict === 'unproven')
    await confirm(deps, message, snapshot)
  // A second charge: its money is booked only for the provider's own answer.
  if (verdict === 'reference_conflict') await askAbout(deps, message, snapshot)
  if (verdict === 'contradicts') {
    const isAnswered = await compareCharge(deps, message, { ...payment, reference: snapshot.reference })
    if (isAnswered) await markAsked(deps.db, message, payment)
    return isAnswered
  }
  return verdict !== 'unknown_payment' && verdict !== 'unproven'
}

/** Queries the provider about the charge that a doubtful message names, and settles the answer. */
async function askAbout(deps: AskDeps, message: Received, named: Named): Promise<ChargeSnapshot | undefined> {
  const payment = await findPaymentOf(deps, message, named)
  if (!payment) return undefined
  const provider = providerNamed(deps.providers, message.environment, message.provider)
  const ourReference = toWire('pay', payment.paymentId)
  const canAsk = named.reference !== null || provider.capabilities.looksUpOurReference
  const answer = canAsk ? await provider.fetchCharge({ reference: named.reference, ourReference }) : undefined
  if (answer?.kind !== 'found') {
    await checkSoon(deps.db, payment)
    return undefined
  }
  const source = {
    ...payment,
    environment: message.environment,
    provider: message.provider,
    actor: 'provider:poll',
    requestId: message.requestId,
  }
  await deps.settle(settlementOf(source, answer.snapshot, checkDelay(deps.config, 0)))
  return answer.snapshot
}

/** Queries the provider about a success that must not credit by itself. The charge stays due for a query until there is an answer. */
async function confirm(deps: AskDeps, message: Received, reported: ChargeSnapshot): Promise<void> {
  const answer = await askAbout(deps, message, reported)
  if (!answer || answer.status === 'completed') return
  deps.log.warn('payment.success_denied', {
    event_id: message.eventId,
    provider: message.provider,
    environment: message.environment,
    status: answer.status,
    request_id: message.requestId,
  })
}

function ownsReference(cell: Cell, reference: string): boolean {
  const id = fromWire('pay', reference) ?? fromWire('po', reference)
  return id === undefined || ownsHome(cell, homeOfId(id))
}

/** Receives one webhook of this cell. A bad signature: 401. The same event id with another body: 409. */
export async function receiveMessage(
  deps: ReceiveDeps,
  provider: Provider,
  environment: Environment,
  headers: WebhookHeaders,
  rawBody: Uint8Array,
  requestId: string,
): Promise<void> {
  const message = provider.readWebhook(headers, rawBody, deps.clock.now())
  if (message.kind === 'invalid') {
    const form = message.matchingForm
    const evidence = { reason: message.reason, provider: provider.name, environment, ...(form && { matching_form: form }) }
    if (message.reason === 'signature') throw new Refusal(401, 'invalid_signature', 'The signature is wrong.', { evidence })
    throw new Refusal(400, 'invalid_json', 'The message cannot be read.', { evidence })
  }
  const ourReference =
    'snapshot' in message ? message.snapshot.ourReference : message.kind === 'doubtful' ? message.ourReference : null
  // The provider sends it again, and a proxy reads the same reference.
  if (ourReference !== null && !ownsReference(deps.config.cell, ourReference)) throw wrongCell()
  if ('snapshot' in message && ourReference !== null) addToTrace(ourReference)
  const received = { provider: provider.name, environment, eventId: message.eventId, requestId }
  const runInBackground = (work: Promise<unknown>): void =>
    deps.inBackground(
      work.catch((error: unknown) =>
        deps.log.error('inbox.apply_failed', error, { event_id: message.eventId, request_id: requestId }),
      ),
    )
  if (message.kind === 'doubtful') {
    deps.log.warn('inbox.message_doubtful', {
      event_id: message.eventId,
      environment,
      reason: message.reason,
      request_id: requestId,
    })
    runInBackground(message.subject === 'payout' ? askAboutPayout(deps, received, message) : askAbout(deps, received, message))
    // A stale message may arrive again, fresh, under the same event id: it is not stored.
    if (message.reason === 'stale') return
  }
  const stored = await deps.storeMessage({
    ...received,
    bodyHash: hash('sha256', rawBody, 'buffer'),
    body: Buffer.from(rawBody).toString('utf8'),
    paidAmount: message.kind === 'charge' && message.snapshot.status === 'completed' ? message.snapshot.amount : null,
    state: message.kind === 'charge' || message.kind === 'payout' ? 'received' : 'ignored',
    retryAfterSeconds: settleAtOnceSeconds,
  })
  if (stored === 'changed' && !provider.capabilities.idsAreContent) {
    deps.log.error('inbox.event_changed', new Error('event_changed'), {
      event_id: message.eventId,
      request_id: requestId,
    })
    throw new Refusal(409, 'event_changed', 'This event id was already received with a different body.')
  }
  if (stored !== 'new') return
  if (message.kind === 'charge') runInBackground(settleMessage(deps, received, message.snapshot))
  if (message.kind === 'payout') runInBackground(settlePayoutMessage(deps, received, message.snapshot))
}

type SweepDeps = AskDeps & PayoutMessageDeps

/** Retries one message and records the result, so that the message does not look as if it was lost with a process. */
async function retry(deps: SweepDeps, message: WaitingMessage): Promise<void> {
  const fields = { event_id: message.eventId, attempts: message.attempts, request_id: message.requestId }
  try {
    const read = providerNamed(deps.providers, message.environment, message.provider).readStoredWebhook(message.body)
    const isSettled =
      (read.kind === 'charge' && (await settleMessage(deps, message, read.snapshot))) ||
      (read.kind === 'payout' && (await settlePayoutMessage(deps, message, read.snapshot)))
    if (isSettled) return
    if (message.attempts < orphanAfterAttempts) return await putBack(deps.db, message)
    deps.log.error('inbox.orphaned', new Error('orphan_message'), { ...fields, alert: true })
  } catch (error) {
    deps.log.error('inbox.retry_failed', error, fields)
    // A database outage or a locked row proves nothing about the message. If it cannot be put back either, it counts as lost with its
    // worker once.
    if (isUnavailable(error)) return putBack(deps.db, message).catch(() => undefined)
    if (message.attempts < maxErrors) return putBack(deps.db, message)
    deps.log.error('inbox.escalated', new Error('poison_message'), { ...fields, alert: true })
  }
  await orphanMessage(deps.db, message)
}

/**
 * Settles messages that wait in the inbox: those of a crashed process, or those that arrived before their payment. Returns how many it
 * claimed.
 */
export async function sweepInbox(deps: SweepDeps, limit: number): Promise<number> {
  const leasedBy = randomUUID()
  const waiting = await claimWaitingMessages(deps.db, leasedBy, limit)
  await Promise.all(waiting.filter(({ deaths }) => deaths === 0).map((message) => retry(deps, message)))
  // Each alone and last: one of them may have crashed the previous process.
  for (const message of waiting.filter(({ deaths }) => deaths > 0)) {
    if (message.deaths < maxErrors) {
      await claimMessage(deps.db, message, leasedBy)
      await retry(deps, message)
    } else {
      const fields = { event_id: message.eventId, deaths: message.deaths, request_id: message.requestId }
      deps.log.error('inbox.quarantined', new Error('poison_message'), { ...fields, alert: true })
      await orphanMessage(deps.db, message)
    }
  }
  return waiting.length
}
