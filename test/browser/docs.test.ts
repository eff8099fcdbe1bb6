/** The documentation in a real browser: readable on a phone and a wide screen, light and dark, by keyboard and with a screen reader. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { entries } from '../../server/views/web/docs/contents.ts'
import { keyPlace } from '../../server/views/web/docs/script.ts'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, endTogether, keepPicture, overflows, smallTargets, startBrowser, wholeFile } from './browser.ts'
import { testReadable } from './readable.ts'
import { signedInTab } from './dashboard.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile)
const docs = `${app.config.urls.api}/docs`

/** One Swahili page of each kind: long tables, code, a drawing, lists, a page that is only in English, a search. */
const swahili = ['', '/errors', '/quick-start', '/concepts/payments', '/guides/go-live', '/operations/local', '/search?q=malipo']

describe('the documentation', () => {
  endTogether()

  const paths = [...entries.map((entry) => entry.path), 'search?q=webhook', ...swahili.map((end) => `sw${end}`)]
  testReadable(
    browser,
    paths.map((path) => [`docs-${path.replaceAll(/\W/g, '-') || 'index'}`, `${docs}/${path}`]),
  )

  test('the keyboard skips to the text, opens the menu on a phone and scrolls wide content', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 }, javaScriptEnabled: false })
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${docs}/guides/webhooks`)
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').textContent(), 'Skip to the text')
    assert.equal(await page.locator(':focus').isVisible(), true)
    const menu = page.getByRole('navigation', { name: 'Documentation' })
    assert.equal(await menu.isVisible(), false)
    await page.getByRole('link', { name: 'Menu' }).press('Enter')
    await menu.waitFor()
    await keepPicture(page, 'docs-menu-360')
    await menu.getByRole('link', { name: 'Quick start' }).press('Enter')
    await page.waitForURL(/\/docs\/quick-start$/)
    assert.equal(await menu.isVisible(), false)
    assert.match(await page.title(), /^Quick start/)
    const code = page.getByRole('region', { name: /^Commands/ }).nth(1)
    await code.focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('searchbox').fill('late success')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'The states of a payment: Late success' }).click()
    await page.waitForURL(/\/docs\/concepts\/payments#late-success$/)
  })

  test('the search shows results while one types, by keyboard alone, and Enter opens the chosen one', async (t) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${docs}/guides/refunds`)
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search the documentation' })
    assert.equal(await page.locator(':focus').getAttribute('name'), 'q')
    // A person types and presses Enter without waiting.
    await page.keyboard.type('stk push')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/concepts\/payments#payments-that-your-server-makes$/)

    await page.keyboard.press('Control+k')
    await page.keyboard.type('customer paid but pending')
    const results = page.getByRole('listbox', { name: 'Pages found' })
    const chosen = results.getByRole('option', { selected: true })
    await chosen.filter({ hasText: 'The customer has paid' }).waitFor()
    assert.equal(await field.getAttribute('aria-expanded'), 'true')
    assert.equal(await field.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'))
    await page.getByRole('status').filter({ hasText: 'found' }).waitFor({ state: 'attached' })
    assert.deepEqual(await accessibilityProblems(page), [])
    await keepPicture(page, 'docs-search-1280')
    await page.keyboard.press('ArrowUp')
    assert.equal(await chosen.textContent(), 'All results')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const second = (await chosen.getAttribute('data-address'))!
    await page.keyboard.press('Escape')
    assert.equal(await results.isVisible(), false)
    await field.fill('webook retr')
    await chosen.waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/search\?q=webook%20retr$/)
    assert.ok(second.startsWith('/docs/'))
    // Words that are nowhere lead to the page that says so.
    await field.fill('zzzzzz')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing was found. Try').waitFor()
  })

  test('on a phone the head is one row of 56 px, with the search, and a result is touched', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 } })
    t.after(() => context.close())
    const page = await context.newPage()
    for (const path of ['', '/guides/webhooks', '/search?q=key', '/sw', '/sw/guides/payouts']) {
      await page.goto(`${docs}${path}`)
      const { height } = (await page.locator('header').boundingBox())!
      assert.equal(height, 56, path)
    }
    await page.getByRole('combobox').fill('golang')
    const option = page.getByRole('option').first()
    await option.filter({ hasText: 'Go' }).waitFor()
    assert.equal(await overflows(page), false)
    assert.deepEqual(await accessibilityProblems(page), [])
    await keepPicture(page, 'docs-search-360')
    await option.click()
    await page.waitForURL(/\/docs\/sw\/guides\/from-order-to-fulfilment#go$/)
    // What does not fit into the row is in the menu.
    await page.getByRole('link', { name: 'Menyu' }).click()
    await page.getByRole('navigation', { name: 'Nyaraka' }).getByRole('link', { name: 'Bei' }).click()
    await page.waitForURL(/\/prices\?lang=sw$/)
  })

  test('the first page has six cards, each of which is touched anywhere', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 } })
    t.after(() => context.close())
    const page = await context.newPage()
    for (const [home, goal] of [
      [docs, '/docs/guides/webhooks'],
      [`${docs}/sw`, '/docs/sw/guides/webhooks'],
    ] as const) {
      await page.goto(home)
      const cards = page.locator('main ul').first().getByRole('listitem')
      assert.equal(await cards.count(), 6)
      const { height } = (await cards.nth(1).boundingBox())!
      await cards.nth(1).click({ position: { x: 20, y: height - 10 } })
      await page.waitForURL(`**${goal}`)
    }
  })

  test('a key that is pasted into the quick start is in its commands, and what is no test key is not', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 } })
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${docs}/quick-start`)
    await page.getByLabel('Your test key').fill('svc_live_0123456789')
    await page.getByRole('button', { name: 'Put it into the commands' }).click()
    const key = `svc_test_${'a1'.repeat(19)}`
    await page.getByLabel('A test key begins with svc_test_').fill(` ${key} `)
    await page.keyboard.press('Enter')
    await page.getByText('contain your test key svc_test_…').waitFor()
    assert.ok((await page.locator('.code code').first().textContent())!.endsWith(`KEY=${key}`))
    await page.goto(`${docs}/guides/refunds`)
    assert.equal(await page.locator('form.filled').count(), 0)
  })

  test('the other language is one press away, on the same page, and is remembered without a script', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 }, javaScriptEnabled: false })
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${docs}/guides/webhooks`)
    await page.getByRole('link', { name: 'Kiswahili' }).click()
    await page.waitForURL(/\/docs\/sw\/guides\/webhooks$/)
    assert.equal(await page.locator('html').getAttribute('lang'), 'sw')
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Kupokea webhook')
    await page.goto(`${docs}/concepts/payments#late-success`)
    await page.waitForURL(/\/docs\/sw\/concepts\/payments#late-success$/)
    await page.getByRole('link', { name: 'Menyu' }).click()
    await page.getByRole('navigation', { name: 'Nyaraka' }).getByRole('link', { name: 'Kuanza haraka' }).click()
    await page.waitForURL(/\/docs\/sw\/quick-start$/)
    await page.getByRole('link', { name: 'English' }).click()
    await page.waitForURL(/\/docs\/quick-start$/)
    await page.reload()
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  })

  test('touch targets in the header and the menu are large enough for a thumb', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 700 } })
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${docs}/quick-start#menu`)
    // A link within a sentence is as high as its line.
    const sentences = await page
      .locator('main :is(p, li) a')
      .evaluateAll((links) => links.map((link) => link.outerHTML.slice(0, 40)))
    const small = (await smallTargets(page)).filter((target) => !sentences.some((start) => target.startsWith(start)))
    assert.deepEqual(small, [])
  })

  test('a code block is copied with the keyboard as it is shown, and a screen reader is told', async (t) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${docs}/guides/webhooks`)
    const block = page.locator('.code', { hasText: 'createHmac' }).first()
    const copied = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()')
    await block.getByRole('button', { name: /^Copy: JavaScript/ }).press('Enter')
    await page.getByRole('status').getByText('Copied').waitFor()
    const text = await block.locator('code').textContent()
    assert.equal(await copied(), text)
    assert.match(text!, /^import \{ createHmac/)
    assert.ok((await block.locator('code i').count()) > 10, 'its parts have colours')
    // Without https a browser has no clipboard for scripts: the text is selected and copied.
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await page.locator('.code', { hasText: 'hmac.new' }).first().getByRole('button', { name: 'Copy: Python' }).click()
    await page.getByRole('status').getByText('Copied').waitFor()
    const other = await context.newPage()
    await other.goto(docs)
    assert.match(await other.evaluate<string>('navigator.clipboard.readText()'), /hmac\.new/)
  })

  test('the dashboard opens the quick start with a new key, which is only in that tab until it is removed', async () => {
    const tab = await signedInTab({ browser, app }, await app.student())
    await tab.goto('/dashboard/me/test/developers/quick-start')
    await tab.getByRole('button', { name: 'Make a test key' }).click()
    const dialog = tab.getByRole('dialog')
    const key = (await dialog.locator('pre').textContent())!
    await dialog.getByLabel('I have stored it in a safe place').check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await tab.evaluate(`sessionStorage.setItem('malipo-draft payout', 'Rehema Ali')`)
    const opened = tab.waitForEvent('popup')
    await tab.getByRole('button', { name: 'Open the guide with this key' }).click()
    const guide = await opened
    await guide.getByText(`contain your test key svc_test_…${key.slice(-4)}`).waitFor()
    assert.ok((await guide.locator('.code code').first().textContent())!.endsWith(`KEY=${key}`))
    const stored = 'Object.keys(sessionStorage)'
    assert.deepEqual([guide.url(), await tab.evaluate(stored)], [`${docs}/quick-start`, ['malipo-draft payout']])
    assert.deepEqual(await guide.evaluate(stored), ['malipo-docs-key'], 'a draft is not copied into the new tab')
    assert.deepEqual(await accessibilityProblems(guide), [])
    await keepPicture(guide, 'docs-quick-start-with-key')
    // A page opened by itself, and this one after the key was removed, show where to put it.
    const other = await tab.context().newPage()
    await other.goto(`${docs}/quick-start`)
    await guide.getByRole('button', { name: 'Remove the key' }).click()
    await guide.getByText('contain your test key').waitFor({ state: 'detached' })
    for (const page of [guide, other]) {
      assert.ok((await page.locator('.code code').first().textContent())!.endsWith(`KEY=${keyPlace}`))
      assert.equal(await page.evaluate('sessionStorage.length'), 0)
    }
    assert.deepEqual(tab.problems, [])
  })
})
