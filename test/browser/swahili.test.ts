/** Every screen of both dashboards in Swahili: no text, label, hint or title of it is English or a code of the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Student } from '../app.ts'
import { keepBothPictures, startBrowser } from './browser.ts'
import { guestTab, operatorTab, signedInTab, type Tab } from './dashboard.ts'
import { codesOfApi, englishTexts, screens, type Who } from './swahili-screens.ts'
import { prepare, worldSettings } from './world.ts'

/**
 * What the page shows and says to a screen reader, without code, without what people typed, and without parts in another language.
 * For the page.
 */
const textsOfPage = `(() => {
  const apart = 'code, pre, .code, [lang=en], iframe, script, style, noscript, textarea, .mantine-Code-root'
  const found = [document.title]
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(apart)) found.push(walker.currentNode.textContent)
  for (const element of document.querySelectorAll('*')) {
    if (element.closest(apart)) continue
    for (const name of ['aria-label', 'title', 'alt', 'placeholder', 'aria-description', 'aria-roledescription']) {
      const text = element.getAttribute(name)
      if (text) found.push(text)
    }
  }
  return [...new Set(found.map((text) => text.trim()).filter((text) => /\\p{L}{2}/u.test(text)))]
})()`

/** Words that are no Swahili words, and that no name in the test's data has. */
const englishWords =
  /\b(?:the|and|or|of|to|from|with|without|your|you|this|that|is|are|was|were|has|have|not|for|by|on|at|all|new|open|close|clear|search|save|send|show|hide|select|choose|toggle|password|loading|error|next|previous|more|less|error|required|invalid|amount|date|time|page|payment|account|name|number|address|sign|again|try)\b/i

/** Names that are the same in every language: of networks, of events, of a program, and of what the test has made. */
const names = /M-Pesa|Airtel Money|Mixx by Yas|HaloPesa|\b[a-z_]+\.[a-z_]+\b|“[^”]+”|Save as|\/ Test payment|^App$|^SHA-256$/g

/**
 * `queued` alone or beside other words, as in `snippe · queued`, a code in a sentence, as in `(suspense_release)` or
 * `provider:webhook`, and a day as programs write it, without the exact time of a tooltip.
 */
const hasCode = (text: string, codes: ReadonlySet<string>): boolean =>
  /\b[a-z]+[_:][a-z_]+\b|\b\d{4}-\d\d-\d\d\b(?!.* UTC$)/.test(text) ||
  text.split(/[·:;,()]/).some((part) => codes.has(part.trim()))

/** Sentences whose words must agree with their subject: `malipo yame-`, `watu wa-`, and `ki-` where the subject is not said. */
const agreement: Record<string, RegExp> = {
  'merchant /payments/$reference': /^Mtoa huduma anasema: Yamekamilika$/,
  'admin /payments/$reference': /^Yamekamilika$/,
  'admin /reviews': /^Waliothibitishwa: \d+ · waliokataliwa: \d+$/,
  'admin /support-cases': /^1 kinasubiri\.$/,
}

test('no screen in Swahili has an English text or a code', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true, settings: worldSettings })
  const { world, people } = await prepare(app)
  const place = { browser, app }
  const swahili = { language: 'sw' } as const
  const tabOf: Record<Who, () => Promise<Tab>> = {
    guest: () => guestTab(place, swahili),
    student: () => signedInTab(place, people.student as Student, swahili),
    owner: () => signedInTab(place, people.owner, swahili),
    newcomer: async () => signedInTab(place, await app.student({ verified: false }), swahili),
    operator: async () => operatorTab(place, await app.admin(), swahili),
  }
  const tabs: Partial<Record<Who, Tab>> = {}
  const english = englishTexts()
  assert.ok(english.size > 1000, `${english.size} English texts`)
  const codes = codesOfApi()
  assert.ok(codes.has('queued') && codes.has('sole_proprietor') && codes.size > 200, `${codes.size} codes`)
  for (const { route, as, path } of screens) {
    await t.test(`[D31] ${route}`, async () => {
      const tab = (tabs[as] ??= await tabOf[as]())
      await tab.goto(path(world))
      await tab.locator('h1').first().waitFor()
      await tab.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined)
      // What is below the fold of Home is read when it comes into view.
      await tab.evaluate('scrollTo(0, document.body.scrollHeight)')
      await tab.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
      assert.equal(await tab.evaluate('document.documentElement.lang'), 'sw')
      const texts = await tab.evaluate<string[]>(textsOfPage)
      assert.ok(texts.length > 5, texts.join(' | '))
      const sentence = agreement[route]
      if (sentence)
        assert.ok(
          texts.some((text) => sentence.test(text)),
          `${sentence} is not among ${texts.join(' | ')}`,
        )
      await keepBothPictures(tab, `sw-${route.replaceAll(/[^\w]+/g, '-')}`)
      assert.deepEqual(
        texts.filter((text) => {
          const rest = text.replaceAll(names, '').trim()
          return rest !== '' && (english.has(rest) || englishWords.test(rest) || hasCode(rest, codes))
        }),
        [],
      )
    })
  }
})
