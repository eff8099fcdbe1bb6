/**
 * One real Chromium for a test file: $CHROMIUM, otherwise the one from the package, otherwise the system's. No Chromium at all is
 * an error.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type Page } from 'playwright-core'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

async function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args, headless: true })
}

async function packagedPath(): Promise<string> {
  // On a machine without the desktop's libraries the package unpacks its own, if this variable says that it runs without them.
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs24.x'
  const { default: packaged } = await import('@sparticuz/chromium')
  packaged.setGraphicsMode = false
  return packaged.executablePath()
}

export async function startBrowser(t: TestContext): Promise<Browser> {
  const candidates: (() => Promise<string> | string)[] = [
    ...(process.env['CHROMIUM'] ? [() => process.env['CHROMIUM']!] : []),
    packagedPath,
    ...(existsSync('/usr/bin/chromium') ? [() => '/usr/bin/chromium'] : []),
  ]
  const failures: string[] = []
  for (const candidate of candidates) {
    try {
      const browser = await launch(await candidate())
      t.after(() => browser.close())
      return browser
    } catch (error) {
      failures.push(String(error))
    }
  }
  throw new Error(`No browser starts here; set CHROMIUM to one.\n${failures.join('\n')}`)
}

const ends: (() => unknown)[] = []

/**
 * For the one browser and the one service that all tests of a file share. The browser starts first, because unpacking it blocks the
 * process, and a blocked service sheds load. They end with the file's suite: `describe(…, () => { endTogether(); … })`.
 */
export const wholeFile = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext

/** Ends everything that was started for the suite of a file, the last first. */
export function endTogether(): void {
  after(async () => {
    const failures: unknown[] = []
    for (const end of ends.toReversed()) {
      try {
        await end()
      } catch (error) {
        // The check of the money may fail; a browser that then stays open would keep the run from its end.
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  })
}

const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

/** Saves a picture of the screen when SCREENSHOTS names a folder. */
export async function keepPicture(page: Page, name: string, fullPage = true): Promise<void> {
  if (!pictures) return
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage, caret: 'initial', animations: 'allow' })
}

/** The same on a desktop in light and on a phone in dark, and back. */
export async function keepBothPictures(page: Page, name: string): Promise<void> {
  if (!pictures) return
  await page.evaluate('scrollTo(0, 0)')
  await keepPicture(page, `${name}-1280`)
  const size = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.evaluate('scrollTo(0, 0); new Promise((then) => setTimeout(then, 400))')
  await keepPicture(page, `${name}-360-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(size)
}

/** The violations that axe finds on the current page, by the rules of WCAG 2.2 A and AA; `part` where a dialog covers the rest. */
export async function accessibilityProblems(page: Page, part = 'html'): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .include(part)
    // Scripts, including axe's, do not run within a sandbox. A sandboxed frame shows a preview of a page that is checked
    // separately.
    .exclude('iframe[sandbox]')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Whether anything is wider than the window. */
export async function overflows(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')
}

/** Phone numbers that a line end breaks: `0754 ••• / 456`; `alsoAmounts`: and `TSh / 25,000`. The whole text of each. */
export async function brokenFigures(page: Page, { within = 'body', alsoAmounts = false } = {}): Promise<string[]> {
  const phone = String.raw`(?:\+255\s\d{3}|0\d{3})\s(?:•••|\d{3})\s\d{3}`
  const figures = JSON.stringify(alsoAmounts ? String.raw`${phone}|TSh\s[\d,]+` : phone)
  return page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(within)})].flatMap((part) => {
    const found = []
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      for (const match of node.textContent.matchAll(new RegExp(${figures}, 'g'))) {
        const range = document.createRange()
        range.setStart(node, match.index)
        range.setEnd(node, match.index + match[0].length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(node.textContent)
      }
    }
    return found
  })`)
}

/** Everything that can be touched and is smaller than 44 px in a direction, with its size. */
export async function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('a[href],button,input:not([type=hidden]),select,summary')]
    .filter((node) => node.getClientRects().length > 0)
    // A checkbox is touched on its whole label.
    .map((node) => [node, ((node.type === 'checkbox' && node.closest('label')) || node).getBoundingClientRect()])
    .filter(([, box]) => box.width < 43.5 || box.height < 43.5)
    .map(([node, box]) => node.outerHTML.slice(0, 80) + ' ' + box.width.toFixed(1) + ' x ' + box.height.toFixed(1))`)
}
