/** All pairs of use cases that meet on one object. */
import { approvalPairs } from './approval-pairs.ts'
import { batchPairs } from './batch-pairs.ts'
import { breakPairs } from './break-pairs.ts'
import type { Pair } from './pair.ts'
import { paymentPairs } from './payment-pairs.ts'
import { payoutPairs } from './payout-pairs.ts'

export const pairs: readonly Pair[] = [...paymentPairs, ...payoutPairs, ...approvalPairs, ...batchPairs, ...breakPairs]
