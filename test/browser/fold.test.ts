/** What a payer sees without scrolling on a small phone, and what a phone remembers only when its payer asked for it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestApp } from '../app.ts'
import { decideBusiness, submittedBusiness } from '../onboarding.ts'
import { accessibilityProblems, endTogether, keepPicture, overflows, smallTargets, startBrowser, wholeFile } from './browser.ts'
import { arrive, openOptional, phoneOf360, pressPay } from './payer.ts'

const browser = await startBrowser(wholeFile)
let aheadMs = 0
const app = await startTestApp(wholeFile, {
  worker: true,
  // The clock of the pages, which a test sets ahead.
  wrap: (deps) => ({ ...deps, clock: { ...deps.clock, now: () => deps.clock.now() + aheadMs } }),
})
const { student, business } = await submittedBusiness(app, { legal_name: 'Mlimani Sekondari', trading_name: 'Mlimani Sekondari' })
const decided = await decideBusiness(app, await app.admin(), business.id, { status: 'verified' })
assert.equal(decided.status, 200, JSON.stringify(decided.body))

const title = 'Ada ya muhula wa pili 2026'
const description = 'Lipa kabla ya tarehe 5 Januari.'

async function pageOfBusiness(environment: 'live' | 'test'): Promise<{ slug: string }> {
  const made = await app.call('POST', `/v1/merchant/payment-pages?environment=${environment}&business_id=${business.id}`, {
    token: student.token,
    body: { type: 'payment', title, description, amount: 25_000 },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

const person = await app.student()
const pages = {
  verified: await pageOfBusiness('live'),
  'verified-test': await pageOfBusiness('test'),
  person: await app.page(person, { title, amount: 25_000 }, 'live'),
  'person-test': await app.page(person, { title, amount: 25_000 }, 'test'),
}

/** The lower edge of an element, in pixels from the top of the window. */
const bottomOf = (tab: Page, selector: string): Promise<number> =>
  tab.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().bottom`)

describe('the form on a small phone', () => {
  endTogether()

  for (const [name, page] of Object.entries(pages))
    for (const language of ['sw', 'en'] as const)
      for (const javaScriptEnabled of [true, false])
        test(`the pay button of a page with a fixed amount (${name}) is seen without scrolling at 360×640 in ${language} ${javaScriptEnabled ? 'with' : 'without'} scripts [C1]`, async (t) => {
          const context = await browser.newContext({ ...phoneOf360, viewport: { width: 360, height: 640 }, javaScriptEnabled })
          t.after(() => context.close())
          const tab = await context.newPage()
          await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}?lang=${language}`)
          await keepPicture(tab, `fold-${name}-${language}${javaScriptEnabled ? '' : '-no-script'}`)
          const bottom = await bottomOf(tab, '#send')
          t.diagnostic(`${name} ${language}: the button ends at ${bottom.toFixed(0)} px`)
          assert.ok(bottom <= 640, `${bottom}`)
          assert.equal(await overflows(tab), false)
          assert.deepEqual(await smallTargets(tab), [])
          if (javaScriptEnabled) assert.deepEqual(await accessibilityProblems(tab), [])
        })

  const stored = (tab: Page): Promise<string> => tab.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')

  test('a phone remembers the number and name only when the payer asked, shows a part of the number, and forgets at a touch [C7]', async (t) => {
    const context = await browser.newContext({ ...phoneOf360, viewport: { width: 360, height: 640 } })
    t.after(() => context.close())
    const tab = await context.newPage()
    const requests: string[] = []
    tab.on('request', (request) =>
      requests.push(`${request.url()} ${request.postData() ?? ''} ${JSON.stringify(request.headers())}`),
    )
    const form = `${app.config.urls.checkout}/pay/${pages.verified.slug}?lang=sw`
    const pay = async (phone: string, keeps: boolean): Promise<void> => {
      await tab.locator('#phone_number').fill(phone)
      await tab.locator('#customer_name').fill('Neema Kisusange')
      if (keeps) {
        await openOptional(tab)
        assert.equal(await tab.locator('#keep').isChecked(), false)
        await keepPicture(tab, 'fold-optional-sw')
        assert.deepEqual(await smallTargets(tab), [])
        assert.deepEqual(await accessibilityProblems(tab), [])
        await tab.getByText('Kumbuka namba na jina langu').click()
      }
      await pressPay(tab)
    }
    /** A new form, as if this browser had never paid on the page. */
    const afresh = async (): Promise<void> => {
      await context.clearCookies()
      await tab.goto(form)
    }
    const isOffered = (): Promise<boolean> => tab.locator('#known').isVisible()

    await afresh()
    await pay('0754 123 789', false)
    await arrive(tab)
    const paidBefore = tab.url()
    assert.equal(await stored(tab), '[{},{}]')

    // A number that is refused is not kept.
    await afresh()
    assert.equal(await isOffered(), false)
    await pay('12345', true)
    await tab.locator('#news').waitFor()
    assert.equal(await stored(tab), '[{},{}]')
    // Not by the page of an earlier payment either.
    await tab.goto(paidBefore)
    await arrive(tab)
    assert.equal(await stored(tab), '[{},{}]')
    await afresh()
    assert.equal(await isOffered(), false)

    // The choice stays in view after a refusal, and counts for the number that is accepted.
    await pay('12345', true)
    await tab.locator('#news').waitFor()
    assert.equal(await tab.locator('#keep').isChecked(), true)
    await tab.locator('.keep').waitFor()
    await keepPicture(tab, 'fold-refused-sw')
    await tab.locator('#phone_number').fill('+255 754 123 789')
    await pressPay(tab)
    await arrive(tab)
    assert.match(await stored(tab), /754 123 789.*Kisusange/)
    assert.match(await stored(tab), /,\{\}\]$/)

    await afresh()
    const use = tab.getByRole('button', { name: 'Tumia 0754 ••• 789' })
    await use.waitFor()
    assert.doesNotMatch(await tab.locator('main').innerText(), /Kisusange|123 789/)
    assert.ok((await bottomOf(tab, '#send')) <= 640)
    assert.equal(await overflows(tab), false)
    assert.deepEqual(await smallTargets(tab), [])
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme })
      await keepPicture(tab, `fold-remembered-sw-${colorScheme}`)
      assert.deepEqual(await accessibilityProblems(tab), [])
    }
    await use.click()
    assert.deepEqual(
      [await tab.locator('#phone_number').inputValue(), await tab.locator('#customer_name').inputValue()],
      ['+255 754 123 789', 'Neema Kisusange'],
    )
    assert.equal(await tab.evaluate('document.activeElement.id'), 'send')
    await tab.keyboard.press('Enter')
    await arrive(tab)

    await afresh()
    await tab.getByRole('button', { name: 'Isahau' }).click()
    assert.equal(await isOffered(), false)
    assert.equal(await stored(tab), '[{},{}]')
    await tab.reload()
    assert.equal(await isOffered(), false)

    // The number left this phone only in forms that the payer sent.
    const leaks = requests.filter((request) => /754.?123.?789|Kisusange/.test(request) && !request.includes('customer_name='))
    assert.deepEqual(leaks, [])
    assert.ok(requests.every((request) => !/[?&][^ ]*(754|Kisusange)/.test(request.split(' ')[0]!)))
  })

  test('the waiting page changes by itself when the prompt has left the phone, with a script, and offers the resend in the open [C8]', async (t) => {
    const context = await browser.newContext(phoneOf360)
    t.after(() => context.close())
    const tab = await context.newPage()
    const problems: string[] = []
    tab.on('pageerror', (error) => problems.push(error.message))
    await tab.goto(`${app.config.urls.checkout}/pay/${pages['person-test'].slug}?lang=sw`)
    await tab.locator('#phone_number').fill('0754 000 111')
    await tab.locator('#customer_name').fill('Juma')
    await pressPay(tab)
    const reference = await arrive(tab)
    await tab.getByText('Simu itaonyesha jina MALIPO').waitFor()
    await keepPicture(tab, 'wait-name-sw')
    const resend = tab.getByRole('button', { name: 'Tuma ombi tena' })
    assert.equal(await resend.isVisible(), false)
    // The prompt was shown 87 seconds ago.
    await app.owner.pool.query(
      `update provider_charges set claimed_at = clock_now() - interval '87 seconds' where request_body like $1`,
      [`%${reference}%`],
    )
    await tab.reload()
    await tab.getByRole('heading', { name: 'Angalia simu yako' }).waitFor()
    await tab.getByRole('heading', { name: 'Ombi kwenye simu yako limefungwa' }).waitFor({ timeout: 10_000 })
    assert.equal(await tab.locator('#steps').isVisible(), false)
    assert.equal(await resend.count(), 1)
    assert.equal(await resend.isVisible(), true)
    await keepPicture(tab, 'wait-gone-by-script-sw')
    assert.deepEqual(await accessibilityProblems(tab), [])
    await resend.click()
    await tab.getByText('Tumetuma ombi tena').waitFor()
    assert.equal((await app.truth(`?our_reference=${reference}`)).charges[0].prompts, 2)
    assert.deepEqual(problems, [])
  })

  test('after ten minutes without a result the page says that nothing is proven, with and without scripts, and not that no money was taken [C6]', async (t) => {
    const { body } = await app.checkout(pages['person-test'].slug, { phone_number: '0754000113' })
    t.after(() => (aheadMs = 0))
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ ...phoneOf360, javaScriptEnabled })
      t.after(() => context.close())
      const tab = await context.newPage()
      // With a script the page is opened seconds before and changes by itself.
      aheadMs = javaScriptEnabled ? 595_000 : 600_000
      const address = `${app.config.urls.checkout}/pay/${pages['person-test'].slug}/${body.data.reference}?lang=sw`
      await tab.goto(address)
      await tab.getByText('Dakika kumi zimepita').waitFor({ timeout: 20_000 })
      assert.equal(await tab.locator('#slow').isVisible(), false)
      assert.doesNotMatch(await tab.locator('main').innerText(), /Hakuna pesa iliyokatwa/)
      await keepPicture(tab, `wait-long-sw${javaScriptEnabled ? '' : '-no-script'}`)
      if (javaScriptEnabled) assert.deepEqual(await accessibilityProblems(tab), [])
      assert.equal(await overflows(tab), false)
    }
    // The network's own answer is the proof.
    const [charge] = (await app.truth(`?our_reference=${body.data.reference}`)).charges
    await fetch(`${app.simulatorUrl}/__control/charges/${charge.reference}/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'cancel' }),
    })
    await app.settled(body.data.reference, ['failed', 'voided'])
    const ended = await fetch(`${app.config.urls.checkout}/pay/${pages['person-test'].slug}/${body.data.reference}?lang=sw`)
    assert.match(await ended.text(), /Hakuna pesa iliyokatwa\./)
  })

  test('a receipt is shared with the phone’s own menu and copied where the browser can, and with WhatsApp without scripts [C9]', async (t) => {
    const { body } = await app.checkout(pages.person.slug)
    const { reference } = body.data
    await app.settled(reference)
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({
        ...phoneOf360,
        javaScriptEnabled,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      t.after(() => context.close())
      const tab = await context.newPage()
      if (javaScriptEnabled)
        await tab.addInitScript('navigator.share = function (what) { window.shared = what; return Promise.resolve() }')
      await tab.goto(`${app.config.urls.checkout}/r/${reference}?lang=sw`)
      await keepPicture(tab, `receipt-share-sw${javaScriptEnabled ? '' : '-no-script'}`)
      const link = await tab.getByRole('link', { name: 'Tuma kwa WhatsApp' }).getAttribute('href')
      assert.match(decodeURIComponent(link!), new RegExp(`Msimbo wa malipo .* http.*/r/${reference}`))
      if (!javaScriptEnabled) {
        assert.equal(await tab.getByRole('button').count(), 0)
        continue
      }
      await tab.getByRole('button', { name: 'Tuma risiti' }).click()
      const shared = await tab.evaluate<{ text: string; url: string }>('window.shared')
      assert.match(shared.url, new RegExp(`/r/${reference}`))
      await tab.getByRole('button', { name: 'Nakili kiungo' }).click()
      await tab.getByText('Kiungo kimenakiliwa').waitFor()
      assert.equal(await tab.evaluate('navigator.clipboard.readText()'), shared.url)
    }
  })
})
