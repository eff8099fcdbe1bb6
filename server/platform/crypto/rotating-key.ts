/**
 * A key that can be replaced while the service runs: new values are made under the first key, and values made under any of the
 * keys are accepted. A rotation first makes every process accept the next key, then use it, then drop the previous one.
 */
import { timingSafeEqual } from 'node:crypto'

export type RotatingKey = readonly [used: Buffer, ...accepted: Buffer[]]

/** Whether `given` is the result of `make` under one of the keys. Every key is tried, so that the duration reveals nothing. */
export function isMadeUnder(keys: RotatingKey, given: Buffer, make: (key: Buffer) => Buffer): boolean {
  return keys.map(make).filter((made) => made.length === given.length && timingSafeEqual(made, given)).length > 0
}
