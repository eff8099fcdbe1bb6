/** Mails to the owners of a merchant. */
import { enqueueMail, type NewMail } from '../mail/mail.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import type { Tx } from '../platform/db/db.ts'
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
