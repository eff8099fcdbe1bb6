/**
 * Raises an alert when a provider's messages have stopped: every payment still settles by our queries, but late. Providers disable an
 * address that failed too many times, without a notification.
 */
import type { Runner } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { summariseRecentCharges } from '../payments/recent-charges.sql.ts'

const windowSeconds = 30 * 60
const perHome = 50
/** This many charges that our queries settled, and none that a message reported. */
const alarmFrom = 10

export async function watchMessages(deps: { db: Runner; log: Log }): Promise<void> {
  const byProvider = new Map<string, { heard: number; asked: number; environment: string; provider: string }>()
  for (const { environment, provider, heard, asked } of await summariseRecentCharges(deps.db, { windowSeconds, perHome })) {
    const sums = byProvider.get(`${environment} ${provider}`) ?? { environment, provider, heard: 0, asked: 0 }
    byProvider.set(`${environment} ${provider}`, { ...sums, heard: sums.heard + heard, asked: sums.asked + asked })
  }
  for (const { environment, provider, heard, asked } of byProvider.values()) {
    if (heard > 0 || asked < alarmFrom) continue
    deps.log.error('provider.messages_stopped', new Error('messages_stopped'), {
      alert: true,
      environment,
      provider,
      learned_by_asking: asked,
      window_minutes: windowSeconds / 60,
    })
  }
}
