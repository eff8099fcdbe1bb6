/** One real Chromium for a test file: $CHROMIUM, else the one that comes as a package, else the system's. None of them is an error. */
import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
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
  // On a machine without the desktop's libraries the package unpacks its own, if it is told that it runs where there are none.
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

/** What axe finds wrong on the page as it stands, by the rules of WCAG 2.2 A and AA. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Whether anything is wider than the window. */
export async function overflows(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')
}
