/** Shared helpers of the dashboards' browser tests: a tab of a signed-in user, and checks of a screen's layout. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import type { Admin, Student, TestApp } from '../app.ts'
import { accessibilityProblems, brokenFigures, overflows } from './browser.ts'

/** Set SCREENSHOTS to a folder to keep a picture of each screen. */
const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

const widths = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } } as const

export type Tab = Page & { problems: string[] }

export type TabOptions = {
  size?: keyof typeof widths
  language?: 'sw' | 'en'
  isDark?: boolean
  /** Touch input instead of a mouse. */ isTouch?: boolean
}

type Place = { browser: Browser; app: TestApp }

async function newContext(
  { browser, app }: Place,
  { size = 'desktop', language = 'en', isDark = false, isTouch = false }: TabOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: widths[size],
    locale: language === 'sw' ? 'sw-TZ' : 'en-TZ',
    timezoneId: 'Africa/Dar_es_Salaam',
    colorScheme: isDark ? 'dark' : 'light',
    baseURL: app.config.urls.api,
    acceptDownloads: true,
    hasTouch: isTouch,
    isMobile: isTouch,
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
  })
  // A tab polls continuously, and the service would wait for it to end.
  app.beforeClose(() => context.close())
  return context
}

export async function openTab(context: BrowserContext): Promise<Tab> {
  const problems: string[] = []
  const tab = await context.newPage()
  tab.on('pageerror', (error) => problems.push(error.message))
  // The screen shows refusals of the API; every other message on the console is a fault.
  tab.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) problems.push(message.text())
  })
  return Object.assign(tab, { problems })
}

/** A tab with a session of this person, in the state after a sign-in: a cookie that scripts cannot read. */
export async function signedInTab(
  place: Place,
  { email, password }: Pick<Student, 'email' | 'password'>,
  options: TabOptions = {},
): Promise<Tab> {
  const context = await newContext(place, options)
  const answer = await context.request.post('/v1/auth/login', {
    headers: { 'x-session-cookie': 'merchant', origin: place.app.config.urls.api },
    data: { identifier: email, password },
  })
  assert.equal(answer.status(), 200, await answer.text())
  return openTab(context)
}

/** A tab of the console with the session of an operator, who signed in with a second factor; one tab for each. */
export async function operatorTab(place: Place, { refreshToken }: Admin, options: TabOptions = {}): Promise<Tab> {
  const context = await newContext(place, options)
  const { api } = place.app.config.urls
  await context.addCookies([
    { name: `malipo_admin_${new URL(api).port}`, value: refreshToken, url: api, httpOnly: true, sameSite: 'Strict' },
  ])
  return openTab(context)
}

/** For the page. */
const transitionsEnd = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished)).then(() => undefined)`

/** The same screen of a signed-in user, at the other size and in the other colours. */
async function resize(tab: Page, size: keyof typeof widths, colorScheme: 'light' | 'dark', reloads: boolean): Promise<void> {
  await tab.setViewportSize(widths[size])
  await tab.emulateMedia({ colorScheme })
  if (reloads) return void (await tab.reload())
  // While its colours change, a text may have too little contrast.
  await tab.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
  await tab.evaluate(transitionsEnd)
}

/** For the page: links in the browser's own blue or violet, which no style of ours has reached. */
const unstyledLinks = `[...document.querySelectorAll('a[href]')]
  .filter((link) => ['rgb(0, 0, 238)', 'rgb(85, 26, 139)', 'rgb(158, 158, 255)', 'rgb(208, 173, 240)'].includes(getComputedStyle(link).color))
  .map((link) => link.outerHTML.slice(0, 120))`

/** For the page: buttons whose text is wider or higher than they are. */
const clippedButtons = `[...document.querySelectorAll('button, a[role=button], a[class*=Button-root]')]
  .flatMap((button) => [...button.querySelectorAll('[class*=Button-label]')])
  .filter((label) => label.clientWidth > 0 && (label.scrollWidth > label.clientWidth + 1 || label.scrollHeight > label.clientHeight + 1))
  .map((label) => label.textContent)`

/** For the page: what a row of a list on a phone has beyond its edge, where it is cut off. */
const clippedRows = `[...document.querySelectorAll('ul[class*=cards] > li *')]
  .filter((part) => part.getBoundingClientRect().right > part.closest('li').getBoundingClientRect().right + 1)
  .map((part) => part.textContent)`

async function looksRight(tab: Page, name: string): Promise<void> {
  if (pictures) await tab.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  assert.equal(await overflows(tab), false, `${name} is wider than the window`)
  assert.deepEqual(await tab.evaluate(unstyledLinks), [], name)
  assert.deepEqual(await tab.evaluate(clippedRows), [], `${name}: a row is cut off`)
  assert.deepEqual(await tab.evaluate(clippedButtons), [], `${name}: texts of buttons are cut off`)
  assert.deepEqual(await brokenFigures(tab, { alsoAmounts: true }), [], name)
  assert.deepEqual(await accessibilityProblems(tab), [], name)
}

/** With BOTH_LANGUAGES beside SCREENSHOTS: pictures of the screen in the other language, too. A test reads it in one. */
async function keepOtherLanguage(tab: Tab, name: string): Promise<void> {
  const other = (await tab.locator('html').getAttribute('lang')) === 'sw' ? 'en' : 'sw'
  await tab.evaluate(`localStorage.setItem('malipo-language', '${other}')`)
  for (const size of ['desktop', 'phone'] as const) {
    for (const scheme of ['dark', 'light'] as const) {
      await resize(tab, size, scheme, true)
      await tab.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined)
      await tab.screenshot({ path: join(pictures!, `${name}-${other}-${size}-${scheme}.png`), fullPage: true })
    }
  }
  await tab.evaluate(`localStorage.removeItem('malipo-language')`)
  await tab.reload()
}

/**
 * Checks a screen on a phone and a desktop, in light and dark: nothing is wider than the window, and axe finds nothing. `reloads`:
 * false for a screen that shows something once.
 */
export async function looksRightEverywhere(
  tab: Tab,
  name: string,
  isThere: () => Promise<unknown>,
  { reloads = true } = {},
): Promise<void> {
  for (const [size, scheme] of [
    ['desktop', 'dark'],
    ['phone', 'dark'],
    ['phone', 'light'],
    ['desktop', 'light'],
  ] as const) {
    await resize(tab, size, scheme, reloads)
    await isThere()
    await looksRight(tab, `${name}-${size}-${scheme}`)
  }
  assert.deepEqual(tab.problems, [], name)
  if (pictures && reloads && process.env['BOTH_LANGUAGES']) {
    await keepOtherLanguage(tab, name)
    await isThere()
  }
}

/** A tab without a session. */
export async function guestTab(place: Place, options: TabOptions = {}): Promise<Tab> {
  return openTab(await newContext(place, options))
}

/** Presses a button twice before the page can redraw, as can happen on a slow phone. */
export async function pressTwice(button: Locator): Promise<void> {
  await button.evaluate((node) => {
    const pressed = node as unknown as { click(): void }
    pressed.click()
    pressed.click()
  })
}

/** A second tab of the same browser. */
export function tabBeside(tab: Tab): Promise<Tab> {
  return openTab(tab.context())
}

/** Everything stored in the browser that a script of the page could read. */
export async function readableStorage(tab: Tab): Promise<string> {
  return tab.evaluate<string>(
    'indexedDB.databases().then((databases) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, databases]))',
  )
}
