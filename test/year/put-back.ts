/** Faults that the service once had, each put back by an edit of its sources: the year must fail of it (`npm run year:put-back`). */
import type { Edit } from '../mutants/apply.ts'

export type PutBack = {
  fault: number
  what: string
  edits: Edit[]
  /** Of `npm run year`. */
  words: string[]
  /** Expected in one of the reported lines. */
  sign: RegExp
}

export const putBack: PutBack[] = [
  {
    fault: 1,
    what: 'verify demands a delivery of every event without end, and its findings stop payouts',
    edits: [
      {
        file: 'server/assurance/invariants/delivery-promises.sql.ts',
        change: 'and [-e.created_at > clock_now() - make_interval(days => ${demandedDays}::integer) and-] not exists (',
      },
      { file: 'server/assurance/invariants/verify.sql.ts', change: `I6: { severity: '[-alert-]{+money+}',` },
    ],
    words: ['--days', '36', '--seed', '1', '--faults', ''],
    sign: /Payouts are switched off|has no chain to webhook|was frozen/,
  },
  {
    fault: 2,
    what: 'the id of a payout, and with it the provider’s key, is drawn by lot',
    edits: [
      {
        file: 'server/pay-out/payouts/payout.ts',
        change: `return derivedMoneyId(merchant.home, [[-'payout', merchant.id, environment, idempotencyKey-]{+merchant.id, environment, idempotencyKey, String(Math.random())+}])`,
      },
    ],
    words: ['--days', '14', '--seed', '1', '--faults', 'restores', '--start', '2028-01-06', '--restores', '4-7,9-12'],
    sign: /the payout that was asked for under .* was paid 2 times/,
  },
  {
    fault: 3,
    what: 'a payout that was given back and then paid cannot be booked: its break ends with the books right as they are',
    edits: [
      {
        file: 'server/money/breaks/break.ts',
        change: `payout_contradicts: ['[-payout_paid_after_all', 'write_off', 'payout_returned', 'provider_was_wrong-]{+already_settled+}'],`,
      },
    ],
    words: ['--days', '25', '--seed', '1', '--start', '2028-01-06', '--faults', 'late'],
    sign: /po_\w+ \(\S+ completed\) moved -\d+ there, is \w+ here and moved 0/,
  },
  {
    fault: 4,
    what: 'the comparison of every five minutes does not look at what ended without money in the last 24 hours',
    edits: [
      {
        file: 'server/assurance/reconciliation/charge-book.ts',
        change: 'findOldestEnded: [-(run) => findOldestEndedCharge(db, run, lateSeconds)-]{+async () => undefined+},',
      },
    ],
    words: ['--days', '25', '--seed', '1', '--start', '2028-01-06', '--faults', 'late'],
    sign: /is not credited ten minutes after/,
  },
  {
    fault: 5,
    what: 'a fee is booked as reported, without a limit',
    edits: [
      {
        file: 'server/collect/payments/settlement-row.ts',
        change: 'feeDiffers: [-fee !== null && amount !== null && isFeeDoubtful(amount, fee, expectedFee)-]{+false+},',
      },
    ],
    words: ['--days', '25', '--seed', '1', '--start', '2028-01-06', '--faults', 'trouble'],
    sign: /our (test|live) books say that the provider has/,
  },
  {
    fault: 6,
    what: 'a payment keeps the record of its own charge after found money has completed it, so the money of that charge is not booked',
    edits: [{ file: 'server/collect/payments/settle.ts', change: '[-if (record) await freeEarlierCharge(db, record, item)-]' }],
    words: ['--days', '60', '--seed', '1'],
    sign: /pay_\w+ \(.* completed, .* completed\) moved \d+ there, is completed here and moved \d+/,
  },
]
