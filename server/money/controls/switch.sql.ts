/** The only statements on switches. */
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { notifyAfterCommit } from '../../platform/db/notify.sql.ts'
import type { SwitchState } from './switch.ts'

export type SwitchRow = SwitchState & { name: string }

/** The switches that were ever changed. */
export async function readSwitchRows(db: Runner): Promise<SwitchRow[]> {
  return db.rows<SwitchRow>(sql`select name, is_on, reason, changed_by, changed_at from switches`)
}

/** The current state of a switch, locked until the transaction ends: two changes run one after the other. */
export async function lockSwitch(tx: Tx, name: string): Promise<SwitchRow> {
  await tx.rows(sql`insert into switches (name) values (${name}) on conflict (name) do nothing`)
  return tx.one<SwitchRow>(sql`select name, is_on, reason, changed_by, changed_at from switches where name = ${name} for update`)
}

/** Changes a switch and notifies every process. */
export async function updateSwitch(
  tx: Tx,
  name: string,
  to: { isOn: boolean; reason: string; changedBy: string },
): Promise<SwitchRow> {
  const [row] = await tx.rows<SwitchRow>(sql`
    update switches set is_on = ${to.isOn}, reason = ${to.reason}, changed_by = ${to.changedBy}, changed_at = clock_now()
    where name = ${name}
    returning name, is_on, reason, changed_by, changed_at`)
  await notifyAfterCommit(tx, [{ channel: 'switches_changed', payload: name }])
  return row!
}
