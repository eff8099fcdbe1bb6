/**
 * The journey under the conditions of real phones: no mouse, no motion, no connection for a while, big letters, each language and
 * theme.
 */
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startTestApp } from '../app.ts'
import { endTogether, overflows, startBrowser, wholeFile } from './browser.ts'
import { arrive, fillIn, phoneOf360, pressPay } from './payer.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true, simulator: { delayMs: 1_500 } })
const student = await app.student()
const page = await app.page(student, { title: 'Ada 2026', amount: 25_000 })
const custom = await app.page(student, { title: 'Mchango', amount: null, allow_custom_amount: true })

async function open(t: TestContext, options: BrowserContextOptions = {}, path = `/pay/${page.slug}`): Promise<Page> {
  const context = await browser.newContext({ ...phoneOf360, ...options })
  t.after(() => context.close())
  const tab = await context.newPage()
  await tab.goto(`${app.config.urls.checkout}${path}`)
  return tab
}

/** The focused element, and whether its focus is visible: an outline, and nothing in front of it. */
const focused = (tab: Page): Promise<{ id: string; text: string; isSeen: boolean }> =>
  tab.evaluate(`(() => {
    const node = document.activeElement, box = node.getBoundingClientRect()
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    const isSeen = parseFloat(getComputedStyle(node).outlineWidth) >= 2 && box.bottom <= innerHeight + 1 && (node.contains(top) || top.contains(node))
    return { id: node.id, text: (node.textContent || '').trim().slice(0, 40), isSeen }
  })()`)

