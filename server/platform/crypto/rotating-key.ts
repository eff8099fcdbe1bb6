/**
 * A key that takes another's place while the service runs: what is written is written under the first, what is shown is accepted under
 * any. A rotation first makes every process accept the next key, then use it, then forget the one before.
 */
import { timingSafeEqual } from 'node:crypto'

export type RotatingKey = readonly [used: Buffer, ...accepted: Buffer[]]

/** Whether `given` is what `make` makes under one of the keys; every key is tried, so that the time tells nothing. */
export function isMadeUnder(keys: RotatingKey, given: Buffer, make: (key: Buffer) => Buffer): boolean {
  return keys.map(make).filter((made) => made.length === given.length && timingSafeEqual(made, given)).length > 0
}
