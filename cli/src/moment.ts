/** Times as users write them: `10m` ago, or an ISO time. */
import { UsageError } from './command.ts'

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30s`, `10m`, `2h`, `7d`: this long ago by the clock of this machine; or an ISO time. */
export function readMoment(text: string, now: Date = new Date()): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) return new Date(now.getTime() - Number(count) * unitMs[unit]!)
  const isTime = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text)
  const time = new Date(isTime ? text : Number.NaN)
  if (!Number.isNaN(time.getTime())) return time
  throw new UsageError(
    `--since is an age, as in 30s, 10m, 2h or 7d, or a time, as in 2026-01-25T09:30:00Z, not ${JSON.stringify(text)}.`,
  )
}
