/** Mails a person a code that works once, bound to the person, the purpose and the address. */
import type { Config } from '../../config/config.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { emailVerificationMail, passwordResetMail } from './mail-texts.ts'
import { hashesOfMailedCode, newMailedCode } from './mailed-code.ts'
import {
  insertMailedToken,
  replaceMailedToken,
  tryMailedCode,
  useUpMailedTokens,
  type MailedPurpose,
} from './mailed-token.sql.ts'

export type MailTokenDeps = { sealer: Sealer; config: Pick<Config, 'mailedTokens' | 'keys'> }

type Addressee = { id: string; email: string }

async function newCode(
  deps: MailTokenDeps,
  tx: Tx,
  { id: userId, email }: Addressee,
  purpose: MailedPurpose,
  seconds: number,
  newPhoneNumber: string | null = null,
): Promise<string> {
  for (;;) {
    const code = newMailedCode()
    const [tokenHash] = hashesOfMailedCode(deps.config.keys, { userId, purpose }, code)
    const token = { tokenHash, userId, purpose, email, seconds, newPhoneNumber }
    // One code at a time: strangers who repeat the request neither end a code nor open a second one to guess.
    if (purpose === 'password_reset' && (await replaceMailedToken(tx, token, deps.config.mailedTokens.triesPerCode))) return code
    // A code that this person got before is not mailed again while its hash is stored.
    if (await insertMailedToken(tx, token)) return code
  }
}

export async function mailPasswordReset(deps: MailTokenDeps, tx: Tx, user: Addressee): Promise<void> {
  const seconds = deps.config.mailedTokens.passwordResetSeconds
  const code = await newCode(deps, tx, user, 'password_reset', seconds)
  await enqueueMail(deps, tx, passwordResetMail(user.email, code, Math.round(seconds / 60)))
}

export async function mailVerification(deps: MailTokenDeps, tx: Tx, user: Addressee): Promise<void> {
  const seconds = deps.config.mailedTokens.emailVerificationSeconds
  // One code at a time: several open ones would give a guess several chances.
  await useUpMailedTokens(tx, user.id, 'email_verification')
  const code = await newCode(deps, tx, user, 'email_verification', seconds)
  await enqueueMail(deps, tx, emailVerificationMail(user.email, code, Math.round(seconds / 60)))
}

/** Replaces the open contact change of a user; returns the code that the caller mails. `email`: where it is mailed to. */
export async function openContactChange(
  deps: MailTokenDeps,
  tx: Tx,
  { userId, email, newPhoneNumber }: { userId: string; email: string; newPhoneNumber: string | null },
): Promise<{ code: string; minutes: number }> {
  const seconds = deps.config.mailedTokens.contactChangeSeconds
  await useUpMailedTokens(tx, userId, 'contact_change')
  const code = await newCode(deps, tx, { id: userId, email }, 'contact_change', seconds, newPhoneNumber)
  return { code, minutes: Math.round(seconds / 60) }
}

/**
 * The hash of a code that was mailed to this person for this purpose, as it is stored. Refuses a wrong code with 400 `token_invalid`.
 * Committed separately, so that a wrong try counts.
 */
export async function tryCode(
  { db, config }: { db: Runner; config: MailTokenDeps['config'] },
  about: { userId: string; purpose: MailedPurpose },
  code: string,
): Promise<Buffer> {
  const hashes = hashesOfMailedCode(config.keys, about, code)
  const tokenHash = await tryMailedCode(db, { ...about, hashes, triesPerCode: config.mailedTokens.triesPerCode })
  if (!tokenHash) throw tokenInvalid()
  return tokenHash
}

export function tokenInvalid(): Refusal {
  return new Refusal(
    400,
    'token_invalid',
    'This code is wrong, expired, already used, or had too many wrong attempts. Request a new one.',
    {
      param: 'code',
    },
  )
}
