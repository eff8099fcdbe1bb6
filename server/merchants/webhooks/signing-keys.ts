/**
 * The keys of the secrets that sign webhooks. Each secret is opened once while there are deliveries to sign. The opened keys are dropped
 * when there is nothing more to send, and after a short time in any case.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { openSecret, type SecretColumn } from './endpoint.ts'
import { signingKeyOf, type SigningKey } from './signature.ts'

export type SigningKeys = {
  /** The key of a stored secret. After a rotation the stored value differs, so the key does too. */
  open(endpointId: string, column: SecretColumn, sealed: string): SigningKey
  clear(): void
}

const keptMs = 10_000
const maxKept = 2_000

export function createSigningKeys(sealer: Sealer, clock: Clock): SigningKeys {
  const keys = new Map<string, SigningKey>()
  let clearedAt = clock.now()

  function clear(): void {
    keys.clear()
    clearedAt = clock.now()
  }

  return {
    clear,
    open(endpointId, column, sealed) {
      // A clock that was set back makes them old, too.
      if (keys.size >= maxKept || Math.abs(clock.now() - clearedAt) > keptMs) clear()
      const name = `${endpointId} ${column} ${sealed}`
      let key = keys.get(name)
      if (key === undefined) {
        key = signingKeyOf(openSecret(sealer, endpointId, column, sealed))
        keys.set(name, key)
      }
      return key
    },
  }
}
