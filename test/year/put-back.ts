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
        file: 'server/invariants/delivery-promises.sql.ts',
        from: ' and e.created_at > clock_now() - make_interval(days => ${demandedDays}::integer) and not exists (',
        to: ' and not exists (',
      },
      { file: 'server/invariants/verify.sql.ts', from: "  I6: {\n    severity: 'alert',", to: "  I6: {\n    severity: 'money'," },
    ],
    words: ['--days', '36', '--seed', '1', '--faults', ''],
    sign: /Payouts are switched off|has no chain to webhook|was frozen/,
  },
  {
    fault: 2,
    what: 'the id of a payout, and with it the provider’s key, is drawn by lot',
    edits: [
      {
        file: 'server/payouts/payout.ts',
        from: "  return derivedMoneyId(merchant.home, ['payout', merchant.id, environment, idempotencyKey])",
        to: '  return derivedMoneyId(merchant.home, [merchant.id, environment, idempotencyKey, String(Math.random())])',
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
        file: 'server/breaks/break.ts',
        from: "  payout_contradicts: ['payout_paid_after_all', 'write_off', 'payout_returned', 'provider_was_wrong'],",
        to: "  payout_contradicts: ['already_settled'],",
      },
    ],
    words: ['--days', '25', '--seed', '1', '--start', '2028-01-06', '--faults', 'late'],
    sign: /po_\w+ .* is completed there and moved -\d+, is \w+ here and moved 0/,
  },
  {
    fault: 4,
    what: 'the comparison of every five minutes does not look at what ended without money in the last 24 hours',
    edits: [
      {
        file: 'server/reconciliation/charge-book.ts',
        from: '    findOldestEnded: (run) => findOldestEndedCharge(db, run, lateSeconds),',
        to: '    findOldestEnded: async () => undefined,',
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
        file: 'server/payments/settlement-row.ts',
        from: 'feeDiffers: fee !== null && amount !== null && isFeeDoubtful(amount, fee, expectedFee),',
        to: 'feeDiffers: false,',
      },
    ],
    words: ['--days', '25', '--seed', '1', '--start', '2028-01-06', '--faults', 'trouble'],
    sign: /our (test|live) books say that the provider has/,
  },
]
