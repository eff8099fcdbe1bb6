/**
 * The simulator's phones in a real Chromium: several at once, by touch and by keyboard, on a small screen, a wide one and without
 * scripts.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, brokenFigures, overflows, startBrowser } from './browser.ts'

const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

const [mpesa, airtel, mixx] = ['0754 000 222', '0784 000 222', '0713 000 222']

for (const [name, options] of [
  ['on a phone of 360 px', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
  ['on a desktop of 1280 px', { viewport: { width: 1280, height: 800 } }],
] as const) {
  test(`several payers answer side by side ${name}`, async (t) => {
    const app = await startTestApp(t, { worker: true })
    const page = await app.page(await app.student(), { title: 'Chai', amount: 25_000 })
    const browser = await startBrowser(t)
    const tab = await (await browser.newContext({ ...options, locale: 'sw-TZ', timezoneId: 'Africa/Dar_es_Salaam' })).newPage()
    const problems: string[] = []
    tab.on('pageerror', (error) => problems.push(error.message))
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    const seen = async (screen: string): Promise<void> => {
      if (pictures)
        await tab.screenshot({ path: join(pictures, `phones-${name.replaceAll(' ', '-')}-${screen}.png`), fullPage: true })
      assert.equal(await overflows(tab), false, `${screen} is wider than the window`)
      assert.deepEqual(await brokenFigures(tab, { alsoAmounts: true }), [], screen)
      assert.deepEqual(await accessibilityProblems(tab), [], screen)
    }
    const phone = (number: string) => tab.locator(`#p255${number.replaceAll(' ', '').slice(1)}`)
    const pay = async (number: string): Promise<string> =>
      (await app.checkout(page.slug, { phone_number: number })).body.data.reference

    await tab.goto(`${app.simulatorUrl}/phone`)
    await seen('still')
    const first = await pay(mpesa)
    // A ringing phone shows its prompt automatically, and takes the focus if no element has it.
    await phone(mpesa).locator('input[name=pin]').waitFor()
    await tab.keyboard.type('12')
    await pay(airtel)
    await pay(mixx)
    await phone(mixx).locator('input[name=pin]').waitFor()
    assert.equal(await phone(mpesa).locator('input[name=pin]').inputValue(), '12', 'a PIN that is being typed stays')
    await seen('ringing')

    // By touch: the keypad; a wrong PIN may be corrected.
    const pad = (number: string, key: string) => phone(number).getByRole('button', { name: key, exact: true })
    for (const key of ['9', 'Futa', '0', '0', '0', '0']) await pad(airtel, key).click()
    await pad(airtel, 'Tuma').click()
    await phone(airtel).getByText('Majaribio yaliyobaki: 2.').waitFor()
    await pad(airtel, 'Kataa').click()
    await phone(airtel).getByText('umeghairi ombi').waitFor()
    await pad(mixx, 'Salio halitoshi').click()
    await phone(mixx).getByText('salio lako halitoshi').waitFor()

    // By keyboard alone.
    await phone(mpesa).locator('input[name=pin]').focus()
    await tab.keyboard.type('1234')
    await tab.keyboard.press('Enter')
    await phone(mpesa).getByText('Imethibitishwa. TSh 25,000').waitFor()
    assert.equal((await app.settled(first)).status, 'completed')

    await pay(mpesa)
    await pad(mpesa, 'Usijibu').click()
    await phone(mpesa).getByText('Ombi limefungwa bila jibu').waitFor()
    await tab.getByText('no answer yet, prompt closed').waitFor()
    await seen('answered')
    await phone(mpesa).getByRole('link').click()
    await tab.waitForURL(/\/phone\/255754000222$/)
    await seen('alone')
    assert.deepEqual(problems, [])
  })
}

test('a prompt is answered without scripts', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const browser = await startBrowser(t)
  const tab = await (await browser.newContext({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false })).newPage()
  const { reference } = (await app.checkout(page.slug, { phone_number: mpesa })).body.data
  await tab.goto(`${app.simulatorUrl}/phone`)
  assert.equal(await tab.getByRole('button', { name: 'Futa' }).count(), 0, 'keys without an effect are not offered')
  await tab.locator('input[name=pin]').fill('1234')
  await tab.getByRole('button', { name: 'Tuma' }).click()
  await tab.getByText('Imethibitishwa').waitFor()
  assert.equal((await app.settled(reference)).status, 'completed')
})
