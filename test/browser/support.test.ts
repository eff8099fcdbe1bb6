/** The support contact of a merchant, and the operators' queue of cases, in a real Chromium. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerCharge, getPage, openPayment, passMinute, report } from '../fixtures/support.ts'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, operatorTab, signedInTab } from './dashboard.ts'

test('payers find help, and operators answer what the machine cannot prove', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true, settings: { PAYMENT_CHECK_DELAYS_SECONDS: '600' } })
  const student = await app.student()
  const { slug } = await app.page(student)

  await t.test('[D41] a merchant sets the contact that payers see', async () => {
    const tab = await signedInTab({ browser, app }, student)
    tab.setDefaultTimeout(12_000)
    await tab.goto('/dashboard/me/test/support')
    await looksRightEverywhere(tab, 'support-contact', () => tab.getByText('You have set none', { exact: false }).waitFor())
    await tab.getByLabel('Phone').fill('12')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.locator('[aria-invalid=true]').waitFor()
    await tab.getByLabel('Phone').fill('0754 111 222')
    await tab.getByLabel('E-mail').fill('duka@example.com')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Payers see it from now on', { exact: false }).waitFor()
    assert.equal(await tab.getByLabel('Phone').inputValue(), '+255754111222')
    assert.match((await getPage(app, `/pay/${slug}`)).text, /tel:\+255754111222/)
    assert.deepEqual(tab.problems, [])
  })

  await t.test('[A41] an operator finds a case with all evidence, and closes it', async () => {
    const reference = await openPayment(app, slug)
    await answerCharge(app, reference, 'expire')
    const path = await report(app, reference, 'S46121174212', { words: 'Pesa imetoka', amount: '1500', phone: '0754123129' })
    await passMinute(app, path)
    await eventually('operators have it', async () => /Our team has your case/.test((await getPage(app, path)).text))
    const tab = await operatorTab({ browser, app }, await app.admin())
    tab.setDefaultTimeout(12_000)
    await tab.goto('/admin/')
    const card = tab.getByRole('region', { name: 'Support cases' })
    await card.getByText('1', { exact: true }).waitFor()
    await card.getByRole('link', { name: 'Support cases' }).click()
    const row = tab.getByRole('row').filter({ has: tab.getByRole('link', { name: 'S46121174212' }) })
    const { full_name: merchantName } = (await app.call('GET', '/v1/me', { token: student.token })).body.data
    await row.getByText(new RegExp(`^${merchantName} · .* · `)).waitFor()
    await row.getByText(reference, { exact: true }).waitFor()
    await looksRightEverywhere(tab, 'support-cases', () => tab.getByText('S46121174212').waitFor())
    // Found also by the number that the payer reads out.
    await tab.goto('/admin/search')
    await tab.getByRole('searchbox').fill('s461 2117 4212')
    await tab.keyboard.press('Enter')
    await tab.getByText('Understood as: SMS number that a payer gave.').waitFor()
    await tab.getByText('Support case · Waiting for an operator').waitFor()
    await looksRightEverywhere(tab, 'search-case', () => tab.getByRole('link', { name: 'S46121174212' }).waitFor())
    await tab.getByRole('link', { name: 'S46121174212' }).click()
    await tab.getByText('Pesa imetoka').waitFor()
    await looksRightEverywhere(tab, 'support-case', () => tab.getByText('Pesa imetoka').waitFor())
    await tab.getByRole('radio', { name: 'Other answer, in the message' }).check()
    await tab.getByLabel('Evidence').fill('Ticket 4711')
    await tab.getByLabel('Message to the payer').fill('Mtandao umerudisha pesa yako.')
    await tab.getByRole('button', { name: 'Close the case' }).click()
    await tab.getByText('The case is closed', { exact: false }).waitFor()
    await tab.goto(`/admin/payments/${reference}`)
    const story = tab.getByRole('region', { name: 'What happened' })
    await story.getByText(/The payer reported on .* that money was taken\./).waitFor()
    await story.getByText(/An operator answered the payer on .*, in a message of their own\./).waitFor()
    await looksRightEverywhere(tab, 'payment-with-case', () => story.waitFor())
    await tab.getByRole('link', { name: /^case_/ }).click()
    await tab.getByText('Ticket 4711').waitFor()
    await eventually('the payer reads it', async () => /Mtandao umerudisha pesa yako/.test((await getPage(app, path)).text))
    assert.deepEqual(tab.problems, [])
  })
})
