/**
 * After paying, the merchant's page in a real Chromium: the payer is sent back automatically, with scripts and without, unless the
 * payer stays.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestApp, type TestApp } from '../app.ts'
import { accessibilityProblems, overflows, startBrowser } from './browser.ts'

const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

/** The merchant's own site, on another origin; it records its requests. */
async function startShop(t: TestContext): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    if (request.url !== '/favicon.ico') asked.push(request.url!)
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end('<!doctype html><html lang="sw"><title>Duka</title><h1>Asante</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Fills in the form and pays; leaves the tab on the page of the payment. */
async function payIn(tab: Page, app: TestApp, slug: string): Promise<string> {
  await tab.goto(`${app.config.urls.checkout}/pay/${slug}`)
  await tab.locator('input[type=tel]').fill('0754 123 789')
  await tab.locator('input[autocomplete=name]').fill('Juma Hamisi')
  await tab.locator('form[method=post] button').last().click()
  await tab.waitForURL(/\/pay\/[^/]+\/pay_/)
  return /pay_\w{26}/.exec(tab.url())![0]
}

for (const [name, options] of [
  ['on a phone of 360 px', { viewport: { width: 360, height: 740 } }],
  ['on a desktop of 1280 px without scripts', { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false }],
] as const) {
  test(`after paying, the payer goes on to the merchant ${name} [C13]`, async (t) => {
    const app = await startTestApp(t)
    const shop = await startShop(t)
    const page = await app.page(await app.student(), { title: 'Chai', redirect_url: `${shop.url}/thanks?order=7#done` })
    const browser = await startBrowser(t)
    const tab = await (await browser.newContext({ ...options, locale: 'sw-TZ' })).newPage()
    const hasScripts = !('javaScriptEnabled' in options)
    const problems: string[] = []
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    if (hasScripts) await tab.clock.install()
    const reference = await payIn(tab, app, page.slug)
    await app.settled(reference)
    if (hasScripts) await tab.clock.runFor(3_000)
    else await tab.goto(tab.url())
    await tab.getByText('Malipo yamekamilika').first().waitFor()
    const back = `${shop.url}/thanks?order=7&reference=${reference}&status=completed#done`
    assert.equal(await tab.locator('#return').getAttribute('href'), back)
    if (pictures) await tab.screenshot({ path: join(pictures, `return-${name.replaceAll(' ', '-')}.png`), fullPage: true })
    assert.equal(await overflows(tab), false)
    if (hasScripts) {
      assert.deepEqual(await accessibilityProblems(tab), [])
      await tab.clock.runFor(2_000)
      // One digit: the countdown began at ten and has continued automatically.
      assert.equal(await tab.getByText(/baada ya sekunde [1-9]\./).isVisible(), true)
      await tab.clock.runFor(9_000)
    }
    await tab.getByRole('heading', { name: 'Asante' }).waitFor({ timeout: 15_000 })
    assert.equal(tab.url(), back)
    assert.deepEqual(shop.asked, [`/thanks?order=7&reference=${reference}&status=completed`])
    assert.deepEqual(problems, [])
  })
}

test('a payer who wants to stay stays, and goes back by the link', async (t) => {
  const app = await startTestApp(t)
  const shop = await startShop(t)
  const page = await app.page(await app.student(), { title: 'Chai', redirect_url: shop.url })
  const browser = await startBrowser(t)
  const tab = await (await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'sw-TZ' })).newPage()
  await tab.clock.install()
  const reference = await payIn(tab, app, page.slug)
  await app.settled(reference)
  await tab.clock.runFor(3_000)
  await tab.getByText('Baki kwenye ukurasa huu').click()
  await tab.clock.runFor(30_000)
  assert.equal(await tab.getByText('baada ya sekunde').isVisible(), false)
  assert.deepEqual(shop.asked, [])
  await tab.locator('#return').click()
  await tab.getByRole('heading', { name: 'Asante' }).waitFor()
  assert.deepEqual(shop.asked, [`/?reference=${reference}&status=completed`])
})
