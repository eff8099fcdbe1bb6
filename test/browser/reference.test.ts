/** The API reference in a real browser: readable everywhere, also without scripts, and a sample request that runs with a test key only. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { keyInSession, keyPlace } from '../../server/views/web/docs/script.ts'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, endTogether, keepPicture, smallTargets, startBrowser, wholeFile } from './browser.ts'
import { testReadable } from './readable.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile)
const reference = `${app.config.urls.api}/docs/reference`

/** A page of each kind: a body, a query, a person's session, no credentials, an event. */
const kinds = [
  '',
  '/create-payment',
  '/list-payments',
  '/create-key',
  '/start-checkout',
  '/create-payment-page',
  '/payment-completed',
]

async function open(context: BrowserContext, path: string) {
  const page = await context.newPage()
  const sent: string[] = []
  page.on('request', (request) => void (request.resourceType() === 'fetch' && sent.push(request.url())))
  await page.goto(`${reference}${path}`)
  return Object.assign(page, { sent })
}

describe('the API reference', () => {
  endTogether()

  const swahili = reference.replace('/docs/', '/docs/sw/')
  const addresses = [...kinds.map((kind) => `${reference}${kind}`), `${swahili}/create-payment`]
  testReadable(
    browser,
    addresses.map((address) => [address.split('/docs/')[1]!.replaceAll('/', '-'), address]),
  )

  test('a payment is made from the page with a pasted test key, which stays in that tab', async (t) => {
    const { key } = await app.key(await app.student())
    const context = await browser.newContext({ viewport: { width: 360, height: 800 } })
    t.after(() => context.close())
    const page = await open(context, '/create-payment')
    await page.getByLabel('Test key').fill(key)
    await page.getByRole('button', { name: 'Send', exact: true }).press('Enter')
    await page.getByRole('status').getByText('201 Created').waitFor()
    const answer = JSON.parse((await page.getByRole('region', { name: 'Answer' }).textContent())!)
    assert.match(answer.data.reference, /^pay_/)
    const seen = await app.call('GET', `/v1/payments/${answer.data.reference}`, { key })
    assert.equal(seen.body.data.amount, answer.data.amount)
    assert.deepEqual(await accessibilityProblems(page), [])
    await keepPicture(page, 'reference-sent-360')
    // Until it ends, the phone takes no other payment.
    await app.settled(answer.data.reference)
    // Another press is another payment: each request has a new idempotency key.
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('region', { name: 'Answer' }).filter({ hasNotText: answer.data.reference }).waitFor()
    assert.deepEqual(page.sent, Array(2).fill(`${app.config.urls.api}/v1/payments`))
    // The next page of the tab knows the key, and has it in its samples; another tab does not.
    await page.goto(`${reference}/get-payment`)
    assert.equal(await page.getByLabel('Test key').inputValue(), key)
    assert.ok((await page.locator('.sample code').first().textContent())!.includes(key))
    await page.getByLabel('reference').fill('pay_00000000000000000000000000')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('status').getByText('404').waitFor()
    assert.ok((await page.getByRole('region', { name: 'Answer' }).textContent())!.includes('"not_found"'))
    const other = await open(context, '/get-payment')
    assert.equal(await other.getByLabel('Test key').inputValue(), '')
    assert.ok((await other.locator('.sample code').first().textContent())!.includes(keyPlace))
    assert.deepEqual(await page.evaluate('[localStorage.length, document.cookie, location.search]'), [0, '', ''])
  })

  test('a live key is neither sent nor stored, and what is no key is not sent', async (t) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    t.after(() => context.close())
    const page = await open(context, '/get-balance')
    for (const [text, fault] of [
      [`svc_live_${'A'.repeat(40)}`, /live key/],
      ['hello', /no test key/],
    ] as const) {
      await page.getByLabel('Test key').fill(text)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByRole('status').getByText(fault).waitFor()
    }
    await page.getByLabel('Test key').fill(`svc_live_${'A'.repeat(40)}`)
    await page.getByLabel('Test key').press('Enter')
    await page
      .getByRole('status')
      .getByText(/live key/)
      .waitFor()
    assert.equal(await page.getByLabel('Test key').inputValue(), '')
    assert.equal(await page.evaluate(`sessionStorage.getItem('${keyInSession}')`), null)
    assert.deepEqual(page.sent, [])
    await keepPicture(page, 'reference-live-key-1280')
  })

  test('operations that a test key cannot limit to the test environment have no form', async (t) => {
    const context = await browser.newContext()
    t.after(() => context.close())
    for (const path of ['/start-checkout', '/create-key', '/payment-completed']) {
      const page = await open(context, path)
      assert.equal(await page.locator('form.send').count(), 0, path)
    }
  })

  test('without a script the page is read, its samples open, and the menu leads on', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 }, javaScriptEnabled: false })
    t.after(() => context.close())
    const page = await open(context, '/create-payment')
    assert.equal(await page.locator('form.send').isVisible(), false)
    assert.equal(await page.getByText('import json').isVisible(), false)
    await page.getByText('Python', { exact: true }).click()
    assert.equal(await page.getByText('import json').isVisible(), true)
    assert.equal(await page.getByText('curl -X POST').isVisible(), false, 'one sample is open')
    await page.getByRole('link', { name: 'Menu' }).press('Enter')
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'Refund a payment', exact: true })
      .click()
    await page.waitForURL(/\/docs\/reference\/create-refund$/)
    await page.getByRole('link', { name: 'Kiswahili' }).click()
    await page.waitForURL(/\/docs\/sw\/reference\/create-refund$/)
    assert.equal(await page.getByText('Ukurasa huu upo kwa Kiingereza tu.').isVisible(), true)
  })

  test('an address of the old reference leads to the page of its operation', async (t) => {
    const context = await browser.newContext()
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${app.config.urls.api}/reference#/Payments/startCheckout`)
    await page.waitForURL(`${reference}/start-checkout`)
  })

  test('touch targets of the form, the samples and the menu are large enough for a thumb', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 } })
    t.after(() => context.close())
    const page = await open(context, '/list-payments')
    await page.goto(`${reference}/list-payments#menu`)
    const small = (await smallTargets(page)).filter((target) => !/^<a href="\/docs\/(?:errors#|limits)/.test(target))
    assert.deepEqual(small, [])
  })
})
