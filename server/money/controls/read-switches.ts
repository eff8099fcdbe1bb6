/**
 * The kill switches as this process knows them. Invariant: an action that a switch could forbid never starts on data older than
 * five seconds; a process that cannot read the switches starts nothing, and answers 503. Data for display may be older.
 */
import { bySystem, type Origin } from '../../base/audit/audit.ts'
import type { Environment } from '../../domain/environment.ts'
import { networkNames, type Network } from '../../domain/network.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import { Refusal } from '../../platform/refusal.ts'
import { openWatched } from '../../platform/db/watched.ts'
import { noteRestore } from './mark-restored.ts'
import { payoutFreeze, whatIsOff, type SwitchState, type SwitchStates } from './switch.ts'
import { readSwitchRows } from './switch.sql.ts'
import { turnOffOnce, turnSwitch, type Confirm, type WantedSwitch } from './turn-switch.ts'

export type Switches = {
  /** The current state, for an operator. */
  read(): Promise<SwitchStates>
  /** The last known state, without a query, for display only. */
  lastKnown(): SwitchStates
  turn(name: string, wanted: WantedSwitch, origin: Origin, confirm?: Confirm): Promise<SwitchState>
  /** Why a checkout cannot start here now, for the payer; undefined when it can. */
  checkoutRefusal(environment: Environment, network: Network | null): Promise<Refusal | undefined>
  /** Whether a payout may be sent to this network now. Otherwise it stays queued. Fails when that is unknown. */
  isPayoutOpen(environment: Environment, network: Network | null): Promise<boolean>
  /** Why all payouts of this environment are stopped, in an operator's words; null when they are not. */
  payoutsHaltedReason(environment: Environment): Promise<string | null>
  /** Stops all payouts until an operator turns `payouts` on again. Used after a violation of the books; safe to call repeatedly. */
  freezePayouts(reason: string): Promise<void>
  close(): Promise<void>
}

/** Notifications may get lost; every process must still know a switch within five seconds. */
const rereadMs = 2_000
const maxAgeMs = 5_000

/** The Retry-After for a refused payer. */
const retryAfterSeconds = 60

function refusalOf(network: Network | null): Refusal {
  if (network === null) {
    return new Refusal(
      503,
      'provider_unavailable',
      'Mobile money payments are switched off at the moment. Nothing was sent. Try again later.',
      {
        retryAfterSeconds,
        messageSw: 'Malipo kwa simu yamesimamishwa kwa muda. Hakuna ombi lililotumwa.',
      },
    )
  }
  const name = networkNames[network]
  return new Refusal(
    503,
    'network_unavailable',
    `${name} payments are switched off at the moment. Nothing was sent. Use another network, or try again later.`,
    {
      retryAfterSeconds,
      param: 'phone_number',
      messageSw: `Malipo ya ${name} yamesimamishwa kwa muda. Hakuna ombi lililotumwa. Tumia mtandao mwingine.`,
      details: { network },
    },
  )
}

export async function openSwitches(deps: { db: Db; notifications: Notifications; log: Log }): Promise<Switches> {
  const { db, notifications, log } = deps
  const watched = await openWatched<SwitchStates>({
    name: 'switches',
    async read() {
      // First of all: the switches in a restored database are from before the restore.
      await noteRestore({ db, log })
      return new Map((await readSwitchRows(db)).map((row) => [row.name, row]))
    },
    everyMs: rereadMs,
    maxAgeMs,
    log,
  })
  notifications.on('switches_changed', () => {
    // After a failure, the timer reads again, or a caller that needs fresh data does.
    watched.reread().catch((error: unknown) => log.warn('switches.read_failed', { error: String(error) }))
  })

  /** The current switches, or a refusal of every action that they could forbid. */
  async function known(): Promise<SwitchStates> {
    try {
      return await watched.fresh()
    } catch (error) {
      log.error('switches.unavailable', error)
      throw new Refusal(503, 'overloaded', 'The service is temporarily unavailable. Try again shortly.', { retryAfterSeconds: 2 })
    }
  }

  return {
    async read() {
      await watched.reread()
      return watched.last()
    },
    lastKnown: () => watched.last(),
    async turn(name, wanted, origin, confirm) {
      const state = await turnSwitch(db, name, wanted, origin, confirm)
      await watched.reread()
      return state
    },
    async checkoutRefusal(environment, network) {
      const off = whatIsOff(await known(), environment, 'checkout', network)
      return off && refusalOf(off.network)
    },
    async isPayoutOpen(environment, network) {
      return whatIsOff(await known(), environment, 'payouts', network) === undefined
    },
    async payoutsHaltedReason(environment) {
      return whatIsOff(await known(), environment, 'payouts', null)?.reason ?? null
    },
    async freezePayouts(reason) {
      await turnOffOnce(db, payoutFreeze, reason, bySystem)
      await watched.reread()
    },
    close: () => watched.close(),
  }
}
