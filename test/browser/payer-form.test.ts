/** What a payer reads around the form, the wait and the receipt: one notice, errors that go when they are corrected, and a way to check. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, endTogether, keepPicture, overflows, smallTargets, startBrowser, wholeFile } from './browser.ts'
import { arrive, fillIn, openOptional, phoneOf360, pressPay } from './payer.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true })
const student = await app.student()
const small = { ...phoneOf360, viewport: { width: 360, height: 640 } }
const notices = 'main > .bad, main > .note, main > .test[role=status]'

describe('a payer on a small phone', () => {
  endTogether()

  for (const javaScriptEnabled of [true, false])
    test(`empty and wrong fields are reported together in one notice ${javaScriptEnabled ? 'and go as each is corrected' : 'without scripts'} [C2]`, async (t) => {
      const page = await app.page(student, { title: 'Mchango', amount: null, allow_custom_amount: true })
      const context = await browser.newContext({ ...small, javaScriptEnabled })
      t.after(() => context.close())
      const tab = await context.newPage()
      const problems: string[] = []
      tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
      tab.on('pageerror', (error) => problems.push(error.message))
      await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}?lang=sw`)
      await keepPicture(tab, `payer-form-open-${javaScriptEnabled}`)
      assert.deepEqual(await smallTargets(tab), [])
      assert.equal(await tab.locator('#quick').isVisible(), javaScriptEnabled)
      await fillIn(tab, { phone: '12345', name: '', email: 'juma@', amount: '' })
      await pressPay(tab)
      await tab.locator('#news').waitFor()
      assert.equal(await tab.locator('#news li').count(), 4)
      assert.equal(await tab.locator('.err:visible').count(), 4)
      assert.equal(await tab.locator(notices).count(), 1)
      assert.match(await tab.title(), /^Kosa: Mchango/)
      await keepPicture(tab, `payer-form-errors-${javaScriptEnabled}`)
      if (!javaScriptEnabled) return

      await tab.locator('#quick').getByText('5,000').click()
      assert.equal(await tab.locator('#amount').inputValue(), '5,000')
      assert.equal(await tab.locator('#news li').count(), 3)
      await tab.locator('#amount').fill('25000')
      await tab.locator('#phone_number').fill('0754 123 12')
      assert.equal(await tab.locator('#amount').inputValue(), '25,000')
      assert.equal(await tab.locator('#phone_number-error').count(), 1, 'it is not right yet')
      await tab.locator('#phone_number').fill('0754 123 129')
      assert.equal(await tab.locator('#phone_number-error').count(), 0)
      assert.equal(await tab.locator('#phone_number').getAttribute('aria-invalid'), null)
      await tab.locator('#customer_name').fill('Juma')
      assert.equal(await tab.locator('#news li').count(), 1)
      await openOptional(tab)
      await tab.locator('#customer_email').fill('juma@example.com')
      assert.equal(await tab.locator('#news').count(), 0)
      assert.match(await tab.title(), /^Mchango/)
      assert.deepEqual(await accessibilityProblems(tab), [])
      assert.equal(await overflows(tab), false)
      await pressPay(tab)
      const reference = await arrive(tab)
      assert.equal((await app.truth(`?our_reference=${reference}`)).charges[0].amount, 25_000)
      assert.deepEqual(problems, [])
    })

  test('a network that is switched off is named at the number, also after Back from a payment with another number', async (t) => {
    const admin = await app.admin()
    const page = await app.page(student, { amount: 1500 })
    const context = await browser.newContext(small)
    t.after(() => context.close())
    const tab = await context.newPage()
    await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}?lang=en`)
    await fillIn(tab, { phone: '0754 123 129' })
    await pressPay(tab)
    await arrive(tab)
    const turn = (state: 'on' | 'off') =>
      app.call('PUT', '/v1/admin/switches/test.checkout.airtel', { token: admin.token, body: { state, reason: 'Maintenance.' } })
    assert.equal((await turn('off')).status, 200)
    t.after(() => turn('on'))
    await tab.goBack()
    await fillIn(tab, { phone: '0684 123 111' })
    await pressPay(tab)
    await tab.locator('#news').waitFor()
    assert.match(await tab.locator('#phone_number-error').innerText(), /network is not available/)
    const notice = await tab.locator('#news').innerText()
    assert.match(notice, /network is not available[\s\S]*not completed yet/)
    assert.doesNotMatch(notice, /already sent a payment request/)
    assert.equal(await tab.locator(notices).count(), 1)
    await tab.locator('#pay .test').getByText('Airtel Money').waitFor()
    await keepPicture(tab, 'payer-form-network-off')
    assert.deepEqual(await accessibilityProblems(tab), [])
  })

  test('a lost connection is seen without scrolling while the payer waits', async (t) => {
    const page = await app.page(student, { amount: 1500 })
    const context = await browser.newContext(small)
    t.after(() => context.close())
    const tab = await context.newPage()
    await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}?lang=sw`)
    await fillIn(tab, { phone: '0754 123 129' })
    await pressPay(tab)
    await arrive(tab)
    await context.setOffline(true)
    await tab.locator('#offline').waitFor({ timeout: 15_000 })
    const bottom = await tab.evaluate<number>(`document.querySelector('#offline').getBoundingClientRect().bottom + scrollY`)
    assert.ok(bottom <= 640, `${bottom}`)
    await keepPicture(tab, 'payer-wait-offline')
    await context.setOffline(false)
    await tab.locator('#offline').waitFor({ state: 'hidden', timeout: 15_000 })
  })

  for (const language of ['sw', 'en'] as const)
    test(`a receipt names the merchant once, has one main action, and a code to check it (${language}) [C9]`, async (t) => {
      const page = await app.page(student, { title: 'Ada ya mtihani', amount: 25_000 })
      const { reference } = (await app.checkout(page.slug, { phone_number: '0754 123 789' })).body.data
      await app.settled(reference)
      for (const [width, colorScheme] of [
        [360, 'light'],
        [1280, 'dark'],
      ] as const) {
        const context = await browser.newContext({ ...small, viewport: { width, height: 640 }, colorScheme })
        t.after(() => context.close())
        const tab = await context.newPage()
        await tab.goto(`${app.config.urls.checkout}/r/${reference}?lang=${language}`)
        await keepPicture(tab, `payer-receipt-${language}-${width}-${colorScheme}`)
        const text = await tab.locator('main > :not(#help)').allInnerTexts()
        const merchant = await tab.locator('.who b').innerText()
        assert.equal(text.join('\n').split(merchant).length - 1, 1, text.join('\n'))
        assert.match(text.join('\n'), { sw: /Umemlipa/, en: /Paid to/ }[language])
        assert.equal(await tab.locator('main a.button:not(.second), main button:not(.second)').count(), 1)
        assert.ok((await tab.locator('.check img').evaluate((image: any) => image.naturalWidth)) > 100)
        assert.deepEqual(await accessibilityProblems(tab), [])
        assert.equal(await overflows(tab), false)
      }
    })
})
