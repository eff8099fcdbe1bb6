/** The mail to the people who may approve. It contains no text that a person typed, except the name of the business. */
import type { ApprovalKind } from '../../domain/approval.ts'
import type { Owner } from '../identity/merchant.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Config } from '../../config/config.ts'
import { shillings } from '../../domain/currency.ts'
import { toWire } from '../../platform/ids.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Tx } from '../../platform/db/db.ts'
import { listMembersWith } from './access.sql.ts'
import { approvingRoles } from './approval-rule.ts'

/** What waits, and what happens without an approval. `sum`: in brackets, or empty. Only a payout is known to have reserved its money. */
const sentences: Record<ApprovalKind, (business: string, sum: string) => readonly [sw: string, en: string]> = {
  payout: (business, sum) => [
    `Kuna malipo ya ${business}${sum} yanayosubiri idhini yako. Yafungue kwenye dashibodi, chini ya Idhini. Yasipoidhinishwa ndani ya saa 72, yataghairiwa na fedha zitarudi kwenye pochi.`,
    `A payout of ${business}${sum} waits for your approval. Open Approvals in the dashboard. What is not approved within 72 hours is cancelled, and its money returns to the wallet.`,
  ],
  refund: (business, sum) => [
    `Kuna marejesho ya fedha ya ${business}${sum} yanayosubiri idhini yako. Yafungue kwenye dashibodi, chini ya Idhini. Yasipoidhinishwa ndani ya saa 72, yataghairiwa.`,
    `A refund of ${business}${sum} waits for your approval. Open Approvals in the dashboard. What is not approved within 72 hours is cancelled.`,
  ],
  payout_batch: (business, sum) => [
    `Kuna orodha ya malipo ya ${business}${sum} inayosubiri idhini yako. Ifungue kwenye dashibodi, chini ya Idhini. Isipoidhinishwa ndani ya saa 72, hakuna kitakacholipwa.`,
    `A payout batch of ${business}${sum} waits for your approval. Open Approvals in the dashboard. If it is not approved within 72 hours, nothing is paid.`,
  ],
  rule_change: (business) => [
    `Kuna ombi la kulegeza au kuondoa kanuni ya idhini ya ${business}, na linasubiri idhini yako. Lifungue kwenye dashibodi, chini ya Idhini. Lisipoidhinishwa ndani ya saa 72, kanuni ya sasa itabaki.`,
    `A looser approval rule of ${business}, or none, waits for your approval. Open Approvals in the dashboard. If it is not approved within 72 hours, the present rule stays.`,
  ],
  member_role: (business) => [
    `Mtu anaombewa jukumu jipya kwenye ${business}, na linasubiri idhini yako. Lifungue kwenye dashibodi, chini ya Idhini. Lisipoidhinishwa ndani ya saa 72, halitatolewa.`,
    `A new role in ${business} waits for your approval. Open Approvals in the dashboard. What is not approved within 72 hours is not given.`,
  ],
}

export type ApprovalMailDeps = { sealer: Sealer; config: Pick<Config, 'urls'> }

/** Mails everyone who may approve, except the requester. Test money is no reason for a mail. `amount`: TZS; null for what is no money. */
export async function mailApprovers(
  deps: ApprovalMailDeps,
  tx: Tx,
  { merchant, environment }: Owner,
  { kind, amount }: { kind: ApprovalKind; amount: number | null },
  requesterId: string,
): Promise<void> {
  if (environment === 'test') return
  const sum = amount === null ? '' : ` (${shillings(amount)})`
  const said = sentences[kind](merchant.displayName, sum)
  // A list of mails shows only the subject.
  const short = amount === null ? '' : `: ${shillings(amount)}`
  const link = `${deps.config.urls.api}/dashboard/${toWire('biz', merchant.id)}/live/approvals`
  for (const { userId, email, fullName } of await listMembersWith(tx, merchant.id, approvingRoles(environment))) {
    if (userId === requesterId) continue
    const text = [`Habari ${fullName},`, ...said, link, 'Malipo'].join('\n\n')
    await enqueueMail(deps, tx, {
      to: email,
      kind: 'approval_waits',
      subject: `Idhini inasubiriwa${short} · An approval waits${short}`,
      text,
    })
  }
}
