/**
 * The networks from which a person signed in to an account within 30 days. Invariant: only a correct password, a registration or
 * a mailed code makes a network known, so that an attacker elsewhere cannot slow the owner down there. Stored as an HMAC of
 * account and network.
 */
import type { Config } from '../../config/config.ts'
import { count, findCount, resetCount } from '../../platform/db/counts.sql.ts'
import type { Runner } from '../../platform/db/db.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import type { Log } from '../../platform/process/log.ts'

type Deps = { db: Runner; log: Log; config: { keys: Pick<Config['keys'], 'limits'> } }

const rememberedMs = 30 * 86_400_000

const keyOf = ({ config }: Deps, account: string, network: string): string =>
  `known-network:${hmacSha256(config.keys.limits).update(`known network|${account}|${network}`).digest('base64url')}`

export async function isKnownNetwork(deps: Deps, account: string, network: string): Promise<boolean> {
  return (await findCount(deps.db, keyOf(deps, account, network))) > 0
}

/** Restarts the 30 days. If this fails, the sign-in still succeeds. */
export async function rememberNetwork(deps: Deps, account: string, network: string): Promise<void> {
  const key = keyOf(deps, account, network)
  try {
    await resetCount(deps.db, key)
    await count(deps.db, key, 1, rememberedMs)
  } catch (error) {
    deps.log.error('sign_in.network_not_stored', error)
  }
}
