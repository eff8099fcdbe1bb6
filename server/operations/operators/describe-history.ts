/**
 * The complete history of one payment or payout, found by its reference: all events of all actors, in order of
 * time. Invariant: it contains no person's name, no complete number and no complete address.
 */
import { shillings } from '../../domain/currency.ts'
import { wireIdOf } from '../../accounts/identity/merchant.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import type { Runner } from '../../platform/db/db.ts'
import { storedTrace } from '../../platform/process/trace.ts'
import { maskPhone } from '../../domain/phone.ts'
import { providerNamed, type Providers } from '../../money/providers/provider.ts'
import { listEventAttempts } from '../../merchants/webhooks/attempt.sql.ts'
import { listPaymentEvents } from '../../merchants/webhooks/event.sql.ts'
import {
  findPaymentFacts,
  findPayoutFacts,
  listActs,
  listInbox,
  listBreaks,
  listDeliveries,
  listTransfers,
  type InboxEntry,
  type PaymentFacts,
  type HistoryKind,
} from './history.sql.ts'

export type HistoryDeps = { db: Runner; providers: Providers }

type Entry = { at: Date; who: string; what: string }

const entriesPerKind = 200

/** For two entries with the same time, the cause comes before its effect. */
const rank = ['payer', 'merchant', 'provider', 'operator', 'status', 'break', 'ledger', 'event', 'webhook']

const moment = (at: Date): string => at.toISOString().replace('T', ' ')

function maskEmail(email: string): string {
  const [name = '', host = ''] = email.split('@')
  return `${name.slice(0, 1)}•••@${host.slice(0, 1)}•••${host.slice(host.lastIndexOf('.'))}`
}

/** An entry for each known time. */
const when = (at: Date | null, who: string, what: string): Entry[] => (at === null ? [] : [{ at, who, what }])

function render(head: [name: string, value: string | null][], entries: Entry[]): string[] {
  const known = head.filter((pair): pair is [string, string] => pair[1] !== null)
  const place = (who: string): number => rank.indexOf(who)
  const sorted = entries.toSorted((a, b) => a.at.getTime() - b.at.getTime() || place(a.who) - place(b.who))
  return [
    ...known.map(([name, value]) => `${name.padEnd(12)}${value}`),
    '',
    ...sorted.map(({ at, who, what }) => `${moment(at)}  ${who.padEnd(9)} ${what}`),
  ]
}

function messageEntry(deps: HistoryDeps, payment: PaymentFacts, entry: InboxEntry): Entry[] {
  const message = providerNamed(deps.providers, payment.environment, entry.provider).readStoredWebhook(entry.body)
  const snapshot = message.kind === 'charge' ? message.snapshot : undefined
  const amount = snapshot?.amount === null || snapshot === undefined ? '' : `, ${shillings(snapshot.amount)}`
  const failure = snapshot?.failure ? `, ${snapshot.failure.code}` : ''
  const says = snapshot ? `${snapshot.status}${amount}${failure}` : message.kind
  const attempts = entry.attempts > 0 ? `, tried ${entry.attempts} times more` : ''
  const deaths = entry.deaths > 0 ? `, ${entry.deaths} worker crashes while applying it` : ''
  const received = `message ${entry.eventId}: ${says} (${entry.state}${attempts}${deaths}; request ${entry.requestId})`
  return [
    { at: entry.receivedAt, who: 'provider', what: received },
    ...when(entry.settledAt, 'provider', `message ${entry.eventId} is applied`),
  ]
}

async function eventsOf(db: Runner, key: { home: number; id: string }): Promise<Entry[]> {
  const events = await listPaymentEvents(db, key)
  return (await Promise.all(events.map((event) => eventEntries(db, key.home, event)))).flat()
}

