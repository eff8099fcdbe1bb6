/** Mails a person a code that works once. Invariant: only its hash is stored, bound to the person, the purpose and the address. */
import type { Config } from '../config.ts'
import { enqueueMail } from '../mail/mail.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../platform/refusal.ts'
import type { Sealer } from '../platform/secrets.ts'
import { emailVerificationMail, passwordResetMail } from './mail-texts.ts'
import { insertMailedToken } from './mailed-token.sql.ts'
import { hashOfToken, newToken } from './one-use-token.ts'

export type MailTokenDeps = { sealer: Sealer; config: Pick<Config, 'mailedTokens'> }

type Addressee = { id: string; email: string }

export async function mailPasswordReset(deps: MailTokenDeps, tx: Tx, { id: userId, email }: Addressee): Promise<void> {
  const token = newToken()
  const seconds = deps.config.mailedTokens.passwordResetSeconds
  await insertMailedToken(tx, { tokenHash: hashOfToken(token), userId, purpose: 'password_reset', email, seconds })
  await enqueueMail(deps, tx, passwordResetMail(email, token, Math.round(seconds / 60)))
}

export async function mailVerification(deps: MailTokenDeps, tx: Tx, { id: userId, email }: Addressee): Promise<void> {
  const token = newToken()
  const seconds = deps.config.mailedTokens.emailVerificationSeconds
  await insertMailedToken(tx, { tokenHash: hashOfToken(token), userId, purpose: 'email_verification', email, seconds })
  await enqueueMail(deps, tx, emailVerificationMail(email, token, Math.round(seconds / 3600)))
}

export function tokenInvalid(): Refusal {
  return new Refusal(400, 'token_invalid', 'This code is wrong, has expired or was used before. Ask for a new one.', {
    param: 'token',
  })
}
