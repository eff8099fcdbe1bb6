/** What a merchant on a bad line sees and can do while the app is still loading. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { guestTab, looksRightEverywhere, signedInTab, type Tab } from './dashboard.ts'

/** The script of the app arrives when `open` is called. */
async function holdApp(tab: Tab): Promise<{ open(): void }> {
  const gate = Promise.withResolvers<void>()
  await tab.route('**/assets/main-*.js', async (route) => {
    await gate.promise
    await route.continue().catch(() => undefined)
  })
  return { open: gate.resolve }
}

const firstLookGone = (tab: Tab) => tab.locator('#first-look').waitFor({ state: 'detached' })

test('the first look of a visit', async (t: TestContext) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const place = { browser, app }
  const student = await app.student()
  const page = await app.page(student, { title: 'Chai', amount: 1_500 })
  const references = [1, 2, 3].map(async () => (await app.checkout(page.slug)).body.data.reference as string)
  for (const reference of await Promise.all(references)) await app.settled(reference, ['completed'])
  // No one answers this phone.
  await app.checkout(page.slug, { phone_number: '+255754123788' })

  await t.test(
    '[D15] Home shows balance and payments before the app is there, in both languages, and says that more comes',
    async () => {
      for (const language of ['sw', 'en'] as const) {
        const tab = await signedInTab(place, student, { size: 'phone', language })
        const { open } = await holdApp(tab)
        await tab.goto('/dashboard/me/test')
        const main = tab.locator('#first-look main')
        await main.locator('.figures').first().waitFor()
        await main.getByText(language === 'sw' ? 'Mengine yanapakiwa…' : 'The rest is loading…').waitFor()
        await main.getByText(language === 'sw' ? 'hakuna pesa halisi' : 'no real money').waitFor()
        const rows = await main.getByRole('listitem').allInnerTexts()
        assert.equal(rows.length, 4)
        assert.equal(rows.filter((row) => row.includes(language === 'sw' ? 'Yamekamilika' : 'Completed')).length, 3)
        const shown = await main.locator('section').first().innerText()
        const address = await main.getByRole('listitem').first().getByRole('link').getAttribute('href')
        open()
        await firstLookGone(tab)
        // The app says the same.
        await tab.locator(`main a[href="${address}"]`).waitFor()
        const figure = /TSh\s[\d,]+/.exec(shown)![0]
        await tab.locator('main section').filter({ hasText: figure }).first().waitFor()
        assert.deepEqual(tab.problems, [])
        await tab.context().close()
      }
    },
  )

  await t.test('[D15] the first look fits every width, and axe finds nothing in it', async () => {
    const tab = await signedInTab(place, student, { size: 'phone', language: 'sw' })
    await holdApp(tab)
    await looksRightEverywhereAt(tab, 'first-look-home', '/dashboard/me/test', () =>
      tab.locator('#first-look li').first().waitFor(),
    )
    const guest = await guestTab(place, { size: 'phone', language: 'sw' })
    await holdApp(guest)
    await looksRightEverywhereAt(guest, 'first-look-sign-in', '/dashboard', () => guest.locator('#first-look form').waitFor())
  })

  await t.test('[D15] what is typed and pressed before the app is there is not lost', async () => {
    const tab = await guestTab(place, { size: 'phone' })
    const typing = await holdApp(tab)
    await tab.goto('/dashboard')
    await tab.getByLabel('E-mail address or phone number').fill(student.email)
    await tab.getByLabel('Password').pressSequentially(student.password.slice(0, 5))
    typing.open()
    await firstLookGone(tab)
    assert.equal(await tab.getByLabel('E-mail address or phone number').inputValue(), student.email)
    const password = tab.getByLabel('Password', { exact: true })
    assert.equal(await password.inputValue(), student.password.slice(0, 5))
    await eventually(
      'the cursor is still in the field',
      async () => (await password.evaluate((node) => node.matches(':focus'))) || undefined,
    )
    await tab.keyboard.type(student.password.slice(5))
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Home' }).waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()

    const other = await guestTab(place, { size: 'phone' })
    const sending = await holdApp(other)
    await other.goto('/dashboard/me/test/payments')
    await other.getByLabel('E-mail address or phone number').fill(student.email)
    await other.getByLabel('Password').fill(student.password)
    await other.getByRole('button', { name: 'Sign in' }).click()
    sending.open()
    await other.getByRole('heading', { name: 'Payments' }).waitFor()
    assert.deepEqual(other.problems, [])
    await other.context().close()
  })

  await t.test('[D15] if the app cannot be loaded, the screen says so and offers to try again', async () => {
    const tab = await signedInTab(place, student, { size: 'phone' })
    await tab.route('**/assets/main-*.js', (route) => route.abort())
    await tab.goto('/dashboard/me/test')
    await tab.getByRole('alert').getByText('The rest could not be loaded.').waitFor()
    await tab.unroute('**/assets/main-*.js')
    await tab.getByRole('link', { name: 'Load again' }).click()
    await tab.getByRole('heading', { name: 'Home' }).waitFor()
    await firstLookGone(tab)
    await tab.context().close()
  })

  await t.test('[D15] a screen of a guest has no sign-in before it', async () => {
    const tab = await guestTab(place, { size: 'phone' })
    const { open } = await holdApp(tab)
    await tab.goto('/dashboard/register')
    await tab.waitForResponse((response) => response.url().endsWith('/v1/auth/refresh'))
    assert.equal(await tab.locator('#first-look').count(), 0)
    open()
    await tab.getByRole('radio', { name: 'A student' }).waitFor()
    await tab.context().close()
  })
})

async function looksRightEverywhereAt(tab: Tab, name: string, path: string, isThere: () => Promise<unknown>): Promise<void> {
  await tab.goto(path)
  await isThere()
  await looksRightEverywhere(tab, name, isThere)
  await tab.context().close()
}
