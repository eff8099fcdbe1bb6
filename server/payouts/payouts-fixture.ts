/** For tests of payouts: merchants with money, payouts requested over HTTP, and provider answers made by the test. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually, type Answer, type Student, type TestApp } from '../../test/app.ts'
import { settlementOf } from '../payments/settlement.ts'
import { fromWire, homeOfId, toWire } from '../platform/ids.ts'
import type { PayoutSnapshot } from '../providers/provider.ts'
import type { PayoutSource } from './settle-payout.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

export const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

/** A student with this much in the test wallet, and a key with all permissions; with `home`, in that shared home. */
export async function paidStudent(app: TestApp, amount = 100_000, home?: number): Promise<Student & { key: string }> {
  const student = await app.student({ home })
  const { key } = await app.key(student)
  const page = await app.page(student, { amount })
  const { body } = await app.checkout(page.slug)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
  return { ...student, key }
}

export type Fields = Record<string, unknown>

/** The last three digits select the outcome at the simulator; by default the payout arrives. */
export function ask(
  app: TestApp,
  key: string,
  fields: Fields = {},
  idempotencyKey: string | null = randomUUID(),
): Promise<Answer> {
  return app.call('POST', '/v1/payouts', {
    key,
    headers: idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi', ...fields },
  })
}

export async function balance(app: TestApp, key: string): Promise<[available: number, reserved: number]> {
  const { available, reserved, total } = (await app.call('GET', '/v1/balance', { key })).body.data
  assert.equal(total, available + reserved)
  return [available, reserved]
}

export async function read(app: TestApp, key: string, id: string): Promise<Json> {
  const { status, body } = await app.call('GET', `/v1/payouts/${id}`, { key })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

export const ended = (app: TestApp, key: string, id: string, status: string): Promise<Json> =>
  eventually(`the payout is ${status}`, async () => {
    const payout = await read(app, key, id)
    return payout.status === status && payout
  })

export const providersOf = async (app: TestApp): Promise<Json[]> => (await app.truth()).payouts

export type SilentPayout = {
  id: string
  reference: string
  at: { home: number; id: string; environment: 'test' }
  source: PayoutSource
}

/** The payout that the provider has under this reference. */
export const silentOf = (payoutId: string, reference: string): SilentPayout => ({
  id: toWire('po', payoutId),
  reference,
  at: { home: homeOfId(payoutId), id: payoutId, environment: 'test' },
  source: { provider: 'snippe', actor: 'test', requestId: 'req_test' },
})

/** The payout or refund of this answer, once the provider has it. */
async function silent(app: TestApp, asked: Answer, prefix: 'po' | 'rf'): Promise<SilentPayout> {
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  const payoutId = fromWire(prefix, asked.body.data.id)!
  const reference = await eventually<string>('the provider has it', async () => {
    const { rows } = await app.owner.pool.query('select provider_reference from provider_payouts where payout_id = $1', [
      payoutId,
    ])
    return (rows[0].provider_reference as string | null) ?? undefined
  })
  return silentOf(payoutId, reference)
}

/** A payout that the provider has and sends no messages about. */
export async function silentPayout(app: TestApp, key: string): Promise<SilentPayout> {
  return silent(app, await ask(app, key, {}, randomUUID()), 'po')
}

/** The same as a refund of this payment. */
export async function silentRefund(app: TestApp, key: string, reference: string): Promise<SilentPayout> {
  const headers = { 'idempotency-key': randomUUID() }
  const body = { amount: 20_000 }
  return silent(app, await app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body }), 'rf')
}

export const says = (reference: string, status: PayoutSnapshot['status'], changes: Partial<PayoutSnapshot> = {}) => ({
  kind: 'snapshot' as const,
  snapshot: {
    reference,
    ourReference: null,
    status,
    amount: 20_000,
    currency: 'TZS',
    fee: 1_500,
    network: 'airtel' as const,
    failure: null,
    ...changes,
  },
  nextAttemptSeconds: 60,
})

/** Puts money into a wallet although the simulator sends no messages: the payment is completed with the provider's message. A simulator that does may be first. */
export async function fund(app: TestApp, student: Student, amount: number): Promise<void> {
  const page = await app.page(student, { amount })
  const { body } = await app.checkout(page.slug)
  const id = fromWire('pay', body.data.reference)!
  const { rows } = await app.owner.pool.query('select provider_reference from provider_charges where payment_id = $1', [id])
  const source = {
    home: homeOfId(id),
    paymentId: id,
    environment: 'test' as const,
    provider: 'snippe',
    actor: 'test',
    requestId: 'r',
  }
  const snapshot = {
    reference: rows[0].provider_reference,
    ourReference: null,
    status: 'completed' as const,
    amount,
    currency: 'TZS',
    fee: null,
    network: null,
    failure: null,
    expiresAt: null,
  }
  await app.deps.settle(settlementOf(source, snapshot, 60))
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
}
