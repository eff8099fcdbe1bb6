/**
 * `GET /__truth`: what really happened, from these books alone. Invariant: balance = opening + what was moved by hand + net of money that
 * moved in − what payouts took and kept, and the answer shows both sides.
 */
import type { FastifyInstance } from 'fastify'
import type { Books, RecordFilter } from './books.sql.ts'
import { openPrompt, type Charge, type HistoryEntry } from './charge.ts'
import { accountNames, type AccountName } from './config.ts'
import { wasReturned, type Payout } from './payout.ts'
import { readTypedPhone, suffixOf } from './phones.ts'
import { chargeScenarios, ordinaryPayout, payoutScenarios } from './scenarios.ts'
import { queryOf } from './serve.ts'
import type { WebhookEvent } from './webhook-event.ts'
import { isoTime } from './wire.ts'

type Deps = { books: Books; now: () => number }

export function truthRoutes(app: FastifyInstance, deps: Deps): void {
  app.get('/__truth/totals', () => totalsByAccount(deps.books))

  app.get('/__truth', (request) => {
    const filter = readFilter(queryOf(request))
    const charges = deps.books.charges.matching(filter)
    const payouts = deps.books.payouts.matching(filter)
    return {
      accounts: Object.fromEntries(accountNames.map((account) => [account, accountTruth(deps.books, account)])),
      charges: charges.map((charge) => chargeTruth(charge, deps.books, deps.now())),
      payouts: payouts.map((payout) => payoutTruth(payout, deps.books)),
      totals: totals(charges, payouts),
    }
  })
}

/** The sums of the records, without the records: the only practical query when there are a hundred thousand. */
function totalsByAccount(books: Books) {
  return Object.fromEntries(
    accountNames.map((account) => [
      account,
      { charges: books.charges.totals(account), payouts: books.payouts.totals(account), account: accountTruth(books, account) },
    ]),
  )
}

function readFilter(query: URLSearchParams): RecordFilter {
  const metadata = new Map<string, string>()
  for (const [name, value] of query) if (name.startsWith('metadata.')) metadata.set(name.slice('metadata.'.length), value)
  const phone = query.get('phone')
  return {
    reference: query.get('reference') ?? undefined,
    account: query.get('account') ?? undefined,
    status: query.get('status') ?? undefined,
    phone: phone === null ? undefined : (readTypedPhone(phone) ?? phone),
    ourReference: query.get('our_reference') ?? undefined,
    metadata,
  }
}

function accountTruth(books: Books, account: AccountName): Record<string, number> {
  const { opening, balance, moved } = books.account(account)
  const { gross, fees, paidOut, payoutFees } = books.sumsOf(account)
  return {
    balance,
    available: balance,
    opening_balance: opening,
    moved,
    collected_gross: gross,
    collected_fees: fees,
    collected_net: gross - fees,
    paid_out: paidOut,
    payout_fees: payoutFees,
    expected_balance: opening + moved + gross - fees - paidOut - payoutFees,
  }
}

function totals(charges: readonly Charge[], payouts: readonly Payout[]) {
  const paid = charges.filter((charge) => charge.moneyMoved)
  const kept = payouts.filter((payout) => payout.status === 'pending' || payout.status === 'completed')
  const gross = sum(paid, (charge) => charge.amount)
  const fees = sum(paid, (charge) => charge.fees)
  return {
    charges: charges.length,
    charges_paid: paid.length,
    prompts: sum(charges, (charge) => charge.prompts.length),
    collected_gross: gross,
    collected_fees: fees,
    collected_net: gross - fees,
    payouts: payouts.length,
    payouts_kept: kept.length,
    paid_out: sum(kept, (payout) => payout.amount),
    payout_fees: sum(kept, (payout) => payout.fees),
  }
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((total, item) => total + of(item), 0)

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

const historyTruth = (history: readonly HistoryEntry[]) => history.map(({ at, ...entry }) => ({ at: isoTime(at), ...entry }))

const webhooksTruth = (events: readonly WebhookEvent[]) =>
  events.map((event) => ({
    event_id: event.eventId,
    type: event.type,
    url: event.url,
    state: event.state,
    created_at: isoTime(event.createdAt),
    attempts: event.attempts.map((attempt) => ({
      at: isoTime(attempt.at),
      status: attempt.status,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      copy: attempt.copy,
      attempt: attempt.attempt,
    })),
  }))

/** The faults of a record; none of them changes the truth. */
const faultsTruth = (books: Books, reference: string) =>
  books.faults(1_000, reference).map(({ at, kind, cause, detail }) => ({ at: isoTime(at), kind, cause, detail }))

export function chargeTruth(charge: Charge, books: Books, now: number): Record<string, unknown> {
  return {
    reference: charge.reference,
    external_reference: charge.externalReference,
    account: charge.account,
    metadata: charge.metadata,
    phone: charge.phone,
    network: charge.network,
    scenario: chargeScenarios[suffixOf(charge.phone)]?.about ?? null,
    amount: charge.amount,
    ordered_amount: charge.orderedAmount,
    currency: 'TZS',
    fees: charge.moneyMoved ? charge.fees : 0,
    net: charge.moneyMoved ? charge.amount - charge.fees : 0,
    status: charge.status,
    failure_reason: charge.failureReason,
    money_moved: charge.moneyMoved,
    create_calls: charge.createCalls,
    idempotency_key: charge.idempotencyKey,
    webhook_url: charge.webhookUrl,
    prompts: charge.prompts.length,
    pushes: charge.prompts.length - 1,
    prompt_open: openPrompt(charge, now) !== null,
    prompt_log: charge.prompts.map((prompt) => ({
      phone: prompt.phone,
      opened_at: isoTime(prompt.openedAt),
      closes_at: isoTime(prompt.closesAt),
      closed_at: timeOrNull(prompt.closedAt),
      outcome: prompt.outcome,
    })),
    created_at: isoTime(charge.createdAt),
    expires_at: isoTime(charge.expiresAt),
    completed_at: timeOrNull(charge.completedAt),
    failed_at: timeOrNull(charge.failedAt),
    history: historyTruth(charge.history),
    faults: faultsTruth(books, charge.reference),
    webhooks: webhooksTruth(books.eventsOf(charge.reference)),
  }
}

/** One payout in the truth. `money_moved`: amount and fees have left the account at this moment. */
export function payoutTruth(payout: Payout, books: Books): Record<string, unknown> {
  const returned = wasReturned(payout)
  return {
    reference: payout.reference,
    external_reference: payout.externalReference,
    account: payout.account,
    metadata: payout.metadata,
    phone: payout.phone,
    network: payout.network,
    recipient_name: payout.recipientName,
    scenario: (payoutScenarios[suffixOf(payout.phone)] ?? ordinaryPayout).about,
    amount: payout.amount,
    fees: payout.fees,
    total: payout.amount + payout.fees,
    currency: 'TZS',
    status: payout.status,
    failure_reason: payout.failureReason,
    money_moved: !returned,
    returned: returned ? payout.amount + payout.fees : 0,
    create_calls: payout.createCalls,
    idempotency_key: payout.idempotencyKey,
    webhook_url: payout.webhookUrl,
    created_at: isoTime(payout.createdAt),
    completed_at: timeOrNull(payout.completedAt),
    failed_at: timeOrNull(payout.failedAt),
    reversed_at: timeOrNull(payout.reversedAt),
    history: historyTruth(payout.history),
    faults: faultsTruth(books, payout.reference),
    webhooks: webhooksTruth(books.eventsOf(payout.reference)),
  }
}
