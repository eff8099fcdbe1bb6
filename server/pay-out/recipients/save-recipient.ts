/**
 * Saves, renames and deletes a recipient. Invariant: a wallet has each number at most once, and the audit log says who changed the list of
 * people that it pays, without their names and whole numbers.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { maskPhone } from '../../domain/phone.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { assert, must, notFound, orNotFound, Refusal } from '../../platform/refusal.ts'
import type { Recipient } from './recipient.ts'
import type { ReadRecipient } from './read-recipient.ts'
import { deleteRecipient, findRecipient, findRecipientId, insertRecipient, renameRecipient } from './recipient.sql.ts'

/** Who changes it, and the check that they still may, first in the transaction; it refuses by throwing. */
export type Change = { origin: Origin; confirm(tx: Tx): Promise<void> }

async function audit(tx: Tx, owner: Owner, origin: Origin, what: { verb: string; id: string; phone: string }): Promise<void> {
  await appendAudit(tx, origin, {
    action: `recipient.${what.verb}`,
    object: toWire('rcp', what.id),
    merchantId: owner.merchant.id,
    after: { environment: owner.environment, phone: maskPhone(what.phone) },
  })
}

async function readBack(tx: Tx, owner: Owner, id: string): Promise<Recipient> {
  return must(await findRecipient(tx, owner, id), 'a recipient can be read in the transaction that wrote it')
}

/** Refuses a number that the wallet has with 409 `recipient_exists`; `details.id` names it, and it does not change. */
export async function saveRecipient(
  deps: { db: Db },
  owner: Owner,
  { name, phone }: { name: string; phone: ReadRecipient },
  { origin, confirm }: Change,
): Promise<Recipient> {
  assert(phone.errors.length === 0, 'the number was checked')
  return deps.db.tx(async (tx) => {
    await confirm(tx)
    const id = newMoneyId(owner.merchant.home)
    const made = { id, name, phoneNumber: phone.e164, network: phone.network, createdBy: origin.actor }
    if (!(await insertRecipient(tx, owner, made))) {
      const known = await findRecipientId(tx, owner, phone.e164)
      throw new Refusal(409, 'recipient_exists', 'You have saved this number already. Rename that recipient instead.', {
        param: 'phone_number',
        ...(known !== undefined && { details: { id: toWire('rcp', known) } }),
      })
    }
    const recipient = await readBack(tx, owner, id)
    await audit(tx, owner, origin, { verb: 'created', id, phone: phone.e164 })
    return recipient
  })
}

/** Refuses an unknown recipient with 404. */
export async function changeRecipient(
  deps: { db: Db },
  owner: Owner,
  id: string,
  { name }: { name?: string | undefined },
  { origin, confirm }: Change,
): Promise<Recipient> {
  return deps.db.tx(async (tx) => {
    await confirm(tx)
    if (name !== undefined && !(await renameRecipient(tx, owner, id, name))) throw notFound()
    const recipient = orNotFound(await findRecipient(tx, owner, id))
    if (name !== undefined) await audit(tx, owner, origin, { verb: 'renamed', id, phone: recipient.phoneNumber })
    return recipient
  })
}

/** Its payouts stay. Refuses an unknown recipient with 404. */
export async function removeRecipient(deps: { db: Db }, owner: Owner, id: string, { origin, confirm }: Change): Promise<void> {
  await deps.db.tx(async (tx) => {
    await confirm(tx)
    const phone = orNotFound(await deleteRecipient(tx, owner, id))
    await audit(tx, owner, origin, { verb: 'deleted', id, phone })
  })
}
