/** What a person who leaves a business has made there and goes on without them: owners look at each of it. */
import { z } from 'zod'
import { listDeeds, type Deed } from '../../base/audit/audit.sql.ts'
import type { Runner } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { PowerNotice } from './mail-owners.ts'

/** By the action of the audit log, with the words of the mail. */
const kinds: Record<string, PowerNotice> = {
  'key.created': { sw: 'funguo za API', en: 'API keys' },
  'key.rolled': { sw: 'funguo za API zilizobadilishwa', en: 'rolled API keys' },
  'key.granted': { sw: 'funguo za API zilizopewa ruhusa', en: 'granted API keys' },
  'webhook.saved': { sw: 'webhook', en: 'webhooks' },
  'redirect_host.registered': { sw: 'tovuti za kurudisha walipaji', en: 'redirect hosts' },
  'approval_rule.set': { sw: 'kanuni za idhini', en: 'approval rules' },
  'payment_page.created': { sw: 'kurasa za malipo', en: 'payment pages' },
}

const mostListed = 100

export const leftBehindSchema = z.array(
  z.object({
    action: z.string().meta({ description: 'What they did, as in the list of activities: `key.created`.' }),
    object: z.string().meta({ description: 'The id of what it was done to.' }),
    at: z.iso.datetime(),
    details: z.record(z.string(), z.unknown()),
  }),
)

export const listLeftBehind = (db: Runner, merchantId: string, userId: string): Promise<Deed[]> =>
  listDeeds(db, { actor: toWire('usr', userId), merchantId, actions: Object.keys(kinds), limit: mostListed })

export function leftBehindToJson(deeds: readonly Deed[]): z.infer<typeof leftBehindSchema> {
  return deeds.map(({ action, object, at, after }) => ({
    action,
    object,
    at: at.toISOString(),
    details: (after ?? {}) as Record<string, unknown>,
  }))
}

/** The same for the owners' mail: how many of each kind. */
export function leftBehindNotice(deeds: readonly Deed[]): PowerNotice {
  const counts = Object.entries(kinds)
    .map(([action, words]) => ({
      words,
      count: new Set(deeds.filter((one) => one.action === action).map(({ object }) => object)).size,
    }))
    .filter(({ count }) => count > 0)
  const said = (language: keyof PowerNotice): string => counts.map(({ words, count }) => `${words[language]} ${count}`).join(', ')
  return {
    sw: `Alitengeneza, na bado vinafanya kazi hadi uvifute: ${said('sw')}.`,
    en: `Made by this person, and still there until you remove them: ${said('en')}.`,
  }
}
