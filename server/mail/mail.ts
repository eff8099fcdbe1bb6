/**
 * A mail to one person. Invariant: it is written in the transaction that makes it necessary, so neither is there without the other,
 * and what it says can be read nowhere but in the mail itself: sealed while it waits, erased when it is finished.
 */
import type { Runner } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { assert } from '../platform/refusal.ts'
import type { Sealer } from '../platform/secrets.ts'
import { insertMail } from './mail.sql.ts'

export type NewMail = {
  /** One bare address, without a name. */
  to: string
  /** What it is for, as a word such as `password_reset`: for counting and for logs. */
  kind: string
  /** One line. */
  subject: string
  text: string
}

export type MailContent = Pick<NewMail, 'subject' | 'text'>

// Whoever could put a line break or a second address in here could write headers and add recipients of their own.
const oneAddress = /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[^\s\p{Cc}"(),:;<>@[\\\]]+$/u
const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u
const maxAddressLength = 254
const maxTextLength = 20_000

function contextOf(id: string): string {
  return `mails.sealed_content.${id}`
}

/** Writes a mail in the transaction that makes it necessary; the worker sends it. */
export async function enqueueMail(deps: { sealer: Sealer }, runner: Runner, mail: NewMail): Promise<void> {
  const { to, kind, subject, text } = mail
  assert(oneAddress.test(to) && to.length <= maxAddressLength, 'a mail goes to one bare address')
  assert(oneLine.test(subject), 'the subject of a mail is one line of at most 200 characters')
  assert(text.length <= maxTextLength, `the text of a mail has at most ${maxTextLength} characters`)
  const id = newId()
  const content: MailContent = { subject, text }
  await insertMail(runner, { id, kind, recipient: to, sealedContent: deps.sealer.seal(JSON.stringify(content), contextOf(id)) })
}

/** What a mail says; throws when the sealed content does not belong to it. */
export function openContent(sealer: Sealer, id: string, sealedContent: string): MailContent {
  return JSON.parse(sealer.open(sealedContent, contextOf(id))) as MailContent
}