async function eventEntries(db: Runner, home: number, event: { id: string; type: string; createdAt: Date }): Promise<Entry[]> {
  const [deliveries, attempts] = await Promise.all([
    listDeliveries(db, { home, eventId: event.id }),
    listEventAttempts(db, { home, eventId: event.id }, entriesPerKind),
  ])
  return [
    { at: event.createdAt, who: 'event', what: `${toWire('evt', event.id)} ${event.type}` },
    ...deliveries.flatMap(({ appId, trigger, status, createdAt, finishedAt, nextAttemptAt, postponements }): Entry[] => {
      const whose = `for ${toWire('app', appId)}`
      const postponed = postponements > 0 ? `, postponed off ${postponements} times by faults of this service` : ''
      const next = nextAttemptAt === null ? '' : `, next attempt at ${moment(nextAttemptAt)}`
      return [
        {
          at: createdAt,
          who: 'webhook',
          what: `${trigger} delivery ${whose} is due${finishedAt === null ? ` (${status}${next}${postponed})` : ''}`,
        },
        ...when(finishedAt, 'webhook', `${trigger} delivery ${whose} is ${status}`),
      ]
    }),
    ...attempts.map((attempt): Entry => {
      const answer = attempt.responseStatus === null ? attempt.errorCode : `${attempt.responseStatus}`
      const what = `attempt ${attempt.attempt} at ${new URL(attempt.url).host}: ${attempt.outcome} (${answer}, ${attempt.durationMs} ms)`
      return { at: attempt.attemptedAt, who: 'webhook', what }
    }),
  ]
}

/** Transfers, breaks and operators' actions for a payment or a payout, by the ids that it has. */
async function recordsOf(db: Runner, about: HistoryKind, key: { home: number; id: string }, wires: string[]): Promise<Entry[]> {
  const [transfers, breaks] = await Promise.all([listTransfers(db, about, key), listBreaks(db, about, key)])
  const acts = await listActs(db, [...wires, ...breaks.map(({ id }) => toWire('brk', id))])
  return [
    ...transfers.map((line): Entry => ({
      at: line.createdAt,
      who: 'ledger',
      what: `${line.kind}: ${shillings(line.amount)} from ${line.debit} to ${line.credit} (${toWire('txn', line.id)}; by ${line.actor}, request ${line.requestId})`,
    })),
    ...breaks.flatMap((one): Entry[] => {
      const name = toWire('brk', one.id)
      return [
        { at: one.openedAt, who: 'break', what: `${name} ${one.kind} is open` },
        ...when(one.proposedAt, 'break', `${name}: ${one.proposedBy} proposes ${one.proposal}`),
        ...when(one.resolvedAt, 'break', `${name} is resolved by ${one.resolvedBy}: ${one.resolution}`),
      ]
    }),
    ...acts.map(({ at, actor, action, object, requestId }): Entry => ({
      at,
      who: 'operator',
      what: `${action} ${object} (by ${actor}, request ${requestId})`,
    })),
  ]
}

