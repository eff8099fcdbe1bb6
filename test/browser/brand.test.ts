/** A merchant's logo and colour in a real Chromium: set in the dashboard, seen by payers, removed by operators. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawLogo } from '../fixtures/brands.ts'
import { eventually, startTestApp } from '../app.ts'
import { decideBusiness, submittedBusiness } from '../onboarding.ts'
import { accessibilityProblems, endTogether, keepPicture, overflows, startBrowser, wholeFile } from './browser.ts'
import { looksRightEverywhere, operatorTab, signedInTab } from './dashboard.ts'
import { arrive, fillIn, phoneOf360, pressPay } from './payer.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true, settings: { RATE_LIMITS: 'off' } })
const { student, business } = await submittedBusiness(app, { legal_name: 'Mlimani Sekondari', trading_name: 'Mlimani Sekondari' })
const decided = await decideBusiness(app, await app.admin(), business.id, { status: 'verified' })
assert.equal(decided.status, 200, JSON.stringify(decided.body))
const wallet = `business_id=${business.id}`
const made = await app.call('POST', `/v1/merchant/payment-pages?environment=test&${wallet}`, {
  token: student.token,
  body: { type: 'payment', title: 'Ada ya muhula wa pili 2026', description: 'Lipa kabla ya tarehe 5 Januari.', amount: 25_000 },
})
assert.equal(made.status, 201, JSON.stringify(made.body))
const { slug } = made.body.data
const logo = await drawLogo('#c62828', { width: 600, height: 240 })

async function change(method: string, part: string, body?: Record<string, unknown>): Promise<void> {
  const { status, body: answer } = await app.call(method, `/v1/merchant/brand/${part}?${wallet}`, { token: student.token, body })
  assert.ok(status === 200 || status === 409, JSON.stringify(answer))
}
const setLogo = (bytes: Buffer) => change('PUT', 'logo', { image: bytes.toString('base64') })

const payTo = { sw: 'Unamlipa', en: 'Pay to' }

const colors = { yellow: '#ffeb3b', 'near-white': '#f7f7f2', 'near-black': '#0b0b12', red: '#b3261e' }

describe('logo and colour', () => {
  endTogether()

  test('[D47] a merchant sets, adjusts and removes logo and colour', async () => {
    const tab = await signedInTab({ browser, app }, student)
    tab.setDefaultTimeout(12_000)
    await tab.goto(`/dashboard/${business.id}/test/brand`)
    await looksRightEverywhere(tab, 'brand-none', () => tab.getByText('You have set none', { exact: false }).waitFor())
    const picker = tab.locator('input[type=file]')
    // In the words of the payment page, as the next tests see them there.
    for (const screen of ['Light screen', 'Dark screen']) {
      await tab.getByRole('group', { name: screen }).getByText(payTo.en, { exact: true }).waitFor()
    }
    await picker.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
    await tab.getByRole('alert').filter({ hasText: 'not a PNG, JPEG or WebP image' }).waitFor()
    await keepPicture(tab, 'brand-refused')
    await picker.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo })
    await tab.getByRole('img', { name: 'Your logo' }).waitFor()

    await tab.getByLabel('Colour code').fill('yellow')
    await tab.getByRole('button', { name: 'Save the colour' }).click()
    await tab.locator('[aria-invalid=true]').waitFor()
    for (const [name, color] of Object.entries(colors)) {
      await tab.getByLabel('Colour code').fill(color)
      const isLight = name === 'yellow' || name === 'near-white'
      await tab
        .getByText(isLight ? 'a darker shade of it' : name === 'red' ? 'unchanged' : 'a lighter shade of it')
        .first()
        .waitFor()
      await tab.getByRole('button', { name: 'Save the colour' }).click()
      await tab.getByText('Payers see the colour from now on', { exact: false }).first().waitFor()
      await looksRightEverywhere(tab, `brand-${name}`, () => tab.getByRole('img', { name: 'Your logo' }).waitFor())
    }
    await tab.getByRole('button', { name: 'Use the colours of Malipo' }).click()
    await tab.getByText('Payers see the colours of Malipo again').waitFor()
    await tab.getByRole('button', { name: 'Remove', exact: true }).click()
    await tab.getByText('You have set none', { exact: false }).waitFor()
    // The form of the editor's preview has the same look.
    await setLogo(logo)
    await change('PUT', 'color', { color: colors.yellow })
    await tab.goto(`/dashboard/${business.id}/test/pages/new`)
    const picture = tab.frameLocator('iframe')
    await picture.locator('img.logo').waitFor()
    assert.equal(
      await picture.locator('img.logo').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0),
      true,
    )
    assert.deepEqual(tab.problems, [])
  })

  test('[D47] the dashboard shows the same in Swahili', async () => {
    await setLogo(logo)
    await change('PUT', 'color', { color: colors.yellow })
    const tab = await signedInTab({ browser, app }, student, { language: 'sw' })
    await tab.goto(`/dashboard/${business.id}/test/brand`)
    await looksRightEverywhere(tab, 'brand-sw', () => tab.getByText('Skrini nyeusi').waitFor())
  })

  for (const [name, color] of Object.entries(colors))
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1280])
        test(`[D47] payers see ${name} with enough contrast, ${colorScheme}, ${width} px`, async (t) => {
          await setLogo(logo)
          await change('PUT', 'color', { color })
          const context = await browser.newContext({ ...phoneOf360, viewport: { width, height: 640 }, colorScheme })
          t.after(() => context.close())
          const tab = await context.newPage()
          const problems: string[] = []
          tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
          for (const language of ['sw', 'en'] as const) {
            await tab.goto(`${app.config.urls.checkout}/pay/${slug}?lang=${language}`)
            await tab.getByText(payTo[language], { exact: true }).waitFor()
            await keepPicture(tab, `brand-page-${name}-${colorScheme}-${width}-${language}`)
            assert.deepEqual(await accessibilityProblems(tab), [])
            assert.equal(await overflows(tab), false)
            const bottom = await tab.evaluate<number>(`document.querySelector('#send').getBoundingClientRect().bottom`)
            t.diagnostic(`the button ends at ${bottom.toFixed(0)} px`)
            assert.ok(bottom <= 640, `the button ends at ${bottom} px`)
          }
          await fillIn(tab, { phone: '0754123789' })
          await pressPay(tab)
          const reference = await arrive(tab)
          await app.settled(reference)
          for (const language of ['sw', 'en']) {
            await tab.goto(`${app.config.urls.checkout}/r/${reference}?lang=${language}`)
            await keepPicture(tab, `brand-receipt-${name}-${colorScheme}-${width}-${language}`)
            assert.deepEqual(await accessibilityProblems(tab), [])
            assert.equal(await overflows(tab), false)
          }
          assert.deepEqual(problems, [])
        })

  test('[D47] errors, success and the TEST banner look the same with any colour', async (t) => {
    await setLogo(logo)
    const context = await browser.newContext(phoneOf360)
    t.after(() => context.close())
    const tab = await context.newPage()
    const looks = async (): Promise<string> => {
      await tab.goto(`${app.config.urls.checkout}/pay/${slug}?lang=en`)
      await pressPay(tab)
      await tab.locator('.bad').waitFor()
      return tab.evaluate<string>(`JSON.stringify(['.bad', '.err', '.test', '.known'].map((selector) => {
        const { color, backgroundColor, borderColor } = getComputedStyle(document.querySelector(selector))
        return [selector, color, backgroundColor, borderColor]
      }))`)
    }
    await change('PUT', 'color', { color: null })
    const plain = await looks()
    for (const color of Object.values(colors)) {
      await change('PUT', 'color', { color })
      assert.equal(await looks(), plain)
    }
  })

  test('[D47] on 2G the form is usable before the logo has arrived, and nothing moves when it does', async (t) => {
    await setLogo(logo)
    const context = await browser.newContext(phoneOf360)
    t.after(() => context.close())
    const tab = await context.newPage()
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await tab.route('**/logo/*', async (route) => {
      await held
      await route.continue()
    })
    await tab.goto(`${app.config.urls.checkout}/pay/${slug}?lang=en`, { waitUntil: 'domcontentloaded' })
    const before = await tab.locator('#send').boundingBox()
    const isThere = () => tab.evaluate<boolean>(`document.querySelector('img.logo').naturalWidth > 0`)
    assert.equal(await isThere(), false)
    await fillIn(tab, { phone: '0754123789' })
    await tab.evaluate('scrollTo(0, 0)')
    const closed = await tab.locator('#send').boundingBox()
    release()
    await eventually('the logo has arrived', isThere)
    assert.deepEqual(await tab.locator('#send').boundingBox(), closed)
    const logoBytes = await tab.evaluate<number>(
      `performance.getEntriesByType('resource').find(({ name }) => name.includes('/logo/')).transferSize`,
    )
    t.diagnostic(`the logo costs ${logoBytes} bytes`)
    assert.ok(logoBytes < 13_000)

    // Without its file, the page keeps the place and works.
    await tab.unroute('**/logo/*')
    await tab.route('**/logo/*', (route) => route.abort())
    await tab.goto(`${app.config.urls.checkout}/pay/${slug}?lang=en`)
    assert.deepEqual(await tab.locator('#send').boundingBox(), before)
    await fillIn(tab, { phone: '0754123789' })
    await pressPay(tab)
    await arrive(tab)
  })

  test('[A47] an operator sees the logo of a merchant, and removes it with a reason', async () => {
    await setLogo(logo)
    await change('PUT', 'color', { color: colors.yellow })
    const tab = await operatorTab({ browser, app }, await app.admin())
    tab.setDefaultTimeout(12_000)
    await tab.goto(`/admin/merchants/${business.id}`)
    const section = tab.getByRole('region', { name: 'Logo and colour' })
    await looksRightEverywhere(tab, 'brand-operator', () => section.getByRole('img', { name: 'Logo' }).waitFor())
    await section.getByRole('button', { name: 'Remove the logo' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByRole('textbox').fill('This is the logo of a bank.')
    await dialog.getByRole('button', { name: 'Remove the logo' }).click()
    await section.getByText('No logo').waitFor()
    await section.getByText('This is the logo of a bank.', { exact: false }).waitFor()
    assert.deepEqual(tab.problems, [])
    const own = await signedInTab({ browser, app }, student)
    await own.goto(`/dashboard/${business.id}/test/brand`)
    await looksRightEverywhere(own, 'brand-removed', () => own.getByText('We removed your logo', { exact: false }).waitFor())
  })
})
