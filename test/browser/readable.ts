/** What holds for every page that is read without signing in: on a phone and on a wide screen, light and dark. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems, keepPicture, overflows } from './browser.ts'

type Choices = {
  /** Other hosts that the pages may load from. */
  hosts?: readonly string[]
  check?(page: Page, name: string): Promise<void>
}

/** Tests each page of the list: its name and its address. */
export function testReadable(
  browser: Browser,
  pages: readonly (readonly [name: string, address: string])[],
  { hosts = [], check }: Choices = {},
): void {
  const allowed = new Set([...pages.map(([, address]) => new URL(address).host), ...hosts])
  for (const [width, colorScheme] of [
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const) {
    test(`axe finds nothing and nothing is wider than the window: ${width} px, ${colorScheme}`, async (t) => {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
      t.after(() => context.close())
      const page = await context.newPage()
      const problems: string[] = []
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
      page.on('request', (request) => {
        const { host } = new URL(request.url())
        if (!allowed.has(host)) problems.push(`asked ${host}`)
      })
      for (const [name, address] of pages) {
        await page.goto(address)
        assert.equal(await overflows(page), false, name)
        await keepPicture(page, `${name}-${width}-${colorScheme}`)
        // Our policy keeps other scripts off the page: the browser itself injects axe.
        assert.deepEqual(await accessibilityProblems(page), [], name)
        await check?.(page, name)
      }
      assert.deepEqual(problems, [])
    })
  }
}
