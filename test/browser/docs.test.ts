/** The documentation in a real browser: readable on a phone and a wide screen, light and dark, by keyboard and with a screen reader. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { entries } from '../../server/web/docs/contents.ts'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, endTogether, keepPicture, overflows, smallTargets, startBrowser, wholeFile } from './browser.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile)
const docs = `${app.config.urls.api}/docs`

describe('the documentation', () => {
  endTogether()

  for (const [width, colorScheme] of [
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const) {
    test(`axe finds nothing and nothing is wider than the window: ${width} px, ${colorScheme}`, async (t) => {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, javaScriptEnabled: true })
      t.after(() => context.close())
      const page = await context.newPage()
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).host))
      for (const path of [...entries.map((entry) => entry.path), 'search?q=webhook']) {
        await page.goto(`${docs}/${path}`)
        assert.equal(await overflows(page), false, path)
        await keepPicture(page, `docs-${path.replaceAll(/\W/g, '-') || 'index'}-${width}-${colorScheme}`)
        // Our policy keeps scripts off the page: the browser itself injects axe.
        assert.deepEqual(await accessibilityProblems(page), [], path)
      }
      assert.deepEqual([...new Set(asked)], [new URL(docs).host])
    })
  }

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
})