/** The lines of a payment's history; undefined when the payment does not exist. */
export async function describePayment(deps: HistoryDeps, reference: string): Promise<string[] | undefined> {
  const { db } = deps
  const id = fromWire('pay', reference)
  const key = id === undefined ? undefined : { home: homeOfId(id), id }
  const payment = key && (await findPaymentFacts(db, key))
  if (!key || !payment) return undefined
  const [inbox, events, records] = await Promise.all([
    listInbox(db, key, entriesPerKind),
    eventsOf(db, key),
    recordsOf(db, 'payment', key, [reference]),
  ])
  const { failureCode, failureText, providerReference, nextAttemptAt } = payment
  const { traceId } = storedTrace({ ...payment, id: key.id, about: reference })
  const failure = failureCode ?? (failureText === null ? null : '')
  const marks = [payment.late && 'late', payment.held && 'held: its money waits for a decision'].filter(Boolean).join(', ')
  return render(
    [
      ['payment', reference],
      ['short code', payment.shortCode],
      ['receipt', payment.networkReceipt],
      ['status', `${payment.status}${marks === '' ? '' : ` (${marks})`}`],
      ['amount', `${shillings(payment.amount)}, ${payment.environment}`],
      ['merchant', wireIdOf({ id: payment.merchantId, kind: payment.merchantKind })],
      payment.pageKind === 'request'
        ? ['payment request', toWire('preq', payment.pageId)]
        : ['page', toWire('page', payment.pageId)],
      [
        'payer',
        `${maskPhone(payment.phoneNumber)}, ${payment.network ?? 'network unknown'}, ${payment.customerEmail === null ? 'no e-mail address' : maskEmail(payment.customerEmail)}`,
      ],
      [
        'provider',
        `${payment.provider} ${providerReference ?? '(no reference)'}, charge ${payment.chargeState}, queried ${payment.attempts} times`,
      ],
      ['next check', nextAttemptAt === null ? null : moment(nextAttemptAt)],
      ['failure', failure === null ? null : `${failure} ${failureText ?? ''}`.trim()],
      ['request', payment.requestId],
      ['trace', traceId],
    ],
    [
      { at: payment.createdAt, who: 'payer', what: `starts the payment (request ${payment.requestId})` },
      { at: payment.createdAt, who: 'status', what: 'pending' },
      ...when(
        payment.claimedAt.getTime() === payment.createdAt.getTime() ? null : payment.claimedAt,
        'provider',
        'the charge is sent again, under the same key',
      ),
      ...when(payment.pushedAt, 'payer', `requests the prompt again (${payment.pushes} times so far)`),
      ...when(payment.cancelRequestedAt, 'payer', 'requests cancellation'),
      ...(payment.status === 'pending'
        ? []
        : [{ at: payment.completedAt ?? payment.updatedAt, who: 'status', what: payment.status }]),
      ...inbox.flatMap((entry) => messageEntry(deps, payment, entry)),
      ...events,
      ...records,
    ],
  )
}

/** The lines of the history of a payout or refund; undefined when it does not exist. */
export async function describePayout({ db }: Pick<HistoryDeps, 'db'>, wire: string): Promise<string[] | undefined> {
  const id = fromWire('po', wire) ?? fromWire('rf', wire)
  const key = id === undefined ? undefined : { home: homeOfId(id), id }
  const payout = key && (await findPayoutFacts(db, key))
  if (!key || !payout) return undefined
  const { merchantId, merchantKind, failureCode, failureText, nextAttemptAt, provider, providerReference } = payout
  const breakId = payout.breakId && toWire('brk', payout.breakId)
  const wires = [toWire('po', key.id), toWire('rf', key.id), ...(breakId === null ? [] : [breakId])]
  const records = await recordsOf(db, 'payout', key, wires)
  const endedAt = payout.status === 'pending' ? null : (payout.reversedAt ?? payout.completedAt ?? payout.updatedAt)
  return render(
    [
      [payout.purpose === 'refund' ? 'refund' : 'payout', wire],
      ['status', `${payout.status}${payout.held ? ' (held: operators decide)' : ''}`],
      ['amount', `${shillings(payout.amount)} and a fee of ${shillings(payout.fee)}, ${payout.environment}`],
      ['approval', payout.approval],
      ['merchant', merchantId && merchantKind && wireIdOf({ id: merchantId, kind: merchantKind })],
      ['break', breakId],
      ['recipient', `${maskPhone(payout.phoneNumber)}, ${payout.network ?? 'network unknown'}`],
      [
        'provider',
        provider &&
          `${provider} ${providerReference ?? '(no reference)'}, order ${payout.orderState}, queried ${payout.attempts} times`,
      ],
      ['next check', nextAttemptAt === null ? null : moment(nextAttemptAt)],
      ['failure', failureCode === null ? null : `${failureCode} ${failureText ?? ''}`.trim()],
      ['request', payout.requestId],
      ['trace', storedTrace({ ...payout, id: key.id, about: wire }).traceId],
    ],
    [
      {
        at: payout.createdAt,
        who: merchantId === null ? 'operator' : 'merchant',
        what: `requests the payout (by ${payout.requestedBy}, request ${payout.requestId})`,
      },
      { at: payout.createdAt, who: 'status', what: 'pending' },
      ...when(payout.firstSentAt, 'provider', 'the order is first sent'),
      ...when(endedAt, 'status', payout.status),
      ...records,
    ],
  )
}
