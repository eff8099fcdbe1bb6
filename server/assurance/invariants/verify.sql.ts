/**
 * The promises about the money: each with its severity and the checks that find the rows that break it. They read every table and write
 * none. Each can check the whole history, or only the changes since a moment, which is fast for a history of any length.
 */
import type { Severity } from '../../domain/severity.ts'
import { auditPromises } from './audit-promises.sql.ts'
import { batchPromises } from './batch-promises.sql.ts'
import { breakPromises } from './break-promises.sql.ts'
import { customerPromises } from './customer-promises.sql.ts'
import { deliveryPromises } from './delivery-promises.sql.ts'
import { eventPromises } from './event-promises.sql.ts'
import { evidencePromises } from './evidence-promises.sql.ts'
import { homePromises } from './home-promises.sql.ts'
import { ledgerPromises } from './ledger-promises.sql.ts'
import { paymentPromises } from './payment-promises.sql.ts'
import { payoutPromises } from './payout-promises.sql.ts'
import { providerPromises } from './provider-promises.sql.ts'
import { refundPromises } from './refund-promises.sql.ts'
import { reviewPromises } from './review-promises.sql.ts'
import { rowSealPromises } from './row-seal.sql.ts'
import type { Check } from './scope.sql.ts'
import { sealPromises } from './sealed-span.sql.ts'
import { unfinishedPromises } from './unfinished-promises.sql.ts'
import { walletDayPromises } from './wallet-day-promises.sql.ts'

export const promises: Record<string, { promise: string; severity: Severity }> = {
  I1: {
    severity: 'money',
    promise: 'Each transfer moves a positive amount from one account to a different one.',
  },
  I2: {
    severity: 'money',
    promise: 'All balances of an environment sum to zero.',
  },
  I3: {
    severity: 'money',
    promise:
      'Each balance is the sum of its transfers. Its seq is their number, without gaps, and each line continues the previous one. Money of a merchant is never negative.',
  },
  I4: {
    severity: 'money',
    promise: 'The service cannot change or remove a transfer, an event or the record of a closed day.',
  },
  I5: {
    severity: 'money',
    promise:
      'A payment has at most one credit. Each step of a payout moves its money once, plus once for each break that was resolved that way. Unique indexes of the database enforce this.',
  },
  I6: {
    severity: 'alert',
    promise:
      'A completed payment has one credit to its merchant’s wallet (its amount, or the received amount if operators decided so), one event, and one chain of deliveries to each webhook of that time while deliveries are kept. Other payments have none of these.',
  },
  I7: {
    severity: 'money',
    promise:
      'The money of a payout is in flight, paid or returned: exactly one of these, once, plus once for each break that was resolved that way. The reserve holds exactly the money in flight.',
  },
  I8: {
    severity: 'money',
    promise:
      'For each day and network, the successes at a provider are credited, in suspense, in an open break, or decided by operators. Money in suspense has a break and leaves suspense when the break is resolved. A held payment is not completed, and has a break.',
  },
  I9: {
    severity: 'alert',
    promise:
      'Only a completed payment can be late, and only a failed one has a failure code. The service cannot change the table of allowed transitions.',
  },
  I10: {
    severity: 'alert',
    promise:
      'A delivery has at most five attempts, then ends. There is one delivery for each endpoint that its event was enqueued for. A manual delivery has one attempt.',
  },
  I11: {
    severity: 'alert',
    promise:
      'The audit log is complete: each entry continues the previous one, up to the head, and the service cannot rewrite it. A closed day of the ledger has not changed since it was closed.',
  },
  I12: {
    severity: 'alert',
    promise: 'Within an environment, an idempotency key and a provider reference each belong to one payment.',
  },
  I13: {
    severity: 'alert',
    promise:
      'No work is lost: an unfinished payment has a next check or a break, every stored message has a time to be applied, and the workers claim all due rows and all rows with an expired lease.',
  },
  I14: {
    severity: 'money',
    promise: 'Test money and live money never share an account.',
  },
  I15: {
    severity: 'alert',
    promise: 'Amounts are whole TZS, stored as bigint. A payment is at least 500; a payout and a transfer are more than 0.',
  },
  I16: {
    severity: 'alert',
    promise: 'Every movement of money records who made it and in which request.',
  },
  refunds: {
    severity: 'money',
    promise:
      'The refunds of a payment that have not failed are the amount that it records, and do not exceed it, except for failed ones that were paid after all. They go to the phone that paid.',
  },
  approvals: {
    severity: 'money',
    promise: 'What members approved has a request with the votes that it needed.',
  },
  batches: {
    severity: 'money',
    promise:
      'The payouts of an approved batch are its rows, with their amounts, fees and phones, and a draft has none. A batch that has ended has one event, and no payout of it is in flight.',
  },
  events: {
    severity: 'alert',
    promise: 'An event equals its payment in every column, and a delivery that has ended was attempted.',
  },
  messages: {
    severity: 'money',
    promise: 'A settled provider message about a success has its effect: a credit of that amount, or a break.',
  },
  evidence: {
    severity: 'alert',
    promise: 'A stored message about a payment is as the provider sent it, and one that ended a payment is still there.',
  },
  ends: {
    severity: 'alert',
    promise: 'The charge records each end of its payment and who reported it. Operators’ decisions are recorded in breaks.',
  },
  charges: {
    severity: 'money',
    promise:
      'The state of an order agrees with the status of its payment or payout, and a provider’s reference belongs to one payment or payout.',
  },
  seals: {
    severity: 'alert',
    promise: 'Transfers, payments, events and payouts of a sealed span of time have not changed since it was sealed.',
  },
  rows: {
    severity: 'money',
    promise:
      'Approvals, members, keys, recipients, batches, payouts and their orders, breaks, repeated requests and switches are as the service wrote them.',
  },
  records: {
    severity: 'alert',
    promise: 'Accounts, reviews, cases and the other records of people are as the service wrote them.',
  },
  breaks: {
    severity: 'money',
    promise: 'The ledger agrees with the resolution of each break.',
  },
  requests: {
    severity: 'alert',
    promise: 'A payment that answers a payment request has its amount.',
  },
  pages: {
    severity: 'alert',
    promise: 'The counters of a page equal the numbers of its payments.',
  },
  customers: {
    severity: 'alert',
    promise: 'The totals of a wallet’s customers are the credits and refunds in its ledger, as far as they are counted.',
  },
  days: {
    severity: 'alert',
    promise:
      'The stored sums of a closed day, which Home reads, are the credits of its payments in the ledger. No day is left out.',
  },
  reviews: {
    severity: 'alert',
    promise: 'The status of a review agrees with its history. A verified case was reviewed completely, by another person.',
  },
  homes: {
    severity: 'alert',
    promise: 'Every row about money has the home that its id contains.',
  },
}

export const checks: readonly Check[] = [
  ...ledgerPromises,
  ...paymentPromises,
  ...payoutPromises,
  ...batchPromises,
  ...providerPromises,
  ...breakPromises,
  ...auditPromises,
  ...deliveryPromises,
  ...eventPromises,
  ...evidencePromises,
  ...unfinishedPromises,
  ...refundPromises,
  ...reviewPromises,
  ...customerPromises,
  ...walletDayPromises,
  ...homePromises,
  ...sealPromises,
  ...rowSealPromises,
]
