/**
 * The second step of a checkout in a real Chromium: the hosted form leads to its button, with scripts and without, and the button
 * to the payment.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { byCommandLine } from '../../server/base/audit/audit.ts'
import { orderSecondStep } from '../../server/collect/payments/order-second-step.ts'
import { everyone } from '../../server/collect/payments/pace.sql.ts'
import { eventually, startTestApp } from '../app.ts'
import { accessibilityProblems, overflows, startBrowser } from './browser.ts'
import { arrive, fillIn, pressPay } from './payer.ts'

const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

for (const [name, options] of [
  ['on a phone of 360 px', { viewport: { width: 360, height: 740 }, locale: 'sw-TZ' }],
  ['on a desktop of 1280 px in English', { viewport: { width: 1280, height: 800 }, locale: 'en-TZ' }],
  ['on a phone without scripts', { viewport: { width: 360, height: 740 }, locale: 'sw-TZ', javaScriptEnabled: false }],
] as const) {
  test(`a payer confirms before the phone is prompted ${name}`, async (t) => {
    const settings = { SIMULATED_PROVIDERS: 'test', CHECKOUT_SECOND_STEP: 'true' }
    const app = await startTestApp(t, { settings })
    const order = { subject: everyone, name: 'all', mode: 'on', reason: 'For this test' } as const
    await orderSecondStep(app.db, order, byCommandLine)
    const page = await app.page(await app.student(), { title: 'Ada ya mtihani wa Kiswahili', amount: 25_000 }, 'live')
    const browser = await startBrowser(t)
    const context = await browser.newContext({ ...options, timezoneId: 'Africa/Dar_es_Salaam' })
    const tab = await context.newPage()
    const hasScripts = !('javaScriptEnabled' in options)
    await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}`)
    await fillIn(tab, { phone: '0754 123 789' })
    await pressPay(tab)
    const reference = await arrive(tab)
    const title = options.locale === 'sw-TZ' ? 'Thibitisha malipo yako' : 'Confirm your payment'
    await tab.getByRole('heading', { name: title }).waitFor()
    if (pictures) await tab.screenshot({ path: join(pictures, `confirm-${name.replaceAll(' ', '-')}.png`), fullPage: true })
    assert.equal(await overflows(tab), false, 'wider than the window')
    if (hasScripts) assert.deepEqual(await accessibilityProblems(tab), [])
    assert.equal((await app.truth()).charges.length, 0)
    await tab.getByRole('button', { name: 'TSh 25,000' }).click()
    await eventually('the phone is prompted', async () => (await app.truth()).charges.length === 1)
    assert.equal((await app.settled(reference)).status, 'completed')
    if (!hasScripts) await tab.reload()
    await tab
      .getByText(options.locale === 'sw-TZ' ? 'Malipo yamekamilika' : 'Payment complete')
      .first()
      .waitFor()
  })
}
