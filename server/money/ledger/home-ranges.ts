/** Homes in ranges of a bounded number of transfers, for statements that read all transfers of a day. */
import type { HomeRange } from '../../platform/ids.ts'

/** The maximum that a statement reads, unless one home has more. */
const transfersAtOnce = 500_000

/** `homes` in their order. */
export function rangesOf(homes: readonly { home: number; transfers: number }[]): HomeRange[] {
  const ranges: { first: number; last: number }[] = []
  let taken = Infinity
  for (const { home, transfers } of homes) {
    taken += transfers
    if (taken > transfersAtOnce) {
      ranges.push({ first: home, last: home })
      taken = transfers
    } else ranges.at(-1)!.last = home
  }
  return ranges
}
