/** However a payer clicks, goes back, reloads or opens a second tab: one charge. */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestApp } from '../app.ts'
import { endTogether, startBrowser, wholeFile } from './browser.ts'
import { arrive, fillIn, phoneOf360, pressPay } from './payer.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true })
const student = await app.student()

type Visit = { tab: Page; newTab(): Promise<Page>; charges(): Promise<number> }

async function visit(t: TestContext, javaScriptEnabled = true): Promise<Visit> {
  const page = await app.page(student, { amount: 1500 })
  const context = await browser.newContext({ ...phoneOf360, javaScriptEnabled })
  t.after(() => context.close())
  const newTab = async (): Promise<Page> => {
    const tab = await context.newPage()
    await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}`)
    return tab
  }
  const before = (await app.truth()).charges.length
  return { tab: await newTab(), newTab, charges: async () => (await app.truth()).charges.length - before }
}

describe('one charge', () => {
  endTogether()

  for (const hasScript of [true, false]) {
    const how = hasScript ? 'with' : 'without'

    test(`a double tap on the button makes one charge ${how} scripts [C4]`, async (t) => {
      const { tab, charges } = await visit(t, hasScript)
      await fillIn(tab, { phone: '0754 123 129' })
      await tab.locator('#send').dblclick()
      await arrive(tab)
      assert.equal(await charges(), 1)
    })

    test(`Back, and the same form sent again, makes one charge ${how} scripts [C4]`, async (t) => {
      const { tab, charges } = await visit(t, hasScript)
      await fillIn(tab, { phone: '0754 123 129' })
      await pressPay(tab)
      const reference = await arrive(tab)
      await tab.goBack()
      await fillIn(tab, { phone: '+255 754 123 129' })
      assert.equal(await tab.locator('#send').isEnabled(), true)
      await pressPay(tab)
      assert.equal(await arrive(tab), reference)
      assert.equal(await charges(), 1)
    })

    test(`reloading while waiting, and opening the page again, makes one charge ${how} scripts [C4]`, async (t) => {
      const { tab, charges } = await visit(t, hasScript)
      await fillIn(tab, { phone: '0754 123 129' })
      await pressPay(tab)
      const reference = await arrive(tab)
      await tab.reload()
      await tab.getByText('Angalia tena').click()
      assert.equal(await arrive(tab), reference)
      assert.equal(await charges(), 1)
    })

    test(`the same form in two tabs makes one charge ${how} scripts [C4]`, async (t) => {
      const { tab, newTab, charges } = await visit(t, hasScript)
      const other = await newTab()
      for (const one of [tab, other]) await fillIn(one, { phone: '0754 123 129' })
      await Promise.all([pressPay(tab), pressPay(other)])
      assert.equal(await arrive(tab), await arrive(other))
      assert.equal(await charges(), 1)
    })
  }

  test('a form whose answer was lost is sent again and finds its payment [C4]', async (t) => {
    const { tab, newTab, charges } = await visit(t)
    await fillIn(tab, { phone: '0754 123 129' })
    let lost = 0
    await tab.route('**/pay/*', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue()
      lost += 1
      // The request arrives; its answer does not.
      await route.fetch({ maxRedirects: 0 })
      return route.abort('connectionreset')
    })
    const failure = tab.waitForEvent('requestfailed')
    await tab.locator('#send').click({ noWaitAfter: true })
    await failure
    assert.equal(await charges(), 1)
    const again = await newTab()
    await fillIn(again, { phone: '0754 123 129' })
    await pressPay(again)
    await arrive(again)
    assert.equal(await charges(), 1)
  })

  test('after a failure the typed values are still there, and a new attempt pays once; the old one can still be seen [C7]', async (t) => {
    const { tab, charges } = await visit(t)
    await fillIn(tab, { phone: '0754 123 049', name: 'Neema Ali', email: 'neema@example.com' })
    await pressPay(tab)
    const first = await arrive(tab)
    await tab.getByText('Salio halitoshi.').waitFor({ timeout: 15_000 })
    const seenAt = tab.url()
    await tab.getByRole('link', { name: 'Tumia namba nyingine' }).click()
    assert.equal(await tab.locator('#phone_number').inputValue(), '')
    await tab.goBack()
    await tab.getByRole('link', { name: 'Jaribu tena' }).click()
    const typed = ['#phone_number', '#customer_name', '#customer_email'].map((field) => tab.locator(field).inputValue())
    assert.deepEqual(await Promise.all(typed), ['0754 123 049', 'Neema Ali', 'neema@example.com'])
    await tab.locator('#phone_number').fill('0754 123 789')
    await tab.locator('#send').dblclick()
    assert.notEqual(await arrive(tab), first)
    await tab.getByText('Malipo yamekamilika').first().waitFor({ timeout: 15_000 })
    assert.equal(await charges(), 2)
    await tab.goto(seenAt)
    await tab.getByText('Hakuna pesa iliyokatwa.').waitFor()
  })

  test('a late success is shown as one, and the second attempt is not paid without a warning [C7]', async (t) => {
    const { tab, charges } = await visit(t)
    await fillIn(tab, { phone: '0754 123 111' })
    await pressPay(tab)
    const first = await arrive(tab)
    const [charge] = (await app.truth('?status=pending&phone=255754123111')).charges
    const answer = (action: 'fail' | 'complete') =>
      fetch(`${app.simulatorUrl}/__control/charges/${charge.reference}/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ action }),
      })
    await answer('fail')
    await app.settled(first, ['failed'])
    await tab.getByRole('link', { name: 'Jaribu tena' }).click()
    await tab.locator('#phone_number').fill('0754 123 129')
    // The provider corrects its failure long after it reported it.
    await answer('complete')
    await app.settled(first, ['completed'])
    await pressPay(tab)
    await tab.getByText('Malipo yako ya awali yamekamilika').waitFor()
    assert.match(await tab.title(), /^Kosa: /)
    assert.equal(await charges(), 1)
    await tab.getByRole('link', { name: 'Angalia risiti' }).click()
    await tab.getByRole('heading', { name: 'Malipo yamekamilika' }).waitFor()
  })
})
