/**
 * Approvals of a business in a real Chromium: the rule, the queue on a desktop and on a phone, the decision after a step-up, and what
 * the person who requested reads about it.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { fromWire } from '../../server/platform/ids.ts'
import { eventually, startTestApp, type Student, type TestApp } from '../app.ts'
import { newMember, verifiedBusiness } from '../members.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, pressTwice, signedInTab } from './dashboard.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

/** Puts TZS 200,000 into the test wallet. */
async function pay(app: TestApp, owner: Student, businessId: string): Promise<string> {
  const page = await app.call('POST', `/v1/merchant/payment-pages?environment=test&business_id=${businessId}`, {
    token: owner.token,
    body: { type: 'payment', title: 'Duka', amount: 200_000 },
  })
  const { reference } = (await app.checkout(page.body.data.slug)).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  return reference
}

const card = (tab: Page, name: string | RegExp) => tab.getByRole('listitem', { name })

test('members approve what leaves a wallet', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const reference = await pay(app, owner, businessId)
  const approver = await newMember(app, owner, businessId, 'approver')
  const accountant = await newMember(app, owner, businessId, 'accountant')
  const place = { browser, app }
  const path = `/dashboard/${businessId}/test`
  const request = async (amount: number, name: string, by: Student = accountant): Promise<Json> => {
    const answer = await app.call('POST', `/v1/merchant/payouts?environment=test&business_id=${businessId}`, {
      token: by.token,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount, phone_number: '+255754000123', recipient_name: name, narration: 'Mishahara' },
    })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data
  }
  const payoutOf = async (id: string): Promise<Json> =>
    (await app.call('GET', `/v1/merchant/payouts/${id}?environment=test&business_id=${businessId}`, { token: owner.token })).body
      .data
  const ended = (id: string, status: string) =>
    eventually(`the payout is ${status}`, async () => (await payoutOf(id)).status === status)

  /** The sessions of this person need a step-up. */
  const age = (person: Student) =>
    app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = $1`, [
      fromWire('usr', person.userId),
    ])

  const tab = await signedInTab(place, owner)
  tab.setDefaultTimeout(12_000)

  await t.test('[D19] an owner sets the rule in one form, and reads it as one sentence', async () => {
    await tab.goto(`${path}/approvals`)
    await tab.getByText('There is no rule').waitFor()
    await looksRightEverywhere(tab, 'approvals-none', () => tab.getByText('There is no rule').waitFor())
    await looksRightEverywhere(tab, 'approvals-rule-form', async () => {
      await tab.getByRole('button', { name: 'Set a rule' }).click()
      await tab.getByLabel('Above this amount').waitFor()
    })
    // Two approvals need three people who may approve; there are two.
    await tab.getByLabel('Above this amount').fill('10000')
    await tab.getByLabel('2 other members').check()
    await tab.getByRole('button', { name: 'Save the rule' }).click()
    await tab.getByText(/rule needs 3 people who may approve.*There would be 2\./).waitFor()
    await tab.getByLabel('1 other member').check()
    await age(owner)
    await tab.getByRole('button', { name: 'Save the rule' }).click()
    const proof = tab.getByRole('dialog', { name: 'Verify that it is you' })
    await proof.getByRole('textbox', { name: 'Password' }).fill(owner.password)
    await proof.getByRole('button', { name: 'Continue' }).click()
    await tab.getByText('above TSh 10,000 leave only after 1 other member has approved them').waitFor()
  })

  await t.test('[D19] the last button before a payout asks for approval where the rule holds, and pays below it', async () => {
    await tab.goto(`${path}/payouts/new`)
    await tab.getByRole('textbox', { name: 'Mobile money number' }).fill('0754 000 123')
    await tab.getByRole('textbox', { name: 'Name of the recipient' }).fill('Asha Mushi')
    for (const [amount, button] of [
      ['20000', 'Ask for approval of TSh 20,000'],
      ['9000', 'Pay TSh 9,000'],
    ] as const) {
      await tab.getByRole('textbox', { name: 'Amount' }).fill(amount)
      await tab.getByRole('button', { name: 'Check' }).click()
      await tab.getByRole('button', { name: button, exact: true }).waitFor()
      await tab.getByRole('button', { name: 'Change' }).click()
    }
    await tab.goto(`${path}/approvals`)
  })

  await t.test('[D19] a member approves on a phone with one thumb, after a step-up, and reads what happens next', async () => {
    const [first, second] = [await request(20_000, 'Asha Mushi'), await request(30_000, 'Baraka Juma')]
    const phone = await signedInTab(place, approver, { size: 'phone', language: 'sw', isTouch: true })
    phone.setDefaultTimeout(12_000)
    await phone.goto(path)
    await looksRightEverywhere(phone, 'approver-home-sw', () => phone.getByText('Jumla TSh 50,000.').waitFor())
    await phone.setViewportSize({ width: 360, height: 640 })
    const waiting = phone.getByRole('link', { name: 'Maombi 2 yanasubiri idhini yako' })
    const { y, height } = (await waiting.boundingBox())!
    assert.ok(y + height < 640, 'it is on the first screen of a phone')
    await waiting.tap()
    await phone.waitForURL(`**${path}/approvals`)
    const entry = card(phone, 'TSh 20,000 kwa Asha Mushi')
    await looksRightEverywhere(phone, 'approvals-queue-sw', () => entry.getByText('0 kati ya 1').waitFor())
    await phone.setViewportSize({ width: 360, height: 740 })
    await phone.goto(path)
    await phone.getByRole('button', { name: 'Menyu' }).tap()
    await phone.getByRole('link', { name: /Idhini\s*2 zinakusubiri/ }).tap()
    await age(approver)
    await entry.getByRole('button', { name: 'Idhinisha' }).tap()
    const question = phone.getByRole('dialog', { name: 'Uidhinishe TSh 20,000 kwa Asha Mushi?' })
    await question.getByText('Shilingi elfu ishirini').waitFor()
    await question.getByText('0754 000 123 · M-Pesa').waitFor()
    await looksRightEverywhere(phone, 'approvals-approve-sw', () => question.waitFor(), { reloads: false })
    await phone.setViewportSize({ width: 360, height: 740 })
    await pressTwice(question.getByRole('button', { name: 'Idhinisha' }))
    const proof = phone.getByRole('dialog', { name: 'Thibitisha kuwa ni wewe' })
    await proof.getByRole('textbox', { name: 'Nenosiri' }).fill(approver.password)
    await proof.getByRole('button', { name: 'Endelea' }).tap()
    await phone.getByText('Imeidhinishwa. Pesa ziko njiani.').waitFor()
    await entry.waitFor({ state: 'hidden' })
    await ended(first.id, 'completed')
    // The other one is refused, with a reason.
    await card(phone, 'TSh 30,000 kwa Baraka Juma').getByRole('button', { name: 'Kataa' }).tap()
    const refusal = phone.getByRole('dialog', { name: 'Ukatae TSh 30,000 kwa Baraka Juma?' })
    assert.equal(await refusal.getByRole('button', { name: 'Kataa' }).isDisabled(), true)
    await refusal.getByLabel('Sababu').fill('Ameshalipwa')
    await refusal.getByRole('button', { name: 'Kataa' }).tap()
    await phone.getByText('Hakuna kinachosubiri idhini').waitFor()
    await ended(second.id, 'cancelled')
    assert.deepEqual(phone.problems, [])
  })

  await t.test('[D19] the requester reads who has approved, why it was refused, and why they may not decide', async () => {
    const waiting = await request(40_000, 'Neema Zuberi')
    const own = await signedInTab(place, accountant)
    own.setDefaultTimeout(12_000)
    await own.goto(`${path}/payouts`)
    const note = own.getByText('Waits for the approval of members')
    await looksRightEverywhere(own, 'payouts-approval', () => note.waitFor())
    await own.getByRole('link', { name: 'Baraka Juma' }).click()
    await own.getByText('Refused by a member: Ameshalipwa').waitFor()
    await own.getByText('Its approval was refused.').waitFor()
    await looksRightEverywhere(own, 'payout-refused', () => own.getByText('Refused by a member: Ameshalipwa').waitFor())
    await own.getByRole('link', { name: 'Payouts' }).first().click()
    await own.getByRole('link', { name: 'Asha Mushi' }).click()
    await own.getByText(/Approved by Student \w+/).waitFor()
    await own.goto(`${path}/payouts/${waiting.id}`)
    await own.getByText('0 of 1 approvals').waitFor()
    await looksRightEverywhere(own, 'payout-waits-for-members', () => own.getByText('0 of 1 approvals').waitFor())
    await own.getByRole('link', { name: 'To the approvals' }).click()
    await card(own, /Neema Zuberi/)
      .getByText('Your role may see this, but not decide about it.')
      .waitFor()
    assert.equal(await own.getByRole('button', { name: 'Approve' }).count(), 0)
    assert.deepEqual(own.problems, [])
  })

  await t.test(
    '[D19] a batch that changed under the question shows what was and what is, and one click approves what is',
    async () => {
      const at = (way: string) => `/v1/merchant/payout-batches${way}?environment=test&business_id=${businessId}`
      const asAccountant = (method: string, way: string, body: object = {}) =>
        app.call(method, at(way), { token: accountant.token, headers: { 'idempotency-key': randomUUID() }, body })
      const items = [{ amount: 50_000, phone_number: '0754000123', recipient_name: 'Asha Mushi' }]
      const { id } = (await asAccountant('POST', '', { items })).body.data
      const submit = () =>
        eventually('it is sent for approval', async () => (await asAccountant('POST', `/${id}/submit`)).status === 200)
      await submit()
      const judge = await signedInTab(place, approver)
      judge.setDefaultTimeout(12_000)
      await judge.goto(`${path}/approvals`)
      const batch = card(judge, 'Batch of TSh 50,000')
      await batch.getByText('It is above TSh 10,000').waitFor()
      await batch.getByRole('button', { name: 'Approve' }).click()
      const question = judge.getByRole('dialog', { name: 'Approve Batch of TSh 50,000?' })
      await question.waitFor()
      assert.equal((await asAccountant('POST', `/${id}/stop`)).status, 200)
      assert.equal((await asAccountant('PATCH', `/${id}/items/1`, { amount: 60_000, phone_number: '0754009123' })).status, 200)
      await submit()
      await question.getByRole('button', { name: 'Approve' }).click()
      const changed = judge.getByRole('dialog', { name: 'Approve Batch of TSh 60,000?' })
      await changed.getByText('Sixty thousand shillings').waitFor()
      assert.doesNotMatch((await changed.textContent())!, /details\.|TSh\s50,000\?/)
      const amount = changed.getByRole('listitem').filter({ hasText: 'Row 1, amount' })
      await amount.getByText('was TSh 50,000').waitFor()
      await amount.getByText('is TSh 60,000').waitFor()
      await changed.getByText('is 0754 009 123').waitFor()
      await looksRightEverywhere(judge, 'approval-changed', () => amount.waitFor(), { reloads: false })
      await changed.getByRole('button', { name: 'Approve' }).click()
      await judge.getByText('Approved. The money is on its way.').waitFor()
      // The refusal is expected.
      assert.deepEqual(
        judge.problems.filter((problem) => !problem.includes('409')),
        [],
      )
    },
  )

  await t.test('[D19] a day is approved at once, and what waits says which sum it is', async () => {
    for (const [index, name] of ['Tatu', 'Rehema'].entries()) {
      await app.call('POST', `/v1/merchant/payouts?environment=test&business_id=${businessId}`, {
        token: accountant.token,
        headers: { 'idempotency-key': randomUUID() },
        body: { amount: 9_000, phone_number: `+25575400${index}555`, recipient_name: name },
      })
    }
    const judge = await signedInTab(place, approver, { language: 'sw' })
    judge.setDefaultTimeout(12_000)
    await judge.goto(`${path}/approvals`)
    await card(judge, 'TSh 9,000 kwa Rehema')
      .getByText(/zingetoka kwenye pochi siku hiyo, zaidi ya TSh\s50,000/)
      .waitFor()
    await judge.getByRole('button', { name: /Idhinisha zote 3/ }).click()
    const question = judge.getByRole('dialog', { name: 'Uidhinishe zote 3?' })
    await looksRightEverywhere(judge, 'approvals-all-sw', () => question.waitFor(), { reloads: false })
    await question.getByRole('button', { name: 'Idhinisha' }).click()
    await judge.getByText('Zote zimeidhinishwa.').waitFor()
    await judge.getByText('Hakuna kinachosubiri idhini').waitFor()
    assert.deepEqual(judge.problems, [])
  })

  await t.test('[D19] a looser rule waits in the same queue, and the owner who asked for it may not decide', async () => {
    await tab.goto(`${path}/approvals`)
    await tab.getByRole('button', { name: 'Change', exact: true }).click()
    await tab.getByLabel('Above this amount').fill('500000')
    await tab.getByRole('button', { name: 'Save the rule' }).click()
    await tab.getByText('This is looser than the present rule').waitFor()
    await card(tab, 'A looser approval rule').getByText('You requested this yourself, so another member must decide.').waitFor()
    await tab.getByText('A change waits for approval').waitFor()
    await looksRightEverywhere(tab, 'approvals-queue', () => tab.getByText('A change waits for approval').waitFor())
    const other = await signedInTab(place, approver)
    other.setDefaultTimeout(12_000)
    await other.goto(`${path}/approvals`)
    const change = card(other, 'A looser approval rule')
    await change.getByRole('button', { name: 'Approve' }).focus()
    await other.keyboard.press('Enter')
    await other.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await other.getByText('Approved. The new rule holds now.').waitFor()
    await tab.getByText('above TSh 500,000 leave only after 1 other member').first().waitFor()
    assert.deepEqual(other.problems, [])
  })

  await t.test('[D19, D17] a refund waits for the members, too, and its payment says so', async () => {
    await app.owner.pool.query('update sessions set authenticated_at = clock_now()')
    const rule = await app.call('POST', `/v1/merchant/approval-rule?environment=test&business_id=${businessId}`, {
      token: owner.token,
      body: { above: 0, approvers: 1 },
    })
    assert.equal(rule.status, 200)
    await tab.goto(`${path}/payments/${reference}`)
    await tab.getByRole('button', { name: 'Refund', exact: true }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('10000')
    await dialog.getByRole('button', { name: 'Refund TSh 10,000' }).click()
    await tab.getByText('Waits for the approval of members').waitFor()
    await looksRightEverywhere(tab, 'refund-waits', () => tab.getByText('Waits for the approval of members').first().waitFor())
    await tab.goto(`${path}/approvals`)
    await card(tab, /TSh\s10,000/)
      .getByRole('link', { name: 'Open the payment' })
      .waitFor()
  })

  await t.test('[D19] Home shows the request of a colleague that is older than twenty of one’s own', async () => {
    await pay(app, owner, businessId)
    await request(5_500, 'Zawadi Mosha')
    for (let count = 0; count < 20; count += 1) await request(5_000, `Asha ${count}`, owner)
    await tab.goto(path)
    await tab.getByRole('link', { name: /1 request waits for your approval.*TSh\s5,500 in total/ }).waitFor()
    assert.deepEqual(tab.problems, [])
  })
})
