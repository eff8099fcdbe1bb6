/** The requests of payers and merchants in one part of a day: payments with every kind of result, and payouts. */
import assert from 'node:assert/strict'
import type { Dice } from '../faults/model-clients.ts'
import type { ScheduledAction } from './late-payers.ts'
import { must, type YearMerchant } from './merchants.ts'
import type { Service } from './service.ts'

/** Last digits of a payer's number, by frequency (simulator/scenarios.ts says what each does). */
const payerKinds: [string, number][] = [
  ['789', 40],
  ['139', 4],
  ['149', 2],
  ['159', 3],
  ['169', 2],
  ['179', 2],
  ['189', 0.3],
  ['199', 1],
  ['219', 1],
  ['229', 1],
  ['249', 1],
  ['269', 1],
  ['279', 1],
  ['289', 1],
  ['039', 3],
  ['049', 4],
  ['059', 2],
  ['079', 2],
  ['129', 0.5],
]

const recipientKinds: [string, number][] = [
  ['123', 20],
  ['089', 2],
  ['119', 1],
  ['129', 1],
  ['139', 2],
  ['159', 1],
  ['199', 1],
  ['219', 1],
  ['229', 1],
  ['249', 1],
  ['289', 1],
  ['309', 1],
  ['329', 1],
]

const phoneOf = (dice: Dice, suffix: string): string => `+255754${String(dice.below(1000)).padStart(3, '0')}${suffix}`

export type Asked = { reference: string; merchant: YearMerchant; amount: number; at: number }

export type AskedPayout = { key: string; id: string; merchant: YearMerchant; body: Record<string, unknown>; at: number }

/** One checkout; repeated under its key while the api was down. */
export async function pay(
  service: Service,
  merchant: YearMerchant,
  dice: Dice,
  name: string,
  request?: { slug: string; amount: number },
): Promise<Asked> {
  const amount = request?.amount ?? 500 + 100 * dice.below(300)
  const data = await insist(service, [200, 201], '/v1/payments/checkout', {
    body: {
      slug: request?.slug ?? merchant.slug,
      phone_number: phoneOf(dice, dice.weighted(payerKinds)),
      customer_name: 'Juma Hamisi',
      customer_email: 'juma@example.com',
      idempotency_key: name,
      amount,
    },
  })
  return { reference: data.reference, merchant, amount, at: service.clock.now() }
}

/** A payout of a part of the balance; undefined where the balance is too small, or payouts of the merchant are on hold. */
export async function payOut(
  service: Service,
  merchant: YearMerchant,
  dice: Dice,
  key: string,
): Promise<AskedPayout | undefined> {
  const { available } = await must(service, 200, 'GET', '/v1/balance', { key: merchant.key })
  if (available < 20_000) return undefined
  const body = {
    amount: 5_000 + 100 * dice.below(50),
    phone_number: phoneOf(dice, dice.weighted(recipientKinds)),
    recipient_name: 'Asha Salum',
  }
  const answer = await askPayout(service, merchant, key, body)
  if (answer.status === 409 && answer.body.error.code === 'payouts_on_hold') return undefined
  assert.ok([200, 201, 202].includes(answer.status), `payout ${key}: ${JSON.stringify(answer.body)}`)
  return { key, id: answer.body.data.id, merchant, body, at: service.clock.now() }
}

/** A refund of all or of a part of what was paid; undefined where nothing is left, the wallet has too little, or the payment is not there any more. */
export async function refund(
  service: Service,
  { merchant, reference, amount }: Asked,
  dice: Dice,
  key: string,
): Promise<string | undefined> {
  const part = dice.next() < 0.5 ? {} : { amount: Math.max(500, Math.floor(amount / 2)) }
  const path = `/v1/payments/${reference}/refunds`
  const answer = await service.call('POST', path, { key: merchant.key, body: part, headers: { 'idempotency-key': key } })
  assert.ok([200, 201, 400, 402, 404, 409].includes(answer.status), `refund ${key}: ${JSON.stringify(answer.body)}`)
  return answer.status < 300 ? answer.body.data.id.replace('rf_', 'po_') : undefined
}

/** A customer gets a link for one order, and pays it, or the merchant cancels it. */
export async function requestPayment(
  service: Service,
  merchant: YearMerchant,
  dice: Dice,
  name: string,
): Promise<Asked | undefined> {
  const amount = 1_000 + 100 * dice.below(100)
  const made = await must(service, 201, 'POST', '/v1/payment-requests', {
    key: merchant.key,
    body: { amount, title: `Order ${name}` },
    headers: { 'idempotency-key': name },
  })
  if (dice.next() < 0.2) {
    await must(service, 200, 'POST', `/v1/payment-requests/${made.id}/cancel`, { key: merchant.key, body: {} })
    return undefined
  }
  return pay(service, merchant, dice, name, { slug: made.url.split('/').at(-1), amount })
}

export function askPayout(service: Service, merchant: YearMerchant, key: string, body: Record<string, unknown>) {
  return service.call('POST', '/v1/payouts', { key: merchant.key, body, headers: { 'idempotency-key': key } })
}

/** Hours later: however often it was requested under one key, the provider has paid it once at most. */
export function lookAtPayouts(service: Service, { key, ids }: { key: string; ids: (string | undefined)[] }): ScheduledAction {
  return {
    at: service.clock.now() + 4 * 3_600_000,
    what: `the payouts asked for under ${key} are looked at`,
    async act() {
      let paid = 0
      for (const id of new Set(ids.filter((one) => one !== undefined))) {
        const answer = await fetch(`${service.simulatorUrl}/__truth?metadata.malipo_payout=${id}`)
        const { payouts } = (await answer.json()) as { payouts: { status: string }[] }
        paid += payouts.filter(({ status }) => status === 'completed').length
      }
      assert.ok(paid <= 1, `the payout that was asked for under ${key} was paid ${paid} times`)
    },
  }
}

const mostTries = 50

async function insist(service: Service, statuses: number[], path: string, options: Parameters<Service['call']>[2]): Promise<any> {
  for (let tries = 1; ; tries += 1) {
    const answer = await service.call('POST', path, options).catch(() => undefined)
    if (answer && statuses.includes(answer.status)) return answer.body.data
    const mayPass = answer === undefined || answer.status === 503
    assert.ok(mayPass && tries < mostTries, `POST ${path}: ${JSON.stringify(answer?.body)}`)
    await service.clock.forward(1_000)
  }
}
