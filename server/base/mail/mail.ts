/**
 * A mail to one person. Invariant: it is written in the transaction that requires it, so both are committed or neither is. Its content can
 * be read only in the mail itself: it is sealed while the mail waits and erased when the mail is finished.
 */
import type { Runner, Tx } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import { assert } from '../../platform/refusal.ts'
import type { SealedColumn } from '../../platform/db/sealed-column.sql.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { insertMails, lockWaitingMail, replaceContent } from './mail.sql.ts'

export type NewMail = {
  /** One bare address, without a name. */
  to: string
  /** The purpose as a word such as `password_reset`, for counts and logs. */
  kind: string
  /** One line. */
  subject: string
  text: string
  /** The same as a complete HTML document, for readers that show HTML. */
  html?: string
  /** One of many that are made at once: mail that a person waits for goes first. */
  isBulk?: boolean
  /** Names the mail in its Message-ID. Only for a mail that a restored database may write again. */
  id?: string
}

export type MailContent = Pick<NewMail, 'subject' | 'text' | 'html'>

// A line break or a second address in these fields would let an attacker add headers and recipients.
const oneAddress = /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[^\s\p{Cc}"(),:;<>@[\\\]]+$/u
const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u
const maxAddressLength = 254
const maxTextLength = 20_000

function contextOf(id: string): string {
  return `mails.sealed_content.${id}`
}

export const mailColumns: SealedColumn[] = [{ table: 'mails', column: 'sealed_content', id: 'id', contextOf }]

/** Whether this is a valid recipient: one bare address, without a name. */
export function isMailAddress(to: string): boolean {
  return oneAddress.test(to) && to.length <= maxAddressLength
}

/** By what a limit of mails counts: mail to `asha+duka@…` arrives at `asha@…`. */
export function mailboxOf(address: string): string {
  return address.toLowerCase().replace(/(?<=.)\+.*(?=@)/, '')
}

/** Writes mails in the transaction that requires them. The worker sends them. */
export async function enqueueMails(
  deps: { sealer: Sealer },
  runner: Runner,
  mails: NewMail[],
  dueAfterMinutes = 0,
): Promise<void> {
  const rows = mails.map(({ to, kind, subject, text, html, isBulk = false, id = newId() }) => {
    assert(isMailAddress(to), 'a mail goes to one bare address')
    assert(oneLine.test(subject), 'the subject of a mail is one line of at most 200 characters')
    for (const part of [text, html ?? '']) {
      assert(part.length <= maxTextLength, `the text of a mail has at most ${maxTextLength} characters`)
    }
    const content: MailContent = { subject, text, html }
    return { id, kind, recipient: to, isBulk, sealedContent: deps.sealer.seal(JSON.stringify(content), contextOf(id)) }
  })
  await insertMails(runner, rows, dueAfterMinutes)
}

/** Writes one mail in the transaction that requires it. */
export async function enqueueMail(deps: { sealer: Sealer }, runner: Runner, mail: NewMail): Promise<void> {
  await enqueueMails(deps, runner, [mail])
}

/** How long the texts of one kind to one person are collected into one mail. */
const collectMinutes = 15

/** Adds `addition` to the mail of this kind that waits for the same person; without one, `mail` waits for further texts. */
export async function collectMail(deps: { sealer: Sealer }, tx: Tx, mail: NewMail, addition: string): Promise<void> {
  const waiting = await lockWaitingMail(tx, { recipient: mail.to, kind: mail.kind })
  const content = waiting && openContent(deps.sealer, waiting.id, waiting.sealedContent)
  const text = `${content?.text}\n\n${addition}`
  if (!waiting || text.length > maxTextLength) return enqueueMails(deps, tx, [mail], collectMinutes)
  await replaceContent(tx, waiting.id, deps.sealer.seal(JSON.stringify({ ...content, text }), contextOf(waiting.id)))
}

/** The content of a mail. Throws when the sealed content does not belong to it. */
export function openContent(sealer: Sealer, id: string, sealedContent: string): MailContent {
  return JSON.parse(sealer.open(sealedContent, contextOf(id))) as MailContent
}
