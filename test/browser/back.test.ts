/** Back and reload after a form was refused: the browser shows the form or the payment, and never asks to send anything again. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, endTogether, keepPicture, overflows, startBrowser, wholeFile } from './browser.ts'
import { arrive, fillIn, phoneOf360, pressPay } from './payer.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true })
const student = await app.student()

async function open(t: TestContext, path: string, javaScriptEnabled: boolean): Promise<Page> {
  const context = await browser.newContext({ ...phoneOf360, javaScriptEnabled })
  t.after(() => context.close())
  const tab = await context.newPage()
  await tab.goto(`${app.config.urls.checkout}${path}`)
  return tab
}

/** Goes through the whole history: each entry is a page of the service, opened without sending a form. */
async function goThrough(tab: Page, seen: RegExp): Promise<void> {
  const posts: string[] = []
  tab.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
  const look = async (): Promise<void> => {
    assert.ok(tab.url().startsWith(app.config.urls.checkout), tab.url())
    assert.match(await tab.locator('main').innerText(), seen)
  }
  const end = tab.url()
  for (let step = 1; step <= 2; step += 1) {
    await tab.goBack()
    await look()
    await tab.reload()
    await look()
  }
  for (let step = 1; step <= 2; step += 1) {
    await tab.goForward()
    await look()
  }
  assert.equal(tab.url(), end)
  assert.deepEqual(posts, [], 'nothing was sent again')
}

describe('Back after a refused form', () => {
  endTogether()

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'

    test(`of a page with an open amount: the form, then the payment, and one charge ${how} scripts [R20, C4]`, async (t) => {
      const page = await app.page(student, { title: 'Sadaka ya ujenzi', amount: null, allow_custom_amount: true })
      const tab = await open(t, `/pay/${page.slug}`, javaScriptEnabled)
      const before = (await app.truth()).charges.length
      await fillIn(tab, { phone: '12345', amount: '100', name: 'Neema Kisusange' })
      await pressPay(tab)
      await tab.locator('#news').waitFor()
      assert.doesNotMatch(tab.url(), /Neema|12345/)
      await tab.reload()
      assert.deepEqual(
        [await tab.locator('#phone_number').inputValue(), await tab.locator('#customer_name').inputValue()],
        ['12345', 'Neema Kisusange'],
      )
      assert.equal(await tab.locator('#amount-error').isVisible(), true)
      await keepPicture(tab, `back-refused-${how}-scripts`)
      assert.equal(await overflows(tab), false)
      if (javaScriptEnabled) assert.deepEqual(await accessibilityProblems(tab), [])
      await tab.goBack()
      await tab.locator('#pay').waitFor()
      await tab.goForward()
      await fillIn(tab, { phone: '0754 123 129', amount: '5000', name: 'Neema Kisusange' })
      await pressPay(tab)
      await arrive(tab)
      await goThrough(tab, /Sadaka ya ujenzi/)
      assert.equal((await app.truth()).charges.length - before, 1)
    })

    test(`of a payment link and of the report that money was taken: their forms, and one charge ${how} scripts [R20]`, async (t) => {
      const { key } = await app.key(student)
      const link = await app.call('POST', '/v1/payment-requests', {
        key,
        body: { amount: 12_000, title: 'Kitenge' },
      })
      assert.equal(link.status, 201, JSON.stringify(link.body))
      const tab = await open(t, new URL(link.body.data.url).pathname, javaScriptEnabled)
      const before = (await app.truth()).charges.length
      await tab.locator('#phone_number').fill('0222 123 456')
      await tab.locator('#customer_name').fill('Neema')
      await pressPay(tab)
      await tab.locator('#news').waitFor()
      await tab.locator('#phone_number').fill('0754 123 129')
      await pressPay(tab)
      const reference = await arrive(tab)
      await goThrough(tab, /Kitenge|malipo/)

      await tab.goto(`${app.config.urls.checkout}/c/new/${reference}?lang=sw`)
      await tab.locator('#sms_number').fill('12')
      await tab.locator('main form button').click()
      await tab.locator('#news').waitFor()
      await tab.reload()
      assert.equal(await tab.locator('#sms_number').inputValue(), '12')
      await tab.locator('#sms_number').fill('S46121174212')
      await tab.locator('main form button').click()
      await tab.waitForURL(/\/c\/case_/)
      await goThrough(tab, /Pesa imekatwa|Ripoti|mtandao|malipo/)
      assert.equal((await app.truth()).charges.length - before, 1)
    })
  }
})
