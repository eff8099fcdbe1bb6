/**
 * Money at the provider that this service did not order: a payer who paid without a payment of ours, a second charge for one payment, and a
 * payout by another program that has our key, which may leave its merchant in debt.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Dice } from '../faults/model-clients.ts'
import { statusHere } from './late-payers.ts'
import { must, type YearMerchant } from './merchants.ts'
import type { Asked } from './payers.ts'
import type { Service } from './service.ts'
import type { Truth } from './wallets.ts'

async function seed(service: Service, account: string, amount: number, metadata: Record<string, string>): Promise<string> {
  const orders = [{ amount, phone: '255754000789', status: 'completed', metadata }]
  return (await service.control('POST', '/seed', { account, orders })).references[0]
}

async function sendUnknownOrder(service: Service, { environment, key }: YearMerchant, isLarge: boolean): Promise<string> {
  const { available } = await must(service, 200, 'GET', '/v1/balance', { key })
  const response = await fetch(`${service.simulatorUrl}/v1/payouts/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.settings[environment === 'test' ? 'SNIPPE_TEST_API_KEY' : 'SNIPPE_LIVE_API_KEY']}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID().slice(0, 18),
    },
    body: JSON.stringify({
      amount: isLarge ? available + 20_000 : 2_000,
      channel: 'mobile',
      recipient_phone: '255754000123',
      recipient_name: 'X',
      narration: 'x',
    }),
  })
  const { data, message } = (await response.json()) as { data: { reference: string }; message?: string }
  assert.equal(response.status, 201, message)
  return data.reference
}

const kinds = ['money without a payment', 'second charges of a payment', 'orders of another program'] as const
let turn = 0

/** One kind after the other. Returns what has happened, or undefined if the provider has a fault just then. */
export async function actAsStranger(service: Service, dice: Dice, asked: Asked[], truth: Truth): Promise<string | undefined> {
  const what = kinds[turn % kinds.length]!
  const paid: Asked[] = []
  for (const one of what === kinds[1] ? asked.slice(-6) : [])
    if ((await statusHere(service, one.reference)) === 'completed') paid.push(one)
  const last = (what === kinds[1] ? paid : asked).at(-1)
  if (last === undefined) return undefined
  turn += 1
  const { merchant, reference, amount } = last
  const isThird = what === 'orders of another program'
  const made = isThird
    ? await sendUnknownOrder(service, merchant, turn % 2 === 1).catch(() => undefined)
    : await seed(service, merchant.environment, amount + dice.below(9), what === kinds[1] ? { malipo_payment: reference } : {})
  if (made === undefined) return undefined
  truth.foreign.add(made)
  return what
}
