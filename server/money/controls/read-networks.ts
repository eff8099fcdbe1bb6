/**
 * The network status for payers: from the outcomes of charges, and from the kill switches. It only informs and blocks no payment,
 * so it is read from memory, and the last known status is shown when no newer one is available.
 */
import type { Environment } from '../../domain/environment.ts'
import { networkNames, networks, type Network, type NetworkStatus } from '../../domain/network.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import { openWatched } from '../../platform/db/watched.ts'
import type { Switches } from './read-switches.ts'
import { whatIsOff } from './switch.ts'
import { readNetworkStates } from './network.sql.ts'

export type NetworkView = {
  network: Network
  name: string
  status: NetworkStatus
  /** An operator has switched it off, so a checkout is refused. */
  isSwitchedOff: boolean
  /** The start of the current status. */
  since: Date
}

export type Networks = {
  /** All four, in the order in which payers see them. */
  view(environment: Environment): NetworkView[]
  close(): Promise<void>
}

const rereadMs = 5_000

export async function openNetworks(deps: {
  db: Db
  notifications: Notifications
  switches: Switches
  log: Log
}): Promise<Networks> {
  const { db, notifications, switches, log } = deps
  const watched = await openWatched({
    name: 'networks',
    read: () => readNetworkStates(db),
    everyMs: rereadMs,
    maxAgeMs: rereadMs,
    log,
  })
  notifications.on('networks_changed', () => {
    watched.reread().catch((error: unknown) => log.warn('networks.read_failed', { error: String(error) }))
  })
  return {
    view(environment) {
      const states = watched.last()
      return networks.map((network) => {
        const seen = states.find((state) => state.environment === environment && state.network === network)!
        const off = whatIsOff(switches.lastKnown(), environment, 'checkout', network)
        return {
          network,
          name: networkNames[network],
          status: off ? 'down' : seen.status,
          isSwitchedOff: off !== undefined,
          since: off?.changedAt ?? seen.since,
        }
      })
    },
    close: () => watched.close(),
  }
}
