/** Changes a kill switch. Invariant: the audit log records who, when and why, in the same transaction. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { countComparisonsLeft, forceRestores } from './restore.sql.ts'
import { payoutFreeze, switchesOffAfterRestore, type SwitchState } from './switch.ts'
import { lockSwitch, updateSwitch } from './switch.sql.ts'

/** `isForced`: turn it on although a restored database has not been compared with the providers. */
export type WantedSwitch = { isOn: boolean; reason: string; isForced?: boolean }

/** Refuses, in the transaction, an operator who may no longer act. */
export type Confirm = (tx: Tx) => Promise<void>

const factsOf = ({ isOn, reason }: Pick<SwitchState, 'isOn' | 'reason'>) => ({ state: isOn ? 'on' : 'off', reason })

/** Refuses with 409 to let money move before a restored database was compared; when forced, payouts no longer wait for the comparison. */
async function refuseBeforeCompared(tx: Tx, name: string, wanted: WantedSwitch, origin: Origin): Promise<void> {
  if (!wanted.isOn || !switchesOffAfterRestore.includes(name)) return
  const comparisonsLeft = await countComparisonsLeft(tx)
  if (comparisonsLeft === undefined) return
  if (!wanted.isForced) {
    throw new Refusal(
      409,
      'restore_not_compared',
      'The database was restored, and the lost time has not been compared with the providers yet. Wait for the comparison, or switch on without it (`force`).',
      { details: { comparisons_left: comparisonsLeft } },
    )
  }
  if (name === payoutFreeze) await forceRestores(tx, { actor: origin.actor, reason: wanted.reason })
}

/** Changes the switch if its state or its reason differs; otherwise nothing changes. Returns the state afterwards. */
export async function turnSwitch(
  db: Db,
  name: string,
  wanted: WantedSwitch,
  origin: Origin,
  confirm?: Confirm,
): Promise<SwitchState> {
  return db.tx(async (tx) => {
    const before = await lockSwitch(tx, name)
    await confirm?.(tx)
    await refuseBeforeCompared(tx, name, wanted, origin)
    if (before.isOn === wanted.isOn && before.reason === wanted.reason) return before
    const after = await updateSwitch(tx, name, { ...wanted, changedBy: origin.actor })
    await appendAudit(tx, origin, {
      action: after.isOn ? 'switch.turned_on' : 'switch.turned_off',
      object: name,
      before: factsOf(before),
      after: { ...factsOf(after), ...(wanted.isForced && { forced: true }) },
    })
    return after
  })
}

/** Turns a switch off unless it is already off: the first reason stays and is announced once, for repeated findings too. */
export async function turnOffOnce(db: Db, name: string, reason: string, origin: Origin): Promise<void> {
  await db.tx((tx) => turnOffOnceWithin(tx, name, reason, origin))
}

/** The same in the caller's transaction. */
export async function turnOffOnceWithin(tx: Tx, name: string, reason: string, origin: Origin): Promise<void> {
  const before = await lockSwitch(tx, name)
  if (!before.isOn) return
  const after = await updateSwitch(tx, name, { isOn: false, reason, changedBy: origin.actor })
  await appendAudit(tx, origin, {
    action: 'switch.turned_off',
    object: name,
    before: factsOf(before),
    after: factsOf(after),
  })
}
