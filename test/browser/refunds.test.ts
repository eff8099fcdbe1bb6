/**
 * A refund in a real Chromium: requested on the screen of its payment, followed to its end, read by the payer on the receipt, and found
 * by its merchant and by operators.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paidStudent } from '../fixtures/payouts.ts'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, operatorTab, signedInTab } from './dashboard.ts'

test('[D17, A15] a merchant refunds a payment; its payer reads it on the receipt, and an operator finds it', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await paidStudent(app)
  const everyone = { browser, app }
  const page = await app.page(student, { title: 'T-shirts', amount: 30_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000789', language: 'en' })).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  const tab = await signedInTab(everyone, student)
  tab.setDefaultTimeout(12_000)
  const open = async (): Promise<void> => {
    await tab.getByRole('button', { name: 'Refund', exact: true }).click()
    await tab.getByText('Left in your wallet').waitFor()
  }

  await tab.goto(`/dashboard/me/test/payments/${reference}`)
  await looksRightEverywhere(tab, 'payment-refund-form', open)
  const dialog = tab.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('40000')
  await dialog.getByText('At most TSh 30,000 can be refunded.').waitFor()
  await dialog.getByLabel('Amount').fill('10000')
  await dialog.getByLabel('Reason').fill('One shirt too many')
  await dialog.getByRole('button', { name: 'Refund TSh 10,000' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const refunds = tab.getByRole('list', { name: 'Refunds' }).or(tab.getByRole('table', { name: 'Refunds' }))
  await refunds.getByText('Completed').waitFor()
  await looksRightEverywhere(tab, 'payment-refunded', () => tab.getByText('One shirt too many').first().waitFor())

  const payer = await guestTab(everyone)
  await payer.goto(`${app.config.urls.checkout}/r/${reference}`)
  await looksRightEverywhere(payer, 'receipt-refunded', () => payer.getByText('TSh 10,000').first().waitFor())

  const [{ id }] = (await app.call('GET', `/v1/payments/${reference}/refunds`, { key: student.key })).body.data
  await tab.goto('/dashboard/me/test')
  await tab.getByRole('heading', { level: 1 }).waitFor()
  await tab.keyboard.press('Control+k')
  await tab.getByRole('combobox', { name: /Reference, code/ }).fill(id)
  const found = tab.getByRole('option').filter({ hasText: 'TSh 10,000' })
  await tab.getByText('Refunds', { exact: true }).waitFor()
  await found.waitFor()
  await tab.keyboard.press('Enter')
  await tab.waitForURL(`**/payments/${reference}`)
  await refunds.getByText('Completed').waitFor()

  const operator = await operatorTab(everyone, await app.admin())
  operator.setDefaultTimeout(12_000)
  const heading = (name: string) => operator.getByRole('heading', { level: 1, name })
  await operator.goto('/admin/search')
  await operator.getByRole('searchbox').fill(id)
  await operator.keyboard.press('Enter')
  await operator.getByRole('link', { name: 'Juma Hamisi' }).click()
  await heading('Refund').waitFor()
  await operator.getByText(id).waitFor()
  await looksRightEverywhere(operator, 'operators-refund', () => operator.getByRole('link', { name: reference }).waitFor())
  await operator.getByRole('link', { name: reference }).click()
  await heading('Payment').waitFor()
  await looksRightEverywhere(operator, 'operators-payment-refunds', () => operator.getByRole('link', { name: id }).waitFor())
  await operator.getByRole('link', { name: id }).click()
  await heading('Refund').waitFor()
  await operator.getByRole('link', { name: /^Student / }).click()
  await operator.getByText(student.email).first().waitFor()

  await operator.goto('/admin/payouts?which=all')
  const ofPayment = operator.getByRole('link', { name: 'Refund', exact: true })
  await looksRightEverywhere(operator, 'operators-payouts-refund', () => ofPayment.waitFor())
  await ofPayment.click()
  await heading('Payment').waitFor()

  // The same refund again: what was typed outlives a reload, the dialog asks, and a lost answer leaves one refund.
  await tab.getByRole('button', { name: 'Refund', exact: true }).click()
  await dialog.getByLabel('Amount').fill('10000')
  await dialog.getByLabel('Reason').fill('Another shirt')
  await looksRightEverywhere(tab, 'payment-refund-again', async () => {
    await open()
    await dialog.getByText(/You already refunded TSh\s10,000 of this payment (now|\d+ minutes? ago)\./).waitFor()
  })
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Another shirt')
  let lost = 0
  await tab.route('**/refunds?*', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue()
    lost += 1
    await route.fetch()
    return route.abort('connectionreset')
  })
  await dialog.getByRole('button', { name: 'Refund TSh 10,000 again' }).click()
  const unsure = dialog.getByText('We do not know yet whether it was sent')
  await unsure.waitFor()
  await looksRightEverywhere(tab, 'payment-refund-unsure', async () => {
    await tab.getByRole('button', { name: 'Refund', exact: true }).click()
    await unsure.waitFor()
  })
  assert.equal(await dialog.getByLabel('Amount').isDisabled(), true)
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const readMade = async () => (await app.call('GET', `/v1/payments/${reference}/refunds`, { key: student.key })).body.data
  const made = await readMade()
  assert.deepEqual(made.map(({ reason }: { reason: string }) => reason).toSorted(), ['Another shirt', 'One shirt too many'])

  // The merchant gave back 300 in coins, which the provider would not send.
  await eventually('the second one has ended', async () =>
    (await readMade()).every((one: { status: string }) => one.status === 'completed'),
  )
  await tab.getByRole('button', { name: 'Refund', exact: true }).click()
  await dialog.getByLabel('I gave the money back myself').check()
  await looksRightEverywhere(tab, 'payment-refund-outside', async () => {
    await tab.getByRole('button', { name: 'Refund', exact: true }).click()
    await dialog.getByText('your wallet does not change').waitFor()
  })
  await dialog.getByLabel('Amount').fill('300')
  const record = dialog.getByRole('button', { name: 'Record the return of TSh 300' })
  assert.equal(await record.isDisabled(), true, 'it needs a reason')
  await dialog.getByLabel('Reason').fill('Coins from the till')
  await record.click()
  await dialog.waitFor({ state: 'hidden' })
  await refunds.getByText('Returned by you, outside the wallet: Coins from the till').waitFor()
  await payer.reload()
  await payer.getByText('Returned by the merchant, not through Malipo.').waitFor()
})
