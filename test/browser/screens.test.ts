/**
 * Every screen and state of the hosted checkout in a real Chromium: readable, reachable and correct, in both languages, on every
 * size.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import {
  accessibilityProblems,
  brokenFigures,
  endTogether,
  keepPicture,
  overflows,
  smallTargets,
  startBrowser,
  wholeFile,
} from './browser.ts'
import { phoneOf360 } from './payer.ts'
import { startCheckoutScreens, type Screen } from './checkout-screens.ts'

const browser: Browser = await startBrowser(wholeFile)
const { app, screens } = await startCheckoutScreens()
const origin = app.config.urls.checkout

/** Words that appear in no sentence of the other language. Text of a merchant or a payer is excluded. */
const foreign = {
  sw: /\b(the|your|you|payment|phone|number|with|again|this|was|page|receipt|network|address)\b/i,
  en: /\b(yako|malipo ya|namba|simu|kwenye|tena|huu|hii|ukurasa|risiti|mtandao|barua)\b/i,
}
const namesOfPeople =
  /Ada ya muhula wa pili 2026|Mchango wa maktaba|Lipa kabla[^.]*\.|Asante![^.]*\.|Tumefunga[^.]*\.|Kiswahili|English/g

async function look(screen: Screen): Promise<void> {
  const context = await browser.newContext({ ...phoneOf360, permissions: ['clipboard-write'] })
  try {
    const tab = await context.newPage()
    const hosts = new Set<string>()
    tab.on('request', (request) => hosts.add(new URL(request.url()).host))
    for (const language of ['sw', 'en'] as const) {
      await context.clearCookies()
      if (screen.cookies)
        await context.addCookies(screen.cookies.map((cookie) => ({ ...cookie, domain: new URL(origin).hostname })))
      await screen.prepare?.()
      await tab.goto(`${origin}${screen.path}?lang=${language}`)
      await screen.act?.(tab)
      const where = `${screen.name} ${language}`
      assert.equal(await tab.title(), `${screen.title[language]} – Malipo`, where)
      assert.equal(await tab.locator('html').getAttribute('lang'), language, where)
      const text = (await tab.locator('body').innerText()).replaceAll(namesOfPeople, '')
      assert.doesNotMatch(text, foreign[language], where)
      for (const landmark of ['banner', 'main', 'contentinfo'] as const)
        assert.equal(await tab.getByRole(landmark).count(), 1, where)
      assert.equal(await tab.getByRole('heading', { level: 1 }).count(), 1, where)
      for (const theme of ['light', 'dark'] as const) {
        await tab.emulateMedia({ colorScheme: theme })
        await keepPicture(tab, `${screen.name}-${language}-360${theme === 'dark' ? '-dark' : ''}`)
        assert.deepEqual(await accessibilityProblems(tab), [], `${where} ${theme}`)
      }
      await tab.emulateMedia({ colorScheme: 'light' })
      for (const [width, height] of [
        [320, 560],
        [1280, 800],
        [360, 740],
      ] as const) {
        await tab.setViewportSize({ width, height })
        if (language === 'sw' && width !== 360) await keepPicture(tab, `${screen.name}-${language}-${width}`)
        assert.equal(await overflows(tab), false, `${where} is wider than ${width} px`)
        assert.deepEqual(await smallTargets(tab), [], `${where} at ${width} px`)
        assert.deepEqual(await brokenFigures(tab, { alsoAmounts: true }), [], `${where} at ${width} px`)
      }
      // Letters of twice the size on the same small phone are more than a browser's zoom of 200 % on a desktop.
      await tab.evaluate(`document.documentElement.style.fontSize = '200%'`)
      assert.equal(await overflows(tab), false, `${where} at 200 %`)
    }
    assert.deepEqual(
      [...hosts].sort(),
      [...new Set([new URL(origin).host, ...[...hosts].filter((host) => host === new URL(app.config.urls.api).host)])].sort(),
    )
  } finally {
    await context.close()
  }
}

describe('every screen', () => {
  endTogether()
  for (const screen of screens)
    test(`the screen ${screen.name} is readable and reachable on every size, in both languages [C6, C10, C11]`, () =>
      look(screen))
})