describe('hard conditions', () => {
  endTogether()

  for (const language of ['sw', 'en'] as const)
    for (const [width, colorScheme] of [
      [320, 'light'],
      [360, 'dark'],
      [1280, 'light'],
    ] as const) {
      test(`the whole way in ${language} at ${width} px, ${colorScheme}, shows one language and one amount [C1, C9]`, async (t) => {
        const tab = await open(t, { viewport: { width, height: 740 }, colorScheme }, `/pay/${page.slug}`)
        if (language === 'en') await tab.getByRole('link', { name: 'English' }).click()
        await fillIn(tab, { phone: '0754 123 789' })
        await pressPay(tab)
        await arrive(tab)
        const words = {
          sw: ['Angalia simu yako', 'Malipo yamekamilika', 'Fungua risiti'],
          en: ['Check your phone', 'Payment complete', 'Open the receipt'],
        }
        await tab.getByRole('heading', { name: words[language][0]! }).waitFor()
        await tab.getByRole('heading', { name: words[language][1]! }).waitFor({ timeout: 15_000 })
        assert.equal(await tab.locator('html').getAttribute('lang'), language)
        await tab.getByRole('link', { name: words[language][2]! }).click()
        assert.equal(await tab.locator('html').getAttribute('lang'), language)
        const receipt = await tab.locator('main').innerText()
        for (const part of ['TSh 25,000', '0754 ••• 789', 'M-Pesa', 'Ada 2026']) assert.ok(receipt.includes(part), part)
        assert.match(receipt, /\d{1,2} (Novemba|November|\p{L}+) \d{4}, \d{2}:\d{2}/u)
        assert.equal(await overflows(tab), false)
      })
    }

  test('a browser that prefers English gets English, and one touch leads to Swahili [C1]', async (t) => {
    const tab = await open(t, { locale: 'en-GB' })
    await tab.getByRole('button', { name: 'Pay TSh 25,000' }).waitFor()
    await tab.getByRole('link', { name: 'Kiswahili' }).click()
    await tab.getByRole('button', { name: 'Lipa TSh 25,000' }).waitFor()
  })

  test('one number however it is typed, and an unusable number is reported at its field with all typed text kept [C2]', async (t) => {
    for (const phone of ['0754123456', '+255754123456', '255 754 123 456', '0754-123-456']) {
      const tab = await open(t)
      await fillIn(tab, { phone })
      await pressPay(tab)
      await arrive(tab)
      await tab.getByText('0754 ••• 456').first().waitFor()
    }
    const phones = (await app.truth()).charges
      .map((charge: any) => charge.phone)
      .filter((phone: string) => phone.endsWith('754123456'))
    assert.deepEqual([phones.length, new Set(phones).size], [4, 1])
    for (const phone of ['12345', '0222123456', '0734123456', '+254712345678']) {
      const tab = await open(t)
      await fillIn(tab, { phone, name: 'Asha Ali' })
      await pressPay(tab)
      await tab.locator('#news').waitFor()
      assert.equal(await tab.evaluate('document.activeElement.id'), 'news')
      assert.equal(await tab.locator('#phone_number').getAttribute('aria-invalid'), 'true')
      assert.equal(await tab.locator('#phone_number').inputValue(), phone)
      assert.equal(await tab.locator('#customer_name').inputValue(), 'Asha Ali')
      await tab.locator('#news a').first().click()
      assert.equal(await tab.evaluate('document.activeElement.id'), 'phone_number')
    }
  })

  test('the network is detected during typing, may be chosen, and one that cannot pay is reported before anything is sent [C3]', async (t) => {
    const tab = await open(t)
    const guess = (): Promise<string> => tab.locator('#network option').first().innerText()
    const phone = tab.locator('#phone_number')
    for (const [typed, expected] of [
      ['0754', 'M-Pesa – kwa namba'],
      ['+255 68', 'Airtel Money – kwa namba'],
      ['25571', 'Mixx by Yas – kwa namba'],
      ['62', 'HaloPesa – kwa namba'],
      ['0', 'Utatambuliwa kwa namba'],
    ]) {
      await phone.fill(typed!)
      assert.equal(await guess(), expected, typed)
    }
    assert.equal(await tab.locator('#other').isVisible(), false)
    await phone.fill('0734')
    await tab.getByText('Namba za mtandao huu haziwezi kulipa hapa.').waitFor()
    await fillIn(tab, { phone: '0684 123 129' })
    await tab.locator('#network').selectOption('mpesa')
    await pressPay(tab)
    await arrive(tab)
    await tab.getByText('Dirisha la M-Pesa').waitFor()
  })

  test('a typed amount is on the button as it will be charged', async (t) => {
    const tab = await open(t, {}, `/pay/${custom.slug}`)
    for (const [typed, label] of [
      ['25000', 'Lipa TSh 25,000'],
      ['1,000,000', 'Lipa TSh 1,000,000'],
      [' 25 000 ', 'Lipa TSh 25,000'],
      ['25.50', 'Lipa'],
      ['', 'Lipa'],
      // Not one amount for the service: the script must not make another one of it.
      ['5000,00', 'Lipa'],
      ['1,5000', 'Lipa'],
      ['1,000 000', 'Lipa'],
      ['0754123456', 'Lipa'],
    ]) {
      await tab.locator('#amount').fill(typed!)
      assert.equal(await tab.locator('#send').innerText(), label, typed)
      await tab.locator('#amount').blur()
      const kept = label === 'Lipa' ? typed : label!.replace('Lipa TSh ', '')
      assert.equal(await tab.locator('#amount').inputValue(), kept, typed)
    }
  })

  test('the payer is done three seconds after the provider’s confirmation, with a script [C5]', async (t) => {
    const tab = await open(t)
    await fillIn(tab, { phone: '0712 000 111' })
    await pressPay(tab)
    const reference = await arrive(tab)
    await tab.waitForTimeout(1_000)
    const [charge] = (await app.truth(`?our_reference=${reference}`)).charges
    await fetch(`${app.simulatorUrl}/__control/charges/${charge.reference}/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'pin' }),
    })
    await app.settled(reference)
    const confirmedAt = performance.now()
    await tab.getByText('Malipo yamekamilika').first().waitFor()
    const seconds = (performance.now() - confirmedAt) / 1000
    t.diagnostic(`done ${seconds.toFixed(1)} s after the confirmation`)
    assert.ok(seconds <= 4, `${seconds}`)
  })

  test('the waiting page refreshes automatically without a script, and the payer can turn that off [C5]', async (t) => {
    const tab = await open(t, { javaScriptEnabled: false })
    await fillIn(tab, { phone: '0754 123 789' })
    await pressPay(tab)
    await arrive(tab)
    const startedAt = performance.now()
    assert.equal(
      await tab
        .locator('a.more')
        .getAttribute('href')
        .then((href) => href?.endsWith('&auto=0')),
      true,
    )
    await tab.getByText('Malipo yamekamilika').first().waitFor({ timeout: 20_000 })
    assert.ok(performance.now() - startedAt < 14_000)
  })

  test('the keyboard alone pays: each focused element is visible, in the order of the page, and the end is announced [C10]', async (t) => {
    const tab = await open(t)
    const stops: string[] = []
    for (let count = 0; count < 7; count += 1) {
      await tab.keyboard.press('Tab')
      const stop = await focused(tab)
      assert.equal(stop.isSeen, true, JSON.stringify(stop))
      stops.push(stop.id || stop.text)
      if (stop.id === 'phone_number') await tab.keyboard.type('0754 123 789')
      if (stop.id === 'customer_name') await tab.keyboard.type('Juma Hamisi')
    }
    assert.deepEqual(stops, [
      'English',
      'TEST. Ukurasa wa majaribio: pesa halisi ',
      'phone_number',
      'network',
      'customer_name',
      'Si lazima: barua pepe, nikumbuke',
      'send',
    ])
    await tab.keyboard.press('Enter')
    await arrive(tab)
    const again: string[] = []
    for (let count = 0; count < 4; count += 1) {
      await tab.keyboard.press('Tab')
      again.push((await focused(tab)).text)
    }
    assert.deepEqual(again, ['English', 'Angalia tena', 'Hujapata ujumbe kwenye simu?', 'Ghairi malipo'])
    await tab.getByRole('heading', { name: 'Malipo yamekamilika' }).waitFor({ timeout: 15_000 })
    assert.equal((await focused(tab)).text, 'Malipo yamekamilika')
  })

  test('nothing moves when the user prefers no motion, and without styles all is still there in order [C10]', async (t) => {
    const tab = await open(t, { reducedMotion: 'reduce' })
    await fillIn(tab, { phone: '0754 123 129' })
    await pressPay(tab)
    await arrive(tab)
    assert.equal(await tab.evaluate('document.getAnimations().length'), 0)
    await tab.evaluate(`document.querySelector('style').remove()`)
    const text = await tab.locator('body').innerText()
    const order = [
      'Angalia simu yako',
      'TSh 25,000',
      'Weka namba ya siri',
      'Tunasubiri',
      'Angalia tena',
      'Hujapata ujumbe',
      'Usimpe mtu',
    ]
    const places = order.map((words) => text.indexOf(words))
    assert.ok(
      places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1)),
      JSON.stringify(places),
    )
  })

  test('without a connection in the middle of the wait the page says so, and continues automatically when it is back [C10]', async (t) => {
    const tab = await open(t)
    await fillIn(tab, { phone: '0754 123 789' })
    await pressPay(tab)
    const reference = await arrive(tab)
    await tab.context().setOffline(true)
    await tab.getByText('Hakuna mtandao kwa sasa.').waitFor({ timeout: 10_000 })
    await app.settled(reference)
    assert.equal(await tab.title(), 'Angalia simu yako – Malipo')
    await tab.context().setOffline(false)
    await tab.getByText('Malipo yamekamilika').first().waitFor({ timeout: 10_000 })
  })

  test('a receipt is shared by the phone’s own menu, copied where there is none, and is a plain link without a script [C9]', async (t) => {
    const { body } = await app.checkout(page.slug)
    const { reference } = body.data
    await app.settled(reference)
    const path = `/r/${reference}?lang=en`
    const plain = await open(t, { javaScriptEnabled: false }, path)
    assert.equal(await plain.getByRole('button').count(), 0)
    assert.match((await plain.locator('.address a').getAttribute('href'))!, new RegExp(`^/r/${reference}`))

    const shared = await open(t, {}, path)
    await shared.addInitScript(`navigator.share = (what) => { window.shared = what; return Promise.resolve() }`)
    await shared.reload()
    await shared.getByRole('button', { name: 'Share the receipt' }).click()
    assert.equal(await shared.evaluate('window.shared.url'), `${app.config.urls.checkout}${path}`)

    const copied = await open(t, { permissions: ['clipboard-read', 'clipboard-write'] }, path)
    await copied.addInitScript(`Object.defineProperty(navigator, 'share', { value: undefined })`)
    await copied.reload()
    assert.equal(await copied.getByRole('button', { name: 'Share the receipt' }).count(), 0)
    await copied.getByRole('button', { name: 'Copy the link' }).click()
    await copied.getByText('The link is copied').waitFor()
    assert.equal(await copied.evaluate('navigator.clipboard.readText()'), `${app.config.urls.checkout}${path}`)
    await copied.emulateMedia({ media: 'print' })
    assert.equal(await copied.getByRole('button', { name: 'Print' }).isVisible(), false)
    assert.equal(await copied.getByText('0754 ••• 789').isVisible(), true)
  })
})
