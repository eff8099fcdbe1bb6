/** A service in which every screen and every form of the dashboards has something to show. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { drawLogo } from '../fixtures/brands.ts'
import { paidStudent } from '../fixtures/payouts.ts'
import { report } from '../fixtures/support.ts'
import { fileOf, header, readBatch, rowOf, uploadCsv } from '../fixtures/batches.ts'
import { eventually, type Answer, type Student, type TestApp } from '../app.ts'
import { newMember, verifiedBusiness } from '../members.ts'
import { submittedBusiness } from '../onboarding.ts'
import type { World } from './forms.ts'

/** For `startTestApp`: the largest payouts wait for an operator. */
export const worldSettings = { PAYOUT_APPROVAL_ABOVE: '100000' }

export function dataOf({ status, body }: Answer): any {
  assert.ok(status < 300, JSON.stringify(body))
  return body.data
}

export type People = { student: Student & { key: string }; owner: Student; approver: Student }

/** Everything that the forms need to open. */
export async function prepare(app: TestApp): Promise<{ world: World; people: People }> {
  const admin = await app.admin()
  const student = await paidStudent(app, 500_000)
  const asStudent = (method: string, path: string, body?: object): Promise<Answer> =>
    app.call(method, path, { token: student.token, ...(body && { body }) })
  const page = await app.page(student, { amount: 30_000 })
  const { reference } = dataOf(await app.checkout(page.slug, { phone_number: '0754000789' }))
  assert.equal((await app.settled(reference)).status, 'completed')
  const { id: appId } = dataOf(await asStudent('POST', '/developers/apps', { name: 'App', environment: 'test' }))
  dataOf(await asStudent('POST', '/developers/keys', { app_id: appId, key_name: 'Server', scopes: ['pages:read'] }))
  dataOf(await asStudent('POST', `/developers/apps/${appId}/webhook`, { url: `${app.simulatorUrl}/hooks` }))
  const request = dataOf(
    await asStudent('POST', '/v1/merchant/payment-requests?environment=test', { title: 'Oda 1043', amount: 5000 }),
  )
  dataOf(await asStudent('POST', '/v1/merchant/recipients?environment=test', { name: 'Asha Mushi', phone_number: '0754000123' }))
  dataOf(await asStudent('PUT', '/v1/merchant/brand/logo', { image: (await drawLogo()).toString('base64') }))
  /** A batch whose fees are known, if all rows are right. */
  const upload = async (file: string): Promise<string> => {
    const { id, rows_invalid: isWrong } = dataOf(await uploadCsv(app, student.key, file))
    if (isWrong === 0) {
      await eventually('the fees are known', async () => typeof (await readBatch(app, student.key, id)).fees === 'number')
    }
    return id
  }
  const wrong = await upload([header, rowOf(1), '12.5k,0754000321,Neema Kimaro'].join('\n'))
  const ready = await upload(fileOf(3))
  // Its rows wait for an operator, so the batch keeps running.
  const running = await upload(fileOf(2, '789', 110_000))
  dataOf(await asStudent('POST', `/v1/merchant/payout-batches/${running}/approve?environment=test`, { version: 1 }))

  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, admin)
  const query = `environment=test&business_id=${businessId}`
  const asOwner = (path: string, body?: object, headers = {}): Promise<Answer> =>
    app.call('POST', path, { token: owner.token, headers, ...(body && { body }) })
  const business = dataOf(
    await asOwner(`/v1/merchant/payment-pages?${query}`, { type: 'payment', title: 'Duka', amount: 200_000 }),
  )
  const sale = dataOf(await app.checkout(business.slug))
  assert.equal((await app.settled(sale.reference)).status, 'completed')
  const approver = await newMember(app, owner, businessId, 'approver')
  dataOf(await asOwner(`/v1/merchant/approval-rule?${query}`, { above: 1000, approvers: 1 }))
  const payout = dataOf(
    await asOwner(
      `/v1/merchant/payouts?${query}`,
      { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
      { 'idempotency-key': randomUUID() },
    ),
  )
  const waiting = dataOf(
    await app.call('POST', `/v1/merchant/payout-batches?${query}`, {
      token: owner.token,
      headers: { 'idempotency-key': randomUUID(), 'content-type': 'text/csv' },
      rawBody: fileOf(2),
    }),
  ).id
  await eventually('the fees of the waiting batch are known', async () => {
    const read = await app.call('GET', `/v1/merchant/payout-batches/${waiting}?${query}`, { token: owner.token })
    return typeof dataOf(read).fees === 'number'
  })
  dataOf(await asOwner(`/v1/merchant/payout-batches/${waiting}/submit?${query}`))

  const large = dataOf(
    await app.call('POST', '/v1/payouts', {
      key: student.key,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount: 150_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
    }),
  )
  const { business: submitted } = await submittedBusiness(app)
  // The provider has another amount of this payment.
  const other = dataOf(await app.checkout(page.slug, { phone_number: '0754123189' }))
  const breakId = await eventually('the break is open', async () => {
    const breaks = dataOf(await app.call('GET', '/v1/admin/breaks?status=open', { token: admin.token }))
    return breaks.find((one: any) => one.payment_reference === other.reference)?.id as string | undefined
  })
  const casePath = await report(app, other.reference, 'S46121174212', { words: 'Pesa imetoka' })
  const caseId = /case_[0-9a-z]{26}/.exec(casePath)![0]
  await eventually('operators have the case', async () => {
    return dataOf(await app.call('GET', `/v1/admin/support-cases/${caseId}`, { token: admin.token })).state === 'with_operators'
  })
  const [customer] = await eventually('the customers are counted', async () => {
    const customers = dataOf(await asStudent('GET', '/v1/merchant/customers?environment=test'))
    return customers.length > 0 ? customers : undefined
  })
  return {
    people: { student, owner, approver },
    world: {
      businessId,
      appId,
      keyName: 'Server',
      pageId: page.id,
      paymentReference: reference,
      requestId: request.id,
      waitingPayoutId: payout.id,
      customerId: customer.id,
      batches: { wrong, ready, running, waiting },
      memberName: `Student ${approver.email.split('@')[0]}`,
      recipient: 'Asha Mushi',
      operator: { merchantId: student.userId, payoutId: large.id, reviewId: submitted.id, breakId, caseId },
    },
  }
}
