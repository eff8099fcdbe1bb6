/** Kill switches: their list, and what each one blocks when it is off. Work in flight continues to its end. */
import { switchSubjects, type SwitchSubject } from '../../domain/switch.ts'
import { liveFirst, type Environment } from '../../domain/environment.ts'
import { networks, type Network } from '../../domain/network.ts'

export type Switch = {
  /** For example `live.checkout.mpesa`. */
  name: string
  subject: SwitchSubject
  /** Null: both. */
  environment: Environment | null
  /** Null: all. */
  network: Network | null
}

/** All payouts of both environments: the service itself turns this off when an invariant about money is violated and no merchant can be named. */
export const payoutFreeze = 'payouts'

export function switchName(environment: Environment, subject: SwitchSubject, network: Network | null): string {
  return network === null ? `${environment}.${subject}` : `${environment}.${subject}.${network}`
}

export const switches: readonly Switch[] = [
  { name: payoutFreeze, subject: 'payouts', environment: null, network: null },
  ...liveFirst.flatMap((environment) =>
    switchSubjects.flatMap((subject) =>
      [null, ...networks].map((network) => ({
        name: switchName(environment, subject, network),
        subject,
        environment,
        network,
      })),
    ),
  ),
]

/** The switches that stay off after a restore until the lost time has been compared with the providers. */
export const switchesOffAfterRestore: readonly string[] = [
  payoutFreeze,
  switchName('live', 'checkout', null),
  switchName('test', 'checkout', null),
]

export type SwitchState = {
  isOn: boolean
  reason: string | null
  /** The actor of the last change; null if it was never changed. */
  changedBy: string | null
  changedAt: Date | null
}

export type SwitchStates = ReadonlyMap<string, SwitchState>

export const neverTurned: SwitchState = { isOn: true, reason: null, changedBy: null, changedAt: null }

/** A switch that is off and applies here; the widest one first. */
export function whatIsOff(
  states: SwitchStates,
  environment: Environment,
  subject: SwitchSubject,
  network: Network | null,
): (SwitchState & { network: Network | null }) | undefined {
  const concerned = switches.filter(
    (one) =>
      one.subject === subject &&
      (one.environment === null || one.environment === environment) &&
      (one.network === null || one.network === network),
  )
  const off = concerned.find(({ name }) => states.get(name)?.isOn === false)
  return off && { ...states.get(off.name)!, network: off.network }
}
