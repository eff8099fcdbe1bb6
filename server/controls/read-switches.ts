/**
 * The kill switches as this process knows them. Invariant: nothing that a switch could forbid begins on knowledge older than five
 * seconds; a process that cannot read the switches begins nothing, and says so (503). What is only shown may be older.
 */
import { bySystem, type Origin } from '../audit/audit.ts'
import type { Environment } from '../domain/environment.ts'
import { networkNames, type Network } from '../domain/network.ts'
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import { Refusal } from '../platform/refusal.ts'
import { openWatched } from '../platform/db/watched.ts'
import { noteRestore } from './mark-restored.ts'
import { payoutFreeze, whatIsOff, type SwitchState, type SwitchStates } from './switch.ts'
import { readSwitchRows } from './switch.sql.ts'
import { turnOffOnce, turnSwitch, type WantedSwitch } from './turn-switch.ts'

export type Switches = {
  /** As they stand, for an operator. */
  read(): Promise<SwitchStates>
  /** What is known without asking, for what is only shown. */
  lastKnown(): SwitchStates
  turn(name: string, wanted: WantedSwitch, origin: Origin): Promise<SwitchState>
  /** Why no checkout may begin here now, as the payer is told; undefined when it may. */
  checkoutRefusal(environment: Environment, network: Network | null): Promise<Refusal | undefined>
  /** Whether a payout may be sent to this network now. One that may not stays queued. Fails when that cannot be known. */
  isPayoutOpen(environment: Environment, network: Network | null): Promise<boolean>
  /** Why no payout at all goes out of this environment, in an operator's sentence; null when they do. */
  payoutsHaltedReason(environment: Environment): Promise<string | null>
  /** Stops all payouts until an operator switches `payouts` on again. For a violation of the books: safe to call again and again. */
  freezePayouts(reason: string): Promise<void>
  close(): Promise<void>
}

/** News may get lost; a switch has to be known everywhere within five seconds all the same. */
const rereadMs = 2_000
const maxAgeMs = 5_000

/** How long a payer who was refused is told to wait. */
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
      // Before anything: what a restored database says of its switches is from before the restore.
      await noteRestore({ db, log })
      return new Map((await readSwitchRows(db)).map((row) => [row.name, row]))
    },
    everyMs: rereadMs,
    maxAgeMs,
    log,
  })
  notifications.on('switches_changed', () => {
    // What fails here is read again by the timer, or by whoever needs it fresh.
    watched.reread().catch((error: unknown) => log.warn('switches.read_failed', { error: String(error) }))
  })

  /** The switches as they stand, or the refusal of whatever they could forbid. */
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
    async turn(name, wanted, origin) {
      const state = await turnSwitch(db, name, wanted, origin)
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
