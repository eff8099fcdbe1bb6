/** Payers whose charge failed, and who pay all the same, from a minute to six days later, without a word of the provider's. */
import assert from 'node:assert/strict'
import type { Dice } from '../faults/model-clients.ts'
import type { Asked } from './payers.ts'
import type { Service } from './service.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]

/** How much later, and within what time it has to be credited (docs: `cases/time.md` T05); without one, by the next daily comparison. */
const delays = [
  { afterMs: minuteMs, withinMs: 10 * minuteMs },
  { afterMs: 30 * minuteMs, withinMs: 10 * minuteMs },
  { afterMs: 5 * hourMs, withinMs: 10 * minuteMs },
  { afterMs: 26 * hourMs },
  { afterMs: 6 * 24 * hourMs },
] as const

export type Appointment = { at: number; what: string; act(): Promise<void> }

const endsWithoutMoney = ['failed', 'voided', 'expired']

async function statusAt(service: Service, reference: string): Promise<{ reference: string; status: string } | undefined> {
  const answer = await fetch(`${service.simulatorUrl}/__truth?metadata.malipo_payment=${reference}`)
  return ((await answer.json()) as { charges: { reference: string; status: string }[] }).charges[0]
}

export async function statusHere(service: Service, reference: string): Promise<string> {
  const { body } = await service.call('GET', `/v1/payments/${reference}/status`)
  return body.data?.status
}

/** Of the payments asked for, perhaps one that has failed and will be paid late: what will happen, and when it is looked after. */
export async function payLate(service: Service, dice: Dice, asked: Asked[]): Promise<Appointment[]> {
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
  const delay = dice.one(delays)
  const paidAt = service.clock.now() + delay.afterMs
  const paid: Appointment = {
    at: paidAt,
    what: `payment ${here.reference} is paid ${delay.afterMs / minuteMs} minutes late`,
    act: async () => void (await service.control('POST', `/charges/${there}/answer`, { action: 'complete', copies: 0 })),
  }
  if (!('withinMs' in delay)) return [paid]
  const credited: Appointment = {
    at: paidAt + delay.withinMs,
    what: `payment ${here.reference} is credited within ten minutes`,
    act: async () =>
      assert.equal(await statusHere(service, here.reference), 'completed', `${paid.what}, and is not credited ten minutes after`),
  }
  return [paid, credited]
}
