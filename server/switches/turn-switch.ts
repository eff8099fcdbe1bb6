/** Turns a kill switch. Invariant: who turned it, when and why stands in the audit log, in the same transaction. */
import { appendAudit, type Origin } from '../audit/audit.ts'
import type { Db } from '../platform/db.ts'
import type { SwitchState } from './switch.ts'
import { holdSwitch, updateSwitch } from './switch.sql.ts'

export type WantedSwitch = { isOn: boolean; reason: string }

const factsOf = ({ isOn, reason }: Pick<SwitchState, 'isOn' | 'reason'>) => ({ state: isOn ? 'on' : 'off', reason })

/** Turns it if it stands otherwise, or for another reason; what stands so already is left alone. Answers with what stands then. */
export async function turnSwitch(db: Db, name: string, wanted: WantedSwitch, origin: Origin): Promise<SwitchState> {
  return db.tx(async (tx) => {
    const before = await holdSwitch(tx, name)
    if (before.isOn === wanted.isOn && before.reason === wanted.reason) return before
    const after = await updateSwitch(tx, name, { ...wanted, changedBy: origin.actor })
    await appendAudit(tx, origin, {
      action: after.isOn ? 'switch.turned_on' : 'switch.turned_off',
      object: name,
      before: factsOf(before),
      after: factsOf(after),
    })
    return after
  })
}

/** Turns a switch off unless it is off: the first reason stays, and is told once, however often the same is found. */
export async function turnOffOnce(db: Db, name: string, reason: string, origin: Origin): Promise<void> {
  await db.tx(async (tx) => {
    const before = await holdSwitch(tx, name)
    if (!before.isOn) return
    const after = await updateSwitch(tx, name, { isOn: false, reason, changedBy: origin.actor })
    await appendAudit(tx, origin, {
      action: 'switch.turned_off',
      object: name,
      before: factsOf(before),
      after: factsOf(after),
    })
  })
}
