/**
 * The plan of the year, made before it begins from its seed or its options: how long, from when, which faults, which days are
 * special.
 */
import { diceOf, type Dice } from '../faults/model-clients.ts'
import { victims, type Victim } from './crashes.ts'

export const faultKinds = ['trouble', 'late', 'crashes', 'restores'] as const
export type FaultKind = (typeof faultKinds)[number]

export type YearPlan = {
  days: number
  seed: number
  start: Date
  faults: ReadonlySet<FaultKind>
  crashes: ReadonlyMap<number, Victim>
  /** On day `at` everything is restored to a moment of day `from`. */
  restores: readonly { from: number; at: number }[]
}

/** Restores are between the days 6 and 27 of a month, when no key is replaced, and do not overlap. */
function drawRestores(days: number, start: Date, dice: Dice): { from: number; at: number }[] {
  const restores: { from: number; at: number }[] = []
  const isQuiet = (day: number): boolean => {
    const dayOfMonth = new Date(start.getTime() + (day - 1) * 86_400_000).getUTCDate()
    return dayOfMonth >= 6 && dayOfMonth <= 27
  }
  for (let tries = 0; tries < 1_000 && restores.length < 3; tries += 1) {
    const from = 3 + dice.below(Math.max(1, days - 6))
    const at = from + dice.one([1, 1, 3])
    const isFree = restores.every((other) => at < other.from - 1 || from > other.at + 1)
    if (at < days && isQuiet(from) && isQuiet(at) && isFree) restores.push({ from, at })
  }
  return restores.toSorted((one, other) => one.from - other.from)
}

export function drawPlan(given: {
  days: number
  seed: number
  start: Date
  faults: ReadonlySet<FaultKind>
  restores: { from: number; at: number }[] | undefined
}): YearPlan {
  const { days, seed, start, faults } = given
  const dice = diceOf(seed ^ 0x5eed)
  const restores = given.restores ?? drawRestores(days, start, dice)
  const crashes = new Map<number, Victim>()
  // Each process once or twice, spread over the days; no day has both a crash and a restore.
  for (let tries = 0; tries < 100 && crashes.size < Math.min(8, days - 2); tries += 1) {
    const day = 2 + dice.below(days - 2)
    const isFree = !crashes.has(day) && !restores.some(({ from, at }) => day >= from && day <= at)
    if (isFree) crashes.set(day, victims[crashes.size % victims.length]!)
  }
  return {
    ...given,
    crashes: faults.has('crashes') ? crashes : new Map(),
    restores: faults.has('restores') ? restores : [],
  }
}
