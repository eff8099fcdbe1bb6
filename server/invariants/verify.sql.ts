/**
 * The promises about the money: each with its severity and the checks that find the rows that break it. They read every table and write
 * none. Each can check the whole history, or only the changes since a moment, which is fast for a history of any length.
 */
import { auditPromises } from './audit-promises.sql.ts'
import { breakPromises } from './break-promises.sql.ts'
import { deliveryPromises } from './delivery-promises.sql.ts'
import { eventPromises } from './event-promises.sql.ts'
import { evidencePromises } from './evidence-promises.sql.ts'
import { homePromises } from './home-promises.sql.ts'
import { ledgerPromises } from './ledger-promises.sql.ts'
import { paymentPromises } from './payment-promises.sql.ts'
import { payoutPromises } from './payout-promises.sql.ts'
import { providerPromises } from './provider-promises.sql.ts'
import { reviewPromises } from './review-promises.sql.ts'
import type { Check } from './scope.sql.ts'
import { sealPromises } from './sealed-span.sql.ts'
import { unfinishedPromises } from './unfinished-promises.sql.ts'

/** `money`: a broken promise stops payouts. `alert`: it only raises an alert. */
export type Severity = 'money' | 'alert'

export const promises: Record<string, { promise: string; severity: Severity }> = {
  I1: {
    severity: 'money',
    promise: 'A transfer moves more than nothing from one account to another one.',
  },
  I2: {
    severity: 'money',
    promise: 'All balances of an environment sum to zero.',
  },
  I3: {
    severity: 'money',
    promise:
      'A balance is the sum of its transfers, its seq their number, without a gap, and each line continues the one before; what is a merchant’s is never less than nothing.',
  },
  I4: {
    severity: 'money',
    promise: 'The service cannot change or remove a transfer, an event or the record of a closed day.',
  },
  I5: {
    severity: 'money',
    promise:
      'A payment has at most one credit, and each step of a payout moves its money once, and once more for each break resolved so, in the database’s own indexes.',
  },
  I6: {
    severity: 'alert',
    promise:
      'A payment is completed, credited once with its amount, or with what came where operators decided so, to its merchant’s wallet, and told in one event with a chain of deliveries to each webhook that there was, for as long as deliveries are kept; or none of it.',
  },
  I7: {
    severity: 'money',
    promise:
      'What a payout took is on its way, paid, or given back: exactly one of them, once, and once more for each break resolved so; and the reserve holds what is on its way.',
  },
  I8: {
    severity: 'money',
    promise:
      'What succeeded at a provider on a day is credited, in suspense or in a break, network by network; money put aside has a break, and leaves suspense once it is resolved; a held payment is neither completed nor forgotten.',
  },
  I9: {
    severity: 'alert',
    promise:
      'Only a completed payment can be late, and only a failed one has a failure; the service cannot change which moves there are.',
  },
  I10: {
    severity: 'alert',
    promise:
      'A delivery has at most five attempts, ends, and is made once for each endpoint that its event was enqueued for; one that was asked for has one attempt.',
  },
  I11: {
    severity: 'alert',
    promise:
      'The audit log is whole: each entry continues the one before, up to the head, and the service cannot rewrite it; and each closed day of the ledger is what it was when it was closed.',
  },
  I12: {
    severity: 'alert',
    promise: 'An idempotency key and a provider reference each lead to one payment of an environment.',
  },
  I13: {
    severity: 'alert',
    promise:
      'Nothing is forgotten: an unfinished payment is due for a question, or has a break; no message waits unseen; and what is due, or was in the hands of one who let go of it, the workers take.',
  },
  I14: {
    severity: 'money',
    promise: 'Test money never meets a live account.',
  },
  I15: {
    severity: 'alert',
    promise: 'Amounts are whole TZS, in bigint; a payment is of 500 or more, a payout and a transfer of more than nothing.',
  },
  I16: {
    severity: 'alert',
    promise: 'Whatever moved money says who did it and in which request.',
  },
  events: {
    severity: 'alert',
    promise: 'An event says what its payment says, in every column, and a delivery that has ended was attempted.',
  },
  messages: {
    severity: 'money',
    promise: 'A provider’s message of a success that was settled has its effect: a credit of that amount, or a break.',
  },
  ends: {
    severity: 'alert',
    promise:
      'How a payment ended is noted with its charge, each time, with who brought it; operators’ decisions stand in breaks.',
  },
  charges: {
    severity: 'money',
    promise:
      'What is noted of an order fits how its payment or payout ended, and a provider’s reference leads to one payment or payout.',
  },
  seals: {
    severity: 'alert',
    promise: 'What was written in a stretch of time is what it was a few minutes later: transfers, payments, events and payouts.',
  },
  breaks: {
    severity: 'money',
    promise: 'After each resolution of a break the ledger shows what the resolution says.',
  },
  pages: {
    severity: 'alert',
    promise: 'A page’s counters are the count of its payments.',
  },
  reviews: {
    severity: 'alert',
    promise: 'Where a review stands is what its history says; what is verified was looked at whole, and by somebody else.',
  },
  homes: {
    severity: 'alert',
    promise: 'Every money row lives where its id says.',
  },
}

export const checks: readonly Check[] = [
  ...ledgerPromises,
  ...paymentPromises,
  ...payoutPromises,
  ...providerPromises,
  ...breakPromises,
  ...auditPromises,
  ...deliveryPromises,
  ...eventPromises,
  ...evidencePromises,
  ...unfinishedPromises,
  ...reviewPromises,
  ...homePromises,
  ...sealPromises,
]
