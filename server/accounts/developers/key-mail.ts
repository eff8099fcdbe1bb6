/**
 * What owners are told about their live keys. Invariant: it contains no text that a person typed, because the creator of a key may be a
 * thief.
 */
import { tellOwners } from '../members/mail-owners.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Key } from './key.ts'

const texts = {
  key_created: {
    sw: 'Ufunguo mpya wa API wa mazingira halisi umetengenezwa',
    en: 'A new API key for the live environment was made',
  },
  key_rolled: {
    sw: 'Ufunguo wa API wa mazingira halisi umebadilishwa na mpya',
    en: 'An API key for the live environment was replaced by a new one',
  },
  key_widened: {
    sw: 'Ufunguo wa API wa mazingira halisi sasa unaweza kutumika kutoka anwani nyingine za mtandao',
    en: 'An API key for the live environment may now be used from other network addresses',
  },
  key_changed: {
    sw: 'Ufunguo wa API wa mazingira halisi umebadilishwa',
    en: 'An API key for the live environment was changed',
  },
  key_granted: {
    sw: 'Ufunguo wa API wa mazingira halisi umepewa ruhusa zilizokuwa zikisubiri',
    en: 'An API key for the live environment was granted the scopes that waited',
  },
  key_kept: { sw: 'Ufunguo wa API wa mazingira halisi umeamuliwa uendelee', en: 'An API key for the live environment was kept' },
  key_unkept: {
    sw: 'Aliyetoa ruhusa za ufunguo wa API wa mazingira halisi ameondoka au hana tena haki hizo. Uendelee nao au ufute kwenye Watengenezaji; baada ya saa 72 bila jibu hautatuma pesa',
    en: 'The person who granted the scopes of an API key for the live environment has left or no longer has these rights. Keep or revoke the key under Developers; after 72 hours without an answer it makes no payouts',
  },
  key_paused: {
    sw: 'Akaunti ya aliyetengeneza ufunguo wa API wa mazingira halisi imefungwa. Ufunguo hautatuma pesa hadi mmiliki au meneja atakapouruhusu kwenye Watengenezaji. Kama hukuutarajia, ufute',
    en: 'The account of the person who made an API key for the live environment was disabled. The key makes no payouts until an owner or admin grants it under Developers. If you did not expect the key, revoke it',
  },
  key_revoked: { sw: 'Ufunguo wa API wa mazingira halisi umefutwa', en: 'An API key for the live environment was revoked' },
} as const

/** Tells the owners of the merchant of a key, in the transaction that changes it; nothing about test keys. */
export async function mailAboutKey(
  deps: { sealer: Sealer },
  tx: Tx,
  merchantId: string,
  key: Pick<Key, 'environment' | 'last4'>,
  kind: keyof typeof texts,
): Promise<void> {
  if (key.environment === 'test') return
  const { sw, en } = texts[kind]
  await tellOwners(deps, tx, merchantId, { sw: `${sw} (…${key.last4}).`, en: `${en} (…${key.last4}).` })
}
