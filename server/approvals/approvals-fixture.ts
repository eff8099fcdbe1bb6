/** For tests of approvals: a business with money and members. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { startTestApp, type Answer, type CallOptions, type Student, type TestApp } from '../../test/app.ts'
import { registerBusiness } from '../../test/onboarding.ts'

export type Shop = {
  app: TestApp
  businessId: string
  owner: Student
  /** Calls a route of the business, in test. */
  as(person: { token: string }, method: string, path: string, body?: unknown, more?: CallOptions): Promise<Answer>
  setRule(rule: { above: number; approvers: number }, by?: { token: string }): Promise<Answer>
  request(person: { token: string }, amount: number, fields?: Record<string, unknown>): Promise<Answer>
  balance(): Promise<[number, number]>
}

/** A business with TZS 200,000 in its test wallet: verified without documents, which these tests are not about, until the books are checked. */
export async function startShop(t: Parameters<typeof startTestApp>[0], settings: Record<string, string> = {}): Promise<Shop> {
  const app = await startTestApp(t, { worker: true, settings })
  const owner = await app.student()
  const { id: businessId } = await registerBusiness(app, owner)
  const set = (status: string) =>
    app.owner.pool.query(`update merchants set verification_status = $1 where kind = 'business'`, [status])
  await set('verified')
  app.beforeClose(async () => void (await set('unsubmitted')))
  const as: Shop['as'] = (person, method, path, body, more = {}) =>
    app.call(method, `/v1/merchant${path}${path.includes('?') ? '&' : '?'}environment=test&business_id=${businessId}`, {
      token: person.token,
      ...(body !== undefined && { body }),
      ...more,
      headers: { 'idempotency-key': randomUUID(), ...more.headers },
    })
  const page = (await as(owner, 'POST', '/payment-pages', { type: 'payment', title: 'Duka', amount: 200_000 })).body.data
  const checkout = await app.checkout(page.slug)
  assert.equal((await app.settled(checkout.body.data.reference)).status, 'completed')
  return {
    app,
    businessId,
    owner,
    as,
    setRule: (rule, by = owner) => as(by, 'POST', '/approval-rule', rule),
    request: (person, amount, fields = {}) =>
      as(person, 'POST', '/payouts', { amount, phone_number: '+255754000123', recipient_name: 'Asha Mushi', ...fields }),
    async balance() {
      const { available, reserved } = (await as(owner, 'GET', '/balance')).body.data
      return [available, reserved]
    },
  }
}
