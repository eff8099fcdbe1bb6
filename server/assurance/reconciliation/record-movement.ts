/** Records money that reached or left our account with a provider outside of charges and payouts. Invariant: a reference is recorded once. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Confirm } from '../../money/controls/turn-switch.ts'
import type { Db } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { invalidFields, invalidState } from '../../platform/refusal.ts'
import { findMovement, insertMovement, type Movement, type RecordedMovement } from './balance.sql.ts'
import { insertRun } from './run.sql.ts'
import { lineOfText } from '../../platform/http/text.ts'
import { z } from 'zod'

export type WantedMovement = Omit<Movement, 'id' | 'recordedBy'>

const most = 999_999_999_999_999

/** What a person enters about a movement, read in one way everywhere: a reference that is written in two ways would count twice. */
export const movementFields = {
  amount: z.int().min(-most).max(most).meta({ description: 'TZS above 0; only a correction may be negative.' }),
  reference: lineOfText(100)
    .overwrite((text) => text.replace(/\s+/g, ' '))
    .meta({ description: 'Its name on the statement of the provider or the bank.' }),
  note: lineOfText(300),
}

export const amountRule = 'Send TZS above 0; only a correction may be negative, and an opening balance 0.'

export function fitsKind({ kind, amount }: Pick<WantedMovement, 'kind' | 'amount'>): boolean {
  return kind === 'correction' ? amount !== 0 : amount >= (kind === 'opening' ? 0 : 1)
}

/**
 * `amount`: TZS; above zero, except for a correction, which may be negative. The same movement again changes nothing. Refuses with 409
 * another one under a recorded reference, and a second opening balance. The balance is compared again at once.
 */
export async function recordMovement(
  db: Db,
  wanted: WantedMovement,
  origin: Origin,
  /** Refuses, in the transaction, an operator who may no longer act. */
  confirm?: Confirm,
): Promise<RecordedMovement> {
  const { provider, environment, kind, reference } = wanted
  if (!fitsKind(wanted)) throw invalidFields([{ field: 'amount', code: 'invalid', message: amountRule }])
  const amount = kind === 'withdrawal' ? -wanted.amount : wanted.amount
  return db.tx(async (tx) => {
    await confirm?.(tx)
    const id = newId()
    const recorded = await insertMovement(tx, { ...wanted, id, amount, recordedBy: origin.actor })
    if (!recorded) {
      const before = await findMovement(tx, wanted)
      if (before?.kind === kind && before.amount === amount) return before
      throw before
        ? invalidState('Another movement has this reference.', 'Mwendo mwingine wa pesa una kumbukumbu hii.')
        : invalidState(
            'The opening balance of this account is already recorded. Record a correction.',
            'Salio la kuanzia la akaunti hii limeshaandikwa. Andika sahihisho.',
          )
    }
    await appendAudit(tx, origin, {
      action: 'provider.movement_recorded',
      object: toWire('pmv', id),
      after: { provider, environment, kind, amount, reference, note: wanted.note },
    })
    await insertRun(tx, {
      id: newId(),
      kind: 'balance',
      subject: 'payouts',
      provider,
      environment,
      day: null,
      requestedBy: origin.actor,
    })
    return recorded
  })
}
