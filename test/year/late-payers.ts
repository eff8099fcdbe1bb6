/**
 * Late changes by the provider: payers whose charge failed and who still pay, from a minute to six days later, without a message
 * from the provider; payouts that it had returned and that reach their recipient after all.
 */
import assert from 'node:assert/strict'
import type { Dice } from '../faults/model-clients.ts'
import type { Asked, AskedPayout } from './payers.ts'
import type { Service } from './service.ts'
import type { Truth } from './wallets.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

/**
 * The delay, and the time within which the payment has to be credited (docs: `cases/time.md` T05); without a time, by the next
 * daily comparison.
 */
const delays = [
  { afterMs: minuteMs, withinMs: 10 * minuteMs },
  { afterMs: 30 * minuteMs, withinMs: 10 * minuteMs },
  { afterMs: 5 * hourMs, withinMs: 10 * minuteMs },
  { afterMs: 26 * hourMs },
  { afterMs: 6 * 24 * hourMs },
] as const

/**
 * For a paid payment whose success is not yet reported, a message states an absurdly large fee; the provider's own books have the
 * right one. Returns whether such a payment existed.
 */
export async function reportWrongFee(service: Service, asked: Asked[]): Promise<boolean> {
  for (const { reference } of asked) {
    const charge = await statusAt(service, reference)
    if (charge?.status !== 'completed' || (await statusHere(service, reference)) === 'completed') continue
    await service.control('POST', `/charges/${charge.reference}/webhook`, { type: 'completed', fee: 999_999_999 })
    return true
  }
  return false
}

export type ScheduledAction = { at: number; what: string; act(): Promise<void> }

const endsWithoutMoney = ['failed', 'voided', 'expired']

async function statusAt(service: Service, reference: string): Promise<{ reference: string; status: string } | undefined> {
  const answer = await fetch(`${service.simulatorUrl}/__truth?metadata.malipo_payment=${reference}`)
  return ((await answer.json()) as { charges: { reference: string; status: string }[] }).charges[0]
}

export async function statusHere(service: Service, reference: string): Promise<string> {
  const { body } = await service.call('GET', `/v1/payments/${reference}/status`)
  return body.data?.status
}

/** Of the requested payments, perhaps one that has failed and will be paid late: the event, and the time to check it. */
export async function payLate(service: Service, dice: Dice, asked: Asked[], truth: Truth): Promise<ScheduledAction[]> {
  const failed: { here: Asked; there: string }[] = []
  for (const one of asked.slice(-6)) {
    const charge = await statusAt(service, one.reference)
    if (
      charge &&
      endsWithoutMoney.includes(charge.status) &&
      endsWithoutMoney.includes(await statusHere(service, one.reference))
    ) {
      failed.push({ here: one, there: charge.reference })
    }
  }
  if (failed.length === 0) return []
  const { here, there } = dice.one(failed)
  truth.paysLater.add(here.reference)
  const delay = dice.one(delays)
  const paidAt = service.clock.now() + delay.afterMs
  const paid: ScheduledAction = {
    at: paidAt,
    what: `payment ${here.reference} is paid ${delay.afterMs / minuteMs} minutes late`,
    act: async () => void (await service.control('POST', `/charges/${there}/answer`, { action: 'complete', copies: 0 })),
  }
  // A payment that ended a day ago is found by the next daily comparison.
  if (!('withinMs' in delay) || paidAt > here.at + 23 * hourMs) return [paid]
  const credited: ScheduledAction = {
    at: paidAt + delay.withinMs,
    what: `payment ${here.reference} is credited within ten minutes`,
    act: async () =>
      assert.equal(await statusHere(service, here.reference), 'completed', `${paid.what}, and is not credited ten minutes after`),
  }
  // A provider that does not answer the first time is queried again within the ten minutes.
  const asks: ScheduledAction = {
    at: paidAt + delay.withinMs / 2,
    what: 'the comparison of the next five minutes',
    act: async () => {},
  }
  return [paid, asks, credited]
}

const payoutDelays = [hourMs, 30 * hourMs, 3 * 24 * hourMs] as const
/** With the longest delay, less than the week in which the service queries returned payouts. */
const youngMs = 3 * 24 * hourMs

/** Of the payouts of the last days, perhaps one that was returned and will be paid later. */
export async function payOutLate(service: Service, dice: Dice, payouts: AskedPayout[]): Promise<ScheduledAction[]> {
  const returned: { id: string; reference: string }[] = []
  for (const { id } of payouts.filter(({ at }) => at > service.clock.now() - youngMs)) {
    const answer = await fetch(`${service.simulatorUrl}/__truth?metadata.malipo_payout=${id}`)
    const [there] = ((await answer.json()) as { payouts: { reference: string; status: string; history: { what: string }[] }[] })
      .payouts
    const isFirst = there?.history.filter(({ what }) => what === 'completed').length === 0
    if (there && isFirst && ['failed', 'reversed'].includes(there.status)) returned.push({ id, reference: there.reference })
  }
  if (returned.length === 0) return []
  const { id, reference } = dice.one(returned)
  const at = service.clock.now() + dice.one(payoutDelays)
  const what = `payout ${id} is paid after all`
  return [
    {
      at,
      what,
      act: async () => void (await service.control('POST', `/payouts/${reference}/answer`, { action: 'pay_after_all' })),
    },
  ]
}
