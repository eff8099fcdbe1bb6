/**
 * Payment pages in a real Chromium: created with a preview of the payer's view, shared, scanned, printed, closed and opened again.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import jsqr from 'jsqr'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'

// A CommonJS module whose types claim that it is an ES module.
const readCode = jsqr as unknown as typeof jsqr.default

async function scanned(picture: string | Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture)
    .flatten({ background: '#fff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return readCode(new Uint8ClampedArray(data), info.width, info.height)?.data
}

async function downloaded(tab: Page, button: string): Promise<{ name: string; path: string }> {
  const [file] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: button, exact: true }).click()])
  return { name: file.suggestedFilename(), path: await file.path() }
}

test('a merchant has payment pages', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const everyone = { browser, app }
  const student = await app.student()
  const list = '/dashboard/me/test/pages'
  /** The pages that the person has created, without that of the sandbox. */
  const ownPages = async (): Promise<Record<string, unknown>[]> => {
    const { data } = (await app.call('GET', '/v1/merchant/payment-pages?environment=test', student)).body
    return data.filter(({ title }: { title: string }) => !title.endsWith('/ Test payment'))
  }

  await t.test('[D4] a page is created while its preview in Swahili and English follows the typed text', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(list)
    await tab.getByText('Malipo ya majaribio / Test payment').waitFor()
    await tab.getByRole('link', { name: 'New page' }).first().click()
    const preview = tab.frameLocator('iframe[title=Preview]')

    await tab.getByRole('textbox', { name: 'Title' }).fill('Ada ya muhula wa pili 2026')
    await tab.getByRole('textbox', { name: 'Amount to pay' }).pressSequentially('35000')
    // A digit typed in the middle: the cursor stays in its position.
    await tab.keyboard.press('ArrowLeft')
    await tab.keyboard.type('0')
    await tab.keyboard.press('Home')
    assert.equal(await tab.getByRole('textbox', { name: 'Amount to pay' }).inputValue(), '350,000')
    await tab.getByLabel('Description').fill('Lipa kabla ya tarehe 5 Januari.')
    await preview.getByRole('heading', { name: 'Ada ya muhula wa pili 2026' }).waitFor()
    await preview.getByText('Lipa kabla ya tarehe 5 Januari.').waitFor()
    await preview.getByRole('button', { name: 'Pay TSh 350,000' }).waitFor()
    await tab.getByRole('radiogroup', { name: 'Language of the preview' }).getByText('Kiswahili').click()
    await preview.getByRole('button', { name: 'Lipa TSh 350,000' }).waitFor()
    const button = await preview.getByRole('button', { name: 'Lipa TSh 350,000' }).boundingBox()
    assert.ok(button!.height >= 52, 'it has the style of the checkout')
    // The preview does nothing.
    await preview.getByRole('button', { name: 'Lipa TSh 350,000' }).click()
    await preview.getByRole('link', { name: 'English' }).click()
    await preview.getByRole('button', { name: 'Lipa TSh 350,000' }).waitFor()
    assert.match(tab.url(), /\/pages\/new$/)
    assert.equal(tab.context().pages().length, 1)
    assert.deepEqual(await ownPages(), [])

    await tab.getByRole('button', { name: 'Create the page' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Ada ya muhula wa pili 2026' }).waitFor()
    assert.deepEqual(
      (await ownPages()).map(({ title, amount, allow_custom_amount }) => [title, amount, allow_custom_amount]),
      [['Ada ya muhula wa pili 2026', 350_000, false]],
    )
    await tab.context().close()
  })

  await t.test(
    '[D4] the payer may choose the amount, each error is shown at its field, and a page can be changed later',
    async () => {
      const tab = await signedInTab(everyone, student, { language: 'sw' })
      await tab.goto(`${list}/new`)
      await tab.getByRole('textbox', { name: 'Kichwa' }).fill('Mchango wa harusi')
      await tab.getByText('Mlipaji anachagua').click()
      const preview = tab.frameLocator('iframe[title=Hakikisho]')
      await preview.getByRole('textbox', { name: 'Kiasi' }).waitFor()
      await tab.getByRole('textbox', { name: 'Angalau' }).fill('5000')
      await tab.getByRole('textbox', { name: 'Kisichozidi' }).fill('1000')
      await tab.getByRole('button', { name: 'Tengeneza ukurasa' }).click()
      await tab.locator('[aria-invalid=true]:focus').waitFor()
      assert.equal(await tab.getByRole('textbox', { name: 'Kisichozidi' }).getAttribute('aria-invalid'), 'true')
      await tab.getByText('Lazima kiwe kati ya kima cha chini na TSh 10,000,000.').waitFor()
      assert.equal(await tab.getByRole('textbox', { name: 'Kichwa' }).inputValue(), 'Mchango wa harusi')
      await tab.getByRole('textbox', { name: 'Kisichozidi' }).fill('200000')
      await tab.getByRole('button', { name: 'Tengeneza ukurasa' }).click()
      await tab.getByRole('heading', { level: 1, name: 'Mchango wa harusi' }).waitFor()

      await tab.getByRole('link', { name: 'Hariri' }).click()
      await tab.getByRole('textbox', { name: 'Kichwa' }).fill('Mchango wa harusi ya Asha')
      await tab.getByRole('button', { name: 'Hifadhi mabadiliko' }).click()
      await tab.getByRole('heading', { level: 1, name: 'Mchango wa harusi ya Asha' }).waitFor()
      const { data } = (await app.call('GET', '/v1/merchant/payment-pages?environment=test', student)).body
      const { title, allow_custom_amount, min_amount, max_amount } = data[0]
      assert.deepEqual([title, allow_custom_amount, min_amount, max_amount], ['Mchango wa harusi ya Asha', true, 5000, 200_000])
      assert.deepEqual(tab.problems, [])
      await tab.context().close()
    },
  )

  const page = await app.page(student, { title: 'Chai ya asubuhi', amount: 1500 })
  const address = `${list}/${page.id}`

  await t.test('[D4] the link is copied and shared, and its code, as SVG and PNG, leads there when it is scanned', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(address)
    await tab.getByRole('button', { name: 'Copy link' }).click()
    assert.equal(await tab.evaluate<string>('navigator.clipboard.readText()'), page.url)
    const whatsApp = new URL((await tab.getByRole('link', { name: 'WhatsApp' }).getAttribute('href'))!)
    assert.equal(whatsApp.host, 'wa.me')
    assert.equal(whatsApp.searchParams.get('text'), `Lipa Chai ya asubuhi (TSh 1,500) kwa simu yako hapa: ${page.url}`)
    const sms = (await tab.getByRole('link', { name: 'SMS' }).getAttribute('href'))!
    assert.equal(decodeURIComponent(sms), `sms:?&body=Lipa Chai ya asubuhi (TSh 1,500) kwa simu yako hapa: ${page.url}`)

    const png = await downloaded(tab, 'PNG')
    assert.equal(png.name, `${page.slug}.png`)
    const bytes = readFileSync(png.path)
    assert.equal((await sharp(bytes).metadata()).format, 'png')
    assert.equal(await scanned(bytes), page.url)
    const svg = await downloaded(tab, 'SVG')
    assert.equal(svg.name, `${page.slug}.svg`)
    assert.equal(await scanned(svg.path), page.url)
    const seen = await tab.getByRole('img', { name: 'QR code of Chai ya asubuhi' }).screenshot()
    assert.equal(await scanned(seen), page.url)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D4] the poster is one sheet of A5 whose code leads to the page', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(address)
    await tab.getByRole('link', { name: 'Poster (A5)' }).click()
    const poster = tab.getByRole('article')
    await poster.getByText('Lipa hapa kwa simu').waitFor()
    await poster.getByText('TSh 1,500').waitFor()
    await poster.getByText((await app.call('GET', `/v1/pay/${page.slug}`)).body.data.merchant_name).waitFor()
    assert.equal(await scanned(await tab.screenshot({ fullPage: true })), page.url)
    const file = (await tab.pdf({ preferCSSPageSize: true, printBackground: true })).toString('latin1')
    assert.equal(file.match(/\/Type\s*\/Page\b/g)?.length, 1, 'one sheet')
    const [, width, height] = /\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(file)!.map(Number)
    assert.deepEqual([Math.round(width!), Math.round(height!)], [420, 595], 'A5 in points')
    await tab.getByRole('link', { name: 'To the page' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Chai ya asubuhi' }).waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D4] the total of a page grows live, exact to the shilling', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(address)
    await tab.getByText('No payments here yet').waitFor()
    for (const phone of ['+255754123789', '+255764123789']) {
      await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
    }
    await tab.getByText('TSh 3,000').waitFor({ timeout: 10_000 })
    const { paid_count, paid_total } = (await app.call('GET', `/v1/merchant/payment-pages/${page.id}?environment=test`, student))
      .body.data
    assert.deepEqual([paid_count, paid_total], [2, 3000])
    await eventually('both payments', async () => (await tab.locator('main a[href*="/payments/pay_"]').count()) === 2)
    await tab.goto(list)
    const row = tab.locator('main tr', { hasText: 'Chai ya asubuhi' })
    await row.getByText('TSh 3,000').waitFor()
    await tab.goto(address)
    await tab.getByRole('link', { name: 'All payments of this page' }).click()
    await eventually('the list of this page', async () => (await tab.locator('main a[href*="/payments/pay_"]').count()) === 2)
    assert.match(tab.url(), new RegExp(`page=${page.id}`))
    await tab.context().close()
  })

  await t.test('[D4] a page is closed after a confirmation, with the merchant’s own words, and opened again', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(address)
    await tab.getByRole('button', { name: 'Deactivate' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    const state = async () => (await app.call('GET', `/v1/pay/${page.slug}`)).body.data.state
    assert.equal(await state(), 'open')
    await tab.getByRole('button', { name: 'Deactivate' }).click()
    await tab.getByRole('dialog').getByRole('textbox').fill('Tutarudi Jumatatu.')
    await tab.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    await tab.getByText('The page takes no more payments.').waitFor()
    assert.equal(await state(), 'inactive')
    const closed = await (await fetch(`${page.url}`)).text()
    assert.match(closed, /Tutarudi Jumatatu\./)
    await tab.getByRole('button', { name: 'Activate' }).click()
    await tab.getByText('The page takes payments again.').waitFor()
    assert.equal(await state(), 'open')
    await tab.context().close()
  })

  await t.test('[D15] the pages fit at every width, in light and dark', async () => {
    const tab = await signedInTab(everyone, student, { language: 'sw' })
    await tab.goto(list)
    await looksRightEverywhere(tab, 'pages', () => tab.getByText('Chai ya asubuhi').waitFor())
    await tab.goto(address)
    await looksRightEverywhere(tab, 'page', () => tab.getByRole('img', { name: /Msimbo/ }).waitFor())
    await tab.goto(`${address}/edit`)
    await looksRightEverywhere(tab, 'page-editor', () =>
      tab.frameLocator('iframe').getByRole('heading', { name: 'Chai ya asubuhi' }).waitFor(),
    )
    await tab.goto(`/dashboard/me/test/print/pages/${page.id}`)
    await looksRightEverywhere(tab, 'poster', () => tab.getByRole('article').waitFor())
    await tab.context().close()
  })
})
