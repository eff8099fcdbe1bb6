/**
 * Raises an alert when a provider's messages have stopped: every payment still settles by our queries, but late. Providers disable an
 * address that failed too many times, without a notification.
 */
import type { Runner } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { summariseRecentCharges } from '../../collect/payments/recent-charges.sql.ts'

const windowSeconds = 30 * 60
const perHome = 50
/** This many charges that our queries settled, and none that a message reported. */
const alarmFrom = 10

export async function watchMessages(deps: { db: Runner; log: Log }): Promise<void> {
  const byProvider = new Map<string, { reported: number; queried: number; environment: string; provider: string }>()
  for (const { environment, provider, reported, queried } of await summariseRecentCharges(deps.db, { windowSeconds, perHome })) {
    const sums = byProvider.get(`${environment} ${provider}`) ?? { environment, provider, reported: 0, queried: 0 }
    byProvider.set(`${environment} ${provider}`, { ...sums, reported: sums.reported + reported, queried: sums.queried + queried })
  }
  for (const { environment, provider, reported, queried } of byProvider.values()) {
    if (reported > 0 || queried < alarmFrom) continue
    deps.log.error('provider.messages_stopped', new Error('messages_stopped'), {
      alert: true,
      environment,
      provider,
      learned_by_asking: queried,
      window_minutes: windowSeconds / 60,
    })
  }
}
