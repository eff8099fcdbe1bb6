/**
 * The mails to owners about their live keys. Invariant: these mails contain no text that a person typed, because the creator of
 * a key may be a thief.
 */
import { mailOwners } from '../members/mail-owners.ts'
import type { Tx } from '../platform/db/db.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import type { Key } from './key.ts'

const texts = {
  key_created: {
    subject: 'Ufunguo mpya wa API · A new API key',
    sw: 'Ufunguo mpya wa API wa mazingira halisi umetengenezwa',
    en: 'A new API key for the live environment was made',
  },
  key_rolled: {
    subject: 'Ufunguo wa API umebadilishwa · An API key was replaced',
    sw: 'Ufunguo wa API wa mazingira halisi umebadilishwa na mpya',
    en: 'An API key for the live environment was replaced by a new one',
  },
  key_widened: {
    subject: 'Anwani za ufunguo wa API zimebadilishwa · The addresses of an API key were changed',
    sw: 'Ufunguo wa API wa mazingira halisi sasa unaweza kutumika kutoka anwani nyingine za mtandao',
    en: 'An API key for the live environment may now be used from other network addresses',
  },
} as const

/** Mails the owners of the merchant of a key, in the transaction that changes it; no mails for test keys. */
export async function mailAboutKey(
  deps: { sealer: Sealer },
  tx: Tx,
  merchantId: string,
  key: Pick<Key, 'environment' | 'last4'>,
  kind: keyof typeof texts,
): Promise<void> {
  if (key.environment === 'test') return
  const { subject, sw, en } = texts[kind]
  await mailOwners(deps, tx, merchantId, {
    kind,
    subject,
    sw: `${sw} (…${key.last4}). Kama si wewe, futa ufunguo huo kwenye dashibodi na ubadilishe nenosiri lako mara moja.`,
    en: `${en} (…${key.last4}). If this was not you, revoke the key in the dashboard and change your password at once.`,
    reason: null,
  })
}
