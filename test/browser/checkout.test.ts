/** A payer's journey in a real Chromium: on a small phone and a desktop, with scripts and without, and on the simulator's phone. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startWorld } from '../world.ts'
import { accessibilityProblems, overflows, startBrowser } from './browser.ts'

/** Set SCREENSHOTS to a folder to keep a picture of each screen. */
const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

for (const [name, options] of [
  ['on a phone of 360 px', { viewport: { width: 360, height: 740 } }],
  ['on a desktop of 1280 px', { viewport: { width: 1280, height: 800 } }],
  ['on a phone without scripts', { viewport: { width: 360, height: 740 }, javaScriptEnabled: false }],
] as const) {
  test(`a payer pays ${name}`, async (t) => {
    const world = await startWorld(t, { worker: true, simulator: { delayMs: 1_000 } })
    const page = await world.page(await world.student(), { title: 'Ada ya mtihani wa Kiswahili', amount: 25_000 })
    const browser = await startBrowser(t)
    const context = await browser.newContext({ ...options, locale: 'sw-TZ', timezoneId: 'Africa/Dar_es_Salaam' })
    const tab = await context.newPage()
    const problems: string[] = []
    tab.on('pageerror', (error) => problems.push(error.message))
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    const seen = async (screen: string): Promise<void> => {
      if (pictures)
        await tab.screenshot({
          path: join(pictures, `${name.replaceAll(' ', '-')}-${screen}.png`),
          fullPage: true,
          caret: 'initial',
          animations: 'allow',
        })
      assert.equal(await overflows(tab), false, `${screen} is wider than the window`)
      if (!('javaScriptEnabled' in options)) assert.deepEqual(await accessibilityProblems(tab), [], screen)
    }

    await tab.goto(`${world.config.urls.checkout}/pay/${page.slug}`)
    await seen('form')
    await tab.locator('input[type=tel]').fill('12345')
    await tab.locator('input[autocomplete=name]').fill('Juma Hamisi')
    await tab.locator('input[type=email]').fill('juma@example.com')
    await tab.locator('form[method=post] button').last().click()
    await tab.getByRole('alert').first().waitFor()
    await seen('error')
    assert.match(await tab.title(), /^Kosa: /)
    assert.equal(await tab.locator('input[type=email]').inputValue(), 'juma@example.com')
    problems.length = 0

    await tab.locator('input[type=tel]').fill('0754 123 789')
    await tab.locator('form[method=post] button').last().click()
    await tab.waitForURL(/\/pay\/[^/]+\/pay_/)
    await tab.getByText('0754 ••• 789').first().waitFor()
    await seen('wait')
    if ('javaScriptEnabled' in options) {
      // The payer has the link that is always there.
      await world.settled(/pay_\w{26}/.exec(tab.url())![0])
      await tab.getByText('Angalia tena').first().click()
    }
    await tab.getByText('Malipo yamekamilika').first().waitFor({ timeout: 15_000 })
    await seen('done')
    assert.match(await tab.locator('body').innerText(), /TSh 25,000/)
    assert.deepEqual(problems, [])
    assert.equal((await world.truth()).charges.length, 1)
  })
}

test('a payer enters a PIN on the simulator’s phone, and the waiting page moves on by itself', async (t) => {
  const world = await startWorld(t, { worker: true })
  const page = await world.page(await world.student())
  const browser = await startBrowser(t)
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'sw-TZ' })
  const shop = await context.newPage()
  await shop.goto(`${world.config.urls.checkout}/pay/${page.slug}`)
  await shop.locator('input[type=tel]').fill('0712 000 111')
  await shop.locator('input[autocomplete=name]').fill('Juma Hamisi')
  await shop.locator('input[type=email]').fill('juma@example.com')
  await shop.locator('form[method=post] button').last().click()
  await shop.waitForURL(/\/pay\/[^/]+\/pay_/)

  const phone = await context.newPage()
  await phone.goto(`${world.simulatorUrl}/phone/255712000111`)
  await phone.locator('input[name=pin]').waitFor()
  assert.equal(await overflows(phone), false)
  assert.deepEqual(await accessibilityProblems(phone), [])
  if (pictures) await phone.screenshot({ path: join(pictures, 'phone.png') })
  await phone.locator('input[name=pin]').fill('1234')
  await phone.locator('input[name=pin]').press('Enter')
  await shop.getByText('Malipo yamekamilika').first().waitFor({ timeout: 15_000 })
})
