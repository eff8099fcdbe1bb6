/** The front door and the page of a local start in a real browser: on a phone and a wide screen, light and dark, in both languages. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { prepareDemo } from '../../server/start/demo.ts'
import { startTestApp } from '../app.ts'
import { endTogether, smallTargets, startBrowser, wholeFile } from './browser.ts'
import { testReadable } from './readable.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true })
const demo = await prepareDemo(app.deps, app.simulatorUrl)

describe('the front door', () => {
  endTogether()

  const pages = [
    ['front-en', '/?lang=en'],
    ['front-sw', '/?lang=sw'],
    ['prices-en', '/prices?lang=en'],
    ['prices-sw', '/prices?lang=sw'],
    ['local', '/local'],
    ['local-code', '/local/code'],
  ] as const
  testReadable(
    browser,
    pages.map(([name, path]) => [name, `${app.config.urls.api}${path}`]),
    {
      // The page of a local start shows the payer's phone.
      hosts: [new URL(app.simulatorUrl).host],
      async check(page, name) {
        if (!name.startsWith('local')) assert.deepEqual(await smallTargets(page), [], name)
      },
    },
  )

  test('a visitor reads one sentence, sees one picture, and signs in with one button on the first screen of a phone', async (t) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 } })
    t.after(() => context.close())
    const page = await context.newPage()
    for (const [language, sentence, button] of [
      ['en', /^Get paid by M.Pesa/, 'Sign in or register'],
      ['sw', /^Pokea malipo kwa M.Pesa/, 'Ingia au jisajili'],
    ] as const) {
      await page.goto(`${app.config.urls.api}/?lang=${language}`)
      await page.getByRole('heading', { level: 1, name: sentence }).waitFor()
      for (const part of [page.getByRole('img'), page.getByRole('link', { name: button })]) {
        const { y, height } = (await part.boundingBox())!
        assert.ok(y + height <= 640, `${language}: ends at ${y + height}`)
      }
      await page.getByRole('link', { name: button }).click()
      await page.waitForURL(/\/dashboard\//)
    }
  })

  test('a developer pays with the phone beside the page, reads the mail, and signs in as operator with the shown code', async (t) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    t.after(() => context.close())
    const { body } = await app.checkout(demo.page_slug, { phone_number: '+255754000111' })
    const page = await context.newPage()
    await page.goto(`${app.config.urls.api}/local`)
    const phone = page.frameLocator('iframe[title="The payer’s phone"]')
    await phone.locator('input[name=pin]').fill('1234')
    await phone.locator('button[value=pin]').click()
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
    await page.frameLocator('iframe[title="Mailbox"]').getByRole('heading', { name: 'Mailbox' }).waitFor()

    const code = await page.frameLocator('iframe[title="Current one-time code"]').locator('code').textContent()
    assert.match(code!, /^\d{6}$/)
    const asked = await app.call('POST', '/v1/auth/login', {
      body: { identifier: demo.admin.email, password: demo.admin.password },
    })
    const { challenge_token } = asked.body.data
    assert.equal((await app.call('POST', '/v1/auth/2fa/verify', { body: { challenge_token, code } })).status, 200)
  })
})
