/** The faults of most days: random faults of the provider, its outages, receivers that fail and return. */
import type { Dice } from '../faults/model-clients.ts'
import type { ScheduledAction } from './late-payers.ts'
import { must, signInAgain, type YearMerchant } from './merchants.ts'
import { note, type Report } from './report.ts'
import type { Service } from './service.ts'

const [hourMs, dayMs] = [3_600_000, 86_400_000]

const faultRates = {
  createLostBefore: 0.02,
  createLostAfter: 0.02,
  createFailsAfter: 0.02,
  createMalformed: 0.01,
  createPay001: 0.02,
  createRateLimited: 0.02,
  createUnreachable: 0.02,
  webhookLost: 0.08,
  webhookRepeated: 0.08,
  webhookRepeatedNewId: 0.04,
  webhookBadSignature: 0.02,
  webhookOldTimestamp: 0.02,
  getFails: 0.03,
  listFails: 0.03,
}

const setRates = (service: Service, rates: Record<string, number>): Promise<void> =>
  service.setFaults({ ...service.faults, rates: { ...service.faults?.['rates'], ...rates } })

/** So that each kind of fault affects the same calls again under the same seed. */
export async function startRandomFaults(service: Service, seed: number): Promise<void> {
  await service.setFaults({ seed: String(seed), webhookDelayMs: [200, 3_000], rates: faultRates })
}

/** For two hours the provider refuses every new charge, answers no query, and sends nothing. */
async function startOutage(service: Service): Promise<ScheduledAction> {
  await setRates(service, { createUnreachable: 1, getFails: 1, listFails: 1, webhookLost: 1 })
  return {
    at: service.clock.now() + 2 * hourMs,
    what: 'the outage of the provider ends',
    act: () => setRates(service, faultRates),
  }
}

/** The provider's list of the day is late: for twenty minutes after the comparison is due, it answers none. */
export async function delayList(service: Service): Promise<void> {
  await setRates(service, { listFails: 1 })
  for (const minutes of [1, 4, 5, 10]) await service.clock.forward(minutes * 60_000)
  await setRates(service, faultRates)
}

/**
 * Stops for some hours, after which the retries reach it; rarely for six days: by then its webhook has been switched off, and its
 * owner switches it on and requests the missed events.
 */
function killReceiver(service: Service, merchant: YearMerchant, isLong: boolean): ScheduledAction {
  const { receiver, appId } = merchant
  receiver.isDead = true
  const revive = async (): Promise<void> => {
    receiver.isDead = false
    if (!isLong) return
    const path = `/developers/apps/${appId}/webhook`
    const token = await signInAgain(service, merchant)
    await must(service, 200, 'POST', path, { token, body: { url: receiver.url } })
    const [from, to] = [service.clock.now() - 8 * dayMs, service.clock.now()].map((at) => new Date(at).toISOString())
    await must(service, 200, 'POST', `${path}/replay`, { token, body: { from, to, undelivered_only: true } })
  }
  const at = service.clock.now() + (isLong ? 6 * dayMs : 4 * hourMs)
  return { at, what: `the receiver of ${merchant.name} comes back`, act: revive }
}

/** Starts faults at this moment, and returns the scheduledActions that end them. */
export async function makeTrouble(
  service: Service,
  { merchants, dice, report, mayGoOut }: { merchants: YearMerchant[]; dice: Dice; report: Report; mayGoOut: boolean },
): Promise<ScheduledAction[]> {
  const ends: ScheduledAction[] = []
  if (mayGoOut && dice.next() < 0.03) {
    note(report, 'outages of the provider')
    ends.push(await startOutage(service))
  }
  for (const merchant of merchants) {
    if (merchant.receiver.isDead || dice.next() > 0.01) continue
    const isLong = dice.next() < 0.2
    note(report, isLong ? 'receivers dead for six days' : 'receivers dead for some hours')
    ends.push(killReceiver(service, merchant, isLong))
  }
  return ends
}
