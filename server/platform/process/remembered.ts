/** One read for all callers within a short time, for data that is only displayed and is expensive to read. */
import type { Clock } from '../clock.ts'

/** A failed read is not kept; callers that asked meanwhile fail with it. */
export function remembered<Value>(
  read: () => Promise<Value>,
  { forMs, clock }: { forMs: number; clock: Clock },
): () => Promise<Value> {
  let kept: { value: Promise<Value>; at: number } | undefined
  return () => {
    const now = clock.now()
    // If the clock was set back, the value counts as old; otherwise it would look new for as long as the clock went back.
    if (kept && now >= kept.at && now - kept.at < forMs) return kept.value
    const reading = { value: read(), at: now }
    kept = reading
    reading.value.catch(() => {
      if (kept === reading) kept = undefined
    })
    return reading.value
  }
}
