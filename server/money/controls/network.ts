/**
 * The status of a mobile network, judged by the outcomes of real charges. Pure. A network becomes worse at one failure rate and
 * better only at a much lower one, so that its status does not flicker, and never better without a successful charge.
 */
import type { NetworkStatus } from '../../domain/network.ts'

/** The outcomes of the charges in the last `windowSeconds`. Outcomes that say nothing about the network (no PIN was entered) are not counted. */
export type Tally = {
  /** Paid, or refused for a reason of the payer: the network worked. */
  worked: number
  /** Lost by the network or the provider, or without an answer. */
  failed: number
  /** Charges that worked after the newest failed one; all of them, if none failed. */
  workedSince: number
  /** Seconds since the newest failed one; null: none failed. */
  quietSeconds: number | null
}

export const windowSeconds = 300

/** This many failures are a pattern, fewer are chance. */
const fewestFailures = 5
/** This many successes are more than chance. */
const fewestWorked = 5
const downFrom = 0.8
const degradedFrom = 0.3
const betterBelow = 0.5
const wellBelow = 0.1
/** After this time without a failure, one successful charge is enough proof. */
const quietEnoughSeconds = 120

export function nextStatus(before: NetworkStatus, { worked, failed, workedSince, quietSeconds }: Tally): NetworkStatus {
  const rate = failed / Math.max(1, worked + failed)
  const isPattern = failed >= fewestFailures
  const isQuiet = quietSeconds === null || quietSeconds >= quietEnoughSeconds
  const isHealthy = (worked >= fewestWorked && rate <= wellBelow) || (isQuiet && workedSince > 0)
  switch (before) {
    case 'operational':
      if (!isPattern || isHealthy || rate < degradedFrom) return 'operational'
      return rate >= downFrom ? 'down' : 'degraded'
    case 'degraded':
      if (isHealthy) return 'operational'
      return isPattern && rate >= downFrom ? 'down' : 'degraded'
    case 'down':
      if (isHealthy) return 'operational'
      return worked >= fewestWorked && rate <= betterBelow ? 'degraded' : 'down'
  }
}
