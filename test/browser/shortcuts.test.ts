/** The keyboard shortcuts of both frames, and the sheet that lists them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../app.ts'
import { newMember, verifiedBusiness } from '../members.ts'
import { submittedBusiness } from '../onboarding.ts'
import { accessibilityProblems, startBrowser } from './browser.ts'
import { looksRightEverywhere, operatorTab, signedInTab, type Tab } from './dashboard.ts'

const sheetOf = (tab: Tab, name = 'Keyboard shortcuts') => tab.getByRole('dialog', { name })

async function press(tab: Tab, ...keys: string[]): Promise<void> {
  for (const key of keys) await tab.keyboard.press(key)
}

test('shortcuts of the merchants’ dashboard', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const everyone = { browser, app }
  const student = await app.student()
  const home = '/dashboard/me/test'

  await t.test('[D49] ? opens the sheet, whose code is loaded then; Esc closes it, and the focus returns', async () => {
    const tab = await signedInTab(everyone, student)
    const loaded: string[] = []
    tab.on('request', (request) => loaded.push(request.url()))
    await tab.goto(home)
    await tab.getByRole('heading', { level: 1 }).waitFor()
    assert.ok(!loaded.some((url) => url.includes('shortcut')), 'not before it is wanted')
    const link = tab.getByRole('navigation').getByRole('link', { name: 'Payouts' })
    await link.focus()
    await press(tab, '?')
    const sheet = sheetOf(tab)
    await sheet.getByRole('region', { name: 'Go to' }).getByText('Statement', { exact: true }).waitFor()
    await sheet.getByRole('region', { name: 'Do' }).getByText('New payment request').waitFor()
    assert.equal(await sheet.getByText('Team', { exact: true }).count(), 0, 'a person alone has no members')
    // A dialog has the focus.
    await press(tab, 'g', 'p')
    await press(tab, 'Escape')
    await sheet.waitFor({ state: 'hidden' })
    assert.equal(await link.evaluate((node) => node.matches(':focus')), true)
    assert.equal(new URL(tab.url()).pathname, home)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D49] g and a letter, / and n go where they say; not while typing, not with Ctrl or Alt', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(home)
    await tab.getByRole('heading', { level: 1 }).waitFor()
    // The first shortcut, while its code is being loaded.
    await press(tab, 'g', 'p')
    await tab.waitForURL(`**${home}/payments`)
    await press(tab, 'g', 's')
    await tab.waitForURL(`**${home}/statement`)
    await press(tab, 'g', 'x', 'g', 'Alt+p', 'x', 'Alt+n', 'Control+/')
    await press(tab, '/')
    const field = tab.getByRole('combobox', { name: /Reference, code/ })
    await field.waitFor()
    await tab.keyboard.type('gp?n/')
    assert.equal(await field.inputValue(), 'gp?n/')
    await press(tab, 'Escape')
    await field.waitFor({ state: 'hidden' })
    assert.equal(new URL(tab.url()).pathname, `${home}/statement`)
    await press(tab, 'n')
    await tab.waitForURL(`**${home}/pages/requests/new`)
    const title = tab.getByRole('textbox').first()
    await title.fill('')
    await title.pressSequentially('n? g p/')
    assert.equal(await title.inputValue(), 'n? g p/')
    assert.equal(new URL(tab.url()).pathname, `${home}/pages/requests/new`)
    assert.equal(await tab.getByRole('dialog').count(), 0)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D49] they are turned off in the sheet, which the menu of the person opens', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(home)
    await tab.getByRole('heading', { level: 1 }).waitFor()
    const person = tab.getByRole('button', { name: /Your account/ })
    const openByMenu = async () => {
      await person.click()
      await tab.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
      await sheetOf(tab).waitFor()
    }
    await openByMenu()
    const single = sheetOf(tab).getByRole('switch', { name: 'Single keys as shortcuts' })
    assert.equal(await single.isChecked(), true)
    await single.uncheck({ force: true })
    await press(tab, 'Escape')
    await sheetOf(tab).waitFor({ state: 'hidden' })
    assert.equal(await person.evaluate((node) => node.matches(':focus')), true)
    await press(tab, 'g', 'p', '?', 'n', '/')
    const loaded: string[] = []
    tab.on('request', (request) => loaded.push(request.url()))
    await tab.reload()
    await tab.getByRole('heading', { level: 1 }).waitFor()
    await press(tab, 'g', 'p', '?', 'n', '/')
    // A shortcut with Ctrl is no single key. What comes before it has had its effect.
    await press(tab, 'Control+k')
    await tab.getByRole('combobox', { name: /Reference, code/ }).waitFor()
    assert.equal(await tab.getByRole('dialog').count(), 1)
    assert.ok(!loaded.some((url) => url.includes('shortcut')))
    assert.equal(new URL(tab.url()).pathname, home)
    await press(tab, 'Escape')
    await tab.getByRole('dialog').waitFor({ state: 'hidden' })
    await openByMenu()
    await single.check({ force: true })
    await press(tab, 'Escape')
    await sheetOf(tab).waitFor({ state: 'hidden' })
    await press(tab, 'g', 'p')
    await tab.waitForURL(`**${home}/payments`)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D49] a cashier sees and uses only the shortcuts of their role', async () => {
    const owner = await app.student()
    const business = await verifiedBusiness(app, owner, await app.admin())
    const cashier = await newMember(app, owner, business, 'cashier')
    const place = `/dashboard/${business}/test`
    const tab = await signedInTab(everyone, cashier)
    await tab.goto(`${place}/payments`)
    await tab.getByRole('navigation').getByRole('link', { name: 'Payments' }).waitFor()
    await press(tab, '?')
    const sheet = sheetOf(tab)
    await sheet.getByText('New payment request').waitFor()
    for (const name of ['Statement', 'Payouts', 'Search', 'Developers']) {
      assert.equal(await sheet.getByText(name, { exact: true }).count(), 0, name)
    }
    await press(tab, 'Escape')
    await sheet.waitFor({ state: 'hidden' })
    const seen: string[] = []
    tab.on('framenavigated', (frame) => seen.push(new URL(frame.url()).pathname))
    await press(tab, 'g', 's', '/', 'n')
    await tab.waitForURL(`**${place}/pages/requests/new`)
    assert.deepEqual([...new Set(seen)], [`${place}/pages/requests/new`])
    assert.equal(await tab.getByRole('dialog').count(), 0)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D49] on a phone the sheet is in the menu; it fits at every width, in both languages', async () => {
    const tab = await signedInTab(everyone, student, { language: 'sw', size: 'phone', isTouch: true })
    await tab.goto(home)
    await tab.getByRole('heading', { level: 1 }).waitFor()
    await tab.getByRole('button', { name: 'Menyu' }).tap()
    await tab
      .getByRole('dialog')
      .getByRole('button', { name: /Akaunti yako/ })
      .tap()
    await tab.getByRole('menuitem', { name: 'Mikato ya kibodi' }).tap()
    await sheetOf(tab, 'Mikato ya kibodi').getByText('Ombi jipya la malipo').waitFor()
    assert.deepEqual(await accessibilityProblems(tab), [])
    await tab.context().close()
    for (const [language, name] of [
      ['sw', 'Mikato ya kibodi'],
      ['en', 'Keyboard shortcuts'],
    ] as const) {
      const shown = await signedInTab(everyone, student, { language })
      await shown.goto(home)
      await looksRightEverywhere(shown, `shortcuts-${language}`, async () => {
        await shown.getByRole('heading', { level: 1 }).first().waitFor()
        await press(shown, '?')
        await sheetOf(shown, name).getByRole('switch').waitFor()
      })
      await shown.context().close()
    }
  })
})

test('shortcuts of the operators’ console', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const { business } = await submittedBusiness(app, { legal_name: 'Kwanza Traders Limited' })
  const admin = await app.admin()

  await t.test(
    '[A49] g and a letter go to a section and take no row; / focuses the search; ? lists them with the keys of rows',
    async () => {
      const tab = await operatorTab({ browser, app }, admin)
      await tab.goto('/admin')
      await tab.getByRole('heading', { level: 1 }).waitFor()
      await press(tab, 'g', 'r')
      await tab.waitForURL('**/admin/reviews')
      const row = tab.locator('[data-row]').first()
      await row.waitFor()
      await press(tab, 'j')
      assert.equal(await row.evaluate((node) => node.matches(':focus')), true)
      // The second key of two is not the key of a row.
      await press(tab, 'g', 't')
      await press(tab, '?')
      const sheet = sheetOf(tab)
      await sheet.getByRole('region', { name: 'In the list of reviews' }).getByText('Take the row').waitFor()
      await press(tab, 'Escape')
      await sheet.waitFor({ state: 'hidden' })
      assert.equal(await row.evaluate((node) => node.matches(':focus')), true)
      const { body } = await app.call('GET', '/v1/admin/reviews', { token: admin.token })
      assert.deepEqual(
        body.data.map((one: { id: string; claim: unknown }) => [one.id, one.claim]),
        [[business.id, null]],
      )
      await press(tab, 't')
      await tab.getByRole('row').getByText('You', { exact: true }).waitFor()
      await press(tab, '/')
      await tab.waitForURL('**/admin/search')
      const field = tab.getByRole('search').getByRole('searchbox')
      await field.waitFor()
      await tab.waitForFunction(`document.activeElement?.matches('[role=search] input')`)
      await tab.keyboard.type('gr?')
      assert.equal(await field.inputValue(), 'gr?')
      assert.equal(new URL(tab.url()).pathname, '/admin/search')
      assert.deepEqual(tab.problems, [])
      await tab.context().close()
    },
  )

  await t.test('[A49] the sheet fits at every width', async () => {
    const tab = await operatorTab({ browser, app }, await app.admin(), { language: 'sw' })
    await tab.goto('/admin/reviews')
    await looksRightEverywhere(tab, 'shortcuts-console', async () => {
      await tab.getByRole('heading', { level: 1 }).first().waitFor()
      await press(tab, '?')
      await sheetOf(tab, 'Mikato ya kibodi').getByRole('switch').waitFor()
    })
    await tab.context().close()
  })
})
