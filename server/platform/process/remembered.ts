/** One reading for everybody who asks within a short time: what is only shown, and costs something, is not read for each of them anew. */
import type { Clock } from '../clock.ts'

/** A reading that fails is not kept; those who asked meanwhile fail with it. */
export function remembered<Value>(
  read: () => Promise<Value>,
  { forMs, clock }: { forMs: number; clock: Clock },
): () => Promise<Value> {
  let kept: { value: Promise<Value>; at: number } | undefined
  return () => {
    const now = clock.now()
    // A clock that was put back makes it old, not young for as long as the clock went back.
    if (kept && now >= kept.at && now - kept.at < forMs) return kept.value
    const reading = { value: read(), at: now }
    kept = reading
    reading.value.catch(() => {
      if (kept === reading) kept = undefined
    })
    return reading.value
  }
}
