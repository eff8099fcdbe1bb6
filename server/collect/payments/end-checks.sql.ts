/**
 * When the provider is asked because a prompt has ended, or because its payer has cancelled: at once, and again while its own record may
 * still change. Invariant: these questions only come earlier than the usual ones; none of them concludes anything.
 */
import type { Network } from '../../domain/network.ts'
import { sql, type Sql } from '../../platform/db/db.ts'

/** Seconds after the end of a prompt, and after a cancel. */
export const endChecksSeconds = [0, 30, 120, 300] as const

/** How long each network shows a prompt. */
export type PromptSeconds = Readonly<Record<Network, number>>

/** Seconds that a prompt waits on a phone of this network; on an unknown network the longest. Null: no lives are given. */
export function promptLifeIn(network: Sql, seconds: PromptSeconds | undefined): Sql {
  const longest = seconds === undefined ? null : Math.max(...Object.values(seconds))
  return sql`coalesce((${JSON.stringify(seconds ?? {})}::jsonb ->> ${network})::double precision, ${longest}::double precision)`
}

/** The next of these questions; null when none is left. `ends`: the times of a cancel and of the end of a prompt, either may be null. */
export function nextEndCheck(ends: { cancelledAt: Sql; promptEndsAt: Sql }): Sql {
  return sql`(
    select min(e.at + make_interval(secs => o.seconds))
    from (values (${ends.cancelledAt}), (${ends.promptEndsAt})) as e (at)
    cross join unnest(${[...endChecksSeconds]}::integer[]) as o (seconds)
    where e.at + make_interval(secs => o.seconds) > clock_now())`
}
