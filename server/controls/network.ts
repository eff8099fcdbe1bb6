/**
 * How a mobile network does, judged by what became of real charges. Pure. A network becomes worse at one rate and better only at a much
 * lower one, so that its state does not flutter, and never better without a charge that it has carried.
 */

export type NetworkStatus = 'operational' | 'degraded' | 'down'

/** What became of the charges of the last `windowSeconds`. Those that say nothing of the network (no PIN was entered) are not counted. */
export type Tally = {
  /** Paid, or refused for a reason of the payer's: the network has carried it. */
  worked: number
  /** Lost by the network or the provider, or without an answer. */
  failed: number
  /** Carried after the newest of the failed ones; all, where none failed. */
  workedSince: number
  /** Since the newest failed one; null: none failed. */
  quietSeconds: number | null
}

export const windowSeconds = 300

/** So many failures are a pattern, fewer are an accident. */
const fewestFailures = 5
/** So many that worked are more than luck. */
const fewestWorked = 5
const downFrom = 0.8
const degradedFrom = 0.3
const betterBelow = 0.5
const wellBelow = 0.1
/** After so long without a failure one charge that works is proof enough. */
const quietEnoughSeconds = 120

/** What a network is after this look, given what it was before. */
export function nextStatus(before: NetworkStatus, { worked, failed, workedSince, quietSeconds }: Tally): NetworkStatus {
  const rate = failed / Math.max(1, worked + failed)
  const isPattern = failed >= fewestFailures
  const isQuiet = quietSeconds === null || quietSeconds >= quietEnoughSeconds
  const isWell = (worked >= fewestWorked && rate <= wellBelow) || (isQuiet && workedSince > 0)
  switch (before) {
    case 'operational':
      if (!isPattern || isWell || rate < degradedFrom) return 'operational'
      return rate >= downFrom ? 'down' : 'degraded'
    case 'degraded':
      if (isWell) return 'operational'
      return isPattern && rate >= downFrom ? 'down' : 'degraded'
    case 'down':
      if (isWell) return 'operational'
      return worked >= fewestWorked && rate <= betterBelow ? 'degraded' : 'down'
  }
}
