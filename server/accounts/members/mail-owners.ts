/** Mails to the owners of a merchant. */
import { collectMail, enqueueMail, type NewMail } from '../../base/mail/mail.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Tx } from '../../platform/db/db.ts'
import { listOwners } from './access.sql.ts'

/** What owners are told, in Swahili, then in English. `reason`: a text that an operator wrote for them. */
export type OwnersMail = Pick<NewMail, 'kind' | 'subject'> & { sw: string; en: string; reason: string | null }

/** Mails every owner of a merchant, in the transaction that makes it necessary. */
export async function mailOwners(deps: { sealer: Sealer }, tx: Tx, merchantId: string, mail: OwnersMail): Promise<void> {
  const why = mail.reason === null ? [] : [`Sababu · Reason:\n${mail.reason}`]
  for (const { email, fullName } of await listOwners(tx, merchantId)) {
    const text = [`Habari ${fullName},`, mail.sw, mail.en, ...why, 'Malipo'].join('\n\n')
    await enqueueMail(deps, tx, { to: email, kind: mail.kind, subject: mail.subject, text })
  }
}

/** What a person may do now, or may not do any more, in both languages. */
export type PowerNotice = { sw: string; en: string }

const kind = 'power_changed'
const subject = 'Mabadiliko ya ruhusa kwenye biashara yako · Changes of who may do what in your business'
const advice =
  'Kama hukutarajia haya, badilisha nenosiri lako na ufungue Timu na Wasanidi kwenye dashibodi.\nIf you did not expect this, change your password, and open Team and Developers in the dashboard.'

/**
 * Tells every owner of a merchant what has changed, in the transaction of the change. What happens within a quarter of an hour is in one
 * mail. It contains no text that a person typed, except the approved name of the business: the caller may be a thief.
 */
export async function tellOwners(deps: { sealer: Sealer }, tx: Tx, merchantId: string, { sw, en }: PowerNotice): Promise<void> {
  const owners = await listOwners(tx, merchantId)
  // In one order, so that two transactions that add to the mails of the same owners do not wait for each other.
  for (const { email, fullName } of owners.toSorted((one, other) => (one.email < other.email ? -1 : 1))) {
    const addition = `– ${sw}\n– ${en}`
    await collectMail(deps, tx, { to: email, kind, subject, text: `Habari ${fullName},\n\n${advice}\n\n${addition}` }, addition)
  }
}
