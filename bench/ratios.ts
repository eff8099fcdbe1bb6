/** The rules of comparisons: the order of measurements, and when a line is worse. */

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: number[]): number => percentile(values, 0.5)

export function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** Rounds run A B, B A, A B, …: a machine that gets slower or faster during the run favours neither side. */
export function orderOf<Side>(round: number, sides: readonly [Side, Side]): readonly [Side, Side] {
  return round % 2 === 0 ? sides : [sides[1], sides[0]]
}

export type Spread = { median: number; low: number; high: number; rounds: number }

export function spreadOf(ratios: number[]): Spread {
  return { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios), rounds: ratios.length }
}

/** Below this ratio a commit is slower, and not just unlucky. */
export const worseBelow = 0.97

/** On a busy machine all ratios of fewer rounds are often on one side by chance. */
const leastRounds = 5

/** Only if the whole spread is below the limit, in enough rounds. */
export const isWorse = ({ high, rounds }: Spread): boolean => rounds >= leastRounds && high < worseBelow

/** How many times as good `ours` is: a rate is better when it is higher, a time or a size when it is lower. */
export function gainOf(ours: number, theirs: number, better: 'higher' | 'lower'): number {
  return better === 'higher' ? ours / theirs : theirs / ours
}
