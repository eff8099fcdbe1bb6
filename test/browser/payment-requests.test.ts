/** Payment requests in a real Chromium: a merchant sends a link for one order, the customer pays it, and both see the end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../app.ts'
import { moveClock } from '../fixtures/reconciliation.ts'
import { startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, signedInTab } from './dashboard.ts'

test('a merchant requests payments', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const everyone = { browser, app }
  // In test no verification is needed.
  const student = await app.student({ verified: false })
  const list = '/dashboard/me/test/pages/requests'
  const requests = async (): Promise<any[]> =>
    (await app.call('GET', '/v1/merchant/payment-requests?environment=test', student)).body.data

  await t.test('[D16] a request is created, its errors are shown at their fields, and its customer pays it', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto('/dashboard/me/test/pages')
    await tab.getByRole('link', { name: 'Payment requests' }).click()
    await tab.getByText('No payment request yet').waitFor()
    await tab.getByRole('link', { name: 'New request' }).first().click()
    await tab.getByRole('textbox', { name: 'What the customer pays for' }).fill('Order 1043')
    await tab.getByRole('textbox', { name: 'Your order number' }).fill('A-1043')
    await tab.getByRole('textbox', { name: 'Name of the customer' }).fill('Neema Joseph')
    await tab.getByRole('textbox', { name: 'E-mail' }).fill('neema@example.com')
    await tab.getByRole('textbox', { name: 'Mobile money number' }).fill('12345')
    await tab.getByRole('textbox', { name: 'Amount to pay' }).fill('25000')
    await tab.getByRole('button', { name: 'Create the request' }).click()
    await tab.locator('input[aria-invalid=true]:focus').waitFor()
    assert.equal(await tab.getByRole('textbox', { name: 'Mobile money number' }).getAttribute('aria-invalid'), 'true')
    assert.deepEqual(await requests(), [])
    await tab.getByRole('textbox', { name: 'Mobile money number' }).fill('0754 123 789')
    await looksRightEverywhere(
      tab,
      'new-payment-request',
      () => tab.getByRole('button', { name: /^(Create the request|Tengeneza ombi)$/ }).waitFor(),
      {
        reloads: false,
      },
    )
    await tab.getByRole('button', { name: 'Create the request' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Order 1043' }).waitFor()
    await tab.getByText('Waiting for payment').waitFor()
    const [request] = await requests()
    assert.equal(await tab.getByRole('textbox', { name: 'Link for the customer' }).inputValue(), request.url)
    const share = (await tab.getByRole('link', { name: 'WhatsApp' }).getAttribute('href'))!
    assert.ok(share.startsWith('https://wa.me/?text=') && decodeURIComponent(share).includes(request.url))
    assert.doesNotMatch(share, /Neema|neema|754/)
    await looksRightEverywhere(tab, 'payment-request', () => tab.getByRole('heading', { level: 1, name: 'Order 1043' }).waitFor())

    const payer = await guestTab(everyone, { size: 'phone' })
    await payer.goto(`${request.url}?lang=en`)
    assert.equal(await payer.getByLabel('Your name').inputValue(), 'Neema Joseph')
    await payer.getByRole('button', { name: 'Pay TSh 25,000' }).click()
    await payer.getByRole('heading', { name: 'Payment complete' }).waitFor({ timeout: 20_000 })
    await payer.goto(`${request.url}?lang=en`)
    await payer.getByRole('heading', { name: 'This is already paid' }).waitFor()
    await payer.getByRole('link', { name: 'See the receipt' }).click()
    await payer.waitForURL(/\/r\/pay_/)
    await payer.context().close()

    await tab.getByText('Paid', { exact: true }).first().waitFor()
    await tab.getByRole('link', { name: 'See the payment' }).click()
    await tab.getByRole('link', { name: 'Order 1043' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Order 1043' }).waitFor()
    assert.match(tab.url(), new RegExp(request.id))
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D16] a request is cancelled after a question, and the list says so in Swahili', async () => {
    const made = await app.call('POST', '/v1/merchant/payment-requests?environment=test', {
      token: student.token,
      body: { title: 'Oda 1044', amount: 5000 },
    })
    assert.equal(made.status, 201)
    const tab = await signedInTab(everyone, student, { language: 'sw' })
    await tab.goto(list)
    await looksRightEverywhere(tab, 'payment-requests', () => tab.getByRole('link', { name: 'Oda 1044' }).waitFor())
    await tab.getByRole('link', { name: 'Oda 1044' }).click()
    await tab.getByRole('button', { name: 'Ghairi ombi' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Ghairi ombi' }).click()
    await tab.getByText('Limeghairiwa').first().waitFor()
    assert.equal((await requests())[0].status, 'cancelled')
    await tab.getByRole('link', { name: 'Maombi ya malipo' }).click()
    await tab.getByText('Limeghairiwa', { exact: true }).waitFor()
    await tab.getByText('Limelipwa').waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D16] an open request whose time ends says so without a reload, and so does its line in the list', async () => {
    const made = await app.call('POST', '/v1/merchant/payment-requests?environment=test', {
      token: student.token,
      body: { title: 'Order 1045', amount: 5000, expires_at: new Date(Date.now() + 120_000).toISOString() },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const [tab, beside] = [await signedInTab(everyone, student), await signedInTab(everyone, student)]
    for (const one of [tab, beside]) await one.clock.install()
    await tab.goto(`${list}/${made.body.data.id}`)
    await beside.goto(list)
    for (const one of [tab, beside]) await one.getByText('Waiting for payment').waitFor()
    await moveClock(app, '5 minutes')
    for (const one of [tab, beside]) await one.clock.fastForward('00:16')
    await beside.getByText('Expired', { exact: true }).waitFor()
    await tab.getByText('Expired', { exact: true }).waitFor()
    assert.equal(await tab.getByRole('textbox', { name: 'Link for the customer' }).count(), 0)
    for (const one of [tab, beside]) {
      assert.deepEqual(one.problems, [])
      await one.context().close()
    }
  })
})
