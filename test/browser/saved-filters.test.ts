/** The saved filters of the lists in a real Chromium: saved, applied on another device and another day, replaced and deleted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'

const dayMs = 86_400_000

/** The day in Dar es Salaam, so many days from now. */
const dayFromNow = (days: number): string => new Date(Date.now() + 3 * 3_600_000 + days * dayMs).toISOString().slice(0, 10)

const midnight = (day: string): string => new Date(`${day}T00:00:00+03:00`).toISOString()

const fields = (tab: Page): Record<string, string> => Object.fromEntries(new URL(tab.url()).searchParams)

const sorted = (of: Record<string, string>): string =>
  JSON.stringify(Object.entries(of).toSorted(([one], [other]) => one.localeCompare(other)))

const addressIs = (what: string, tab: Page, wanted: Record<string, string>): Promise<unknown> =>
  eventually(what, async () => sorted(fields(tab)) === sorted(wanted))

const openMenu = (tab: Page, name = 'Saved filters'): Promise<void> => tab.getByRole('button', { name }).click()

const isFocused = (tab: Page, name: string): Promise<void> =>
  tab
    .locator('button:focus')
    .and(tab.getByRole('button', { name, exact: true }))
    .waitFor()

test('a merchant saves the filters of the lists', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const page = await app.page(student, { title: 'Chai', amount: 1_500 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const everyone = { browser, app }
  const payments = '/dashboard/me/test/payments'

  await t.test('[D25] a filter is saved without the search, and shown again after a reload and on another device', async () => {
    const tab = await signedInTab(everyone, student)
    const asked: string[] = []
    tab.on('request', (request) => void asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await tab.goto(payments)
    await tab.getByText('1 payment · 1 completed').waitFor()
    assert.deepEqual(
      asked.filter((one) => one.includes('saved-filters')),
      [],
      'the list does not wait for them',
    )
    await openMenu(tab)
    await tab.getByRole('menu').getByText('None saved yet').waitFor()
    await tab.getByRole('menuitem', { name: 'Save this filter' }).click()
    await tab.getByRole('dialog').getByText('Set a filter first').waitFor()
    await tab.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

    await tab.getByRole('button', { name: 'Filters', exact: true }).click()
    await tab.getByLabel('Status').selectOption('completed')
    await tab.getByLabel('Page', { exact: true }).selectOption('Chai')
    await tab.getByLabel('From amount').fill('1000')
    await tab.getByLabel('Period').selectOption('Last 7 days')
    assert.equal(await tab.getByLabel('From day').inputValue(), dayFromNow(-6))
    assert.equal(await tab.getByLabel('To day').inputValue(), dayFromNow(0))
    await tab.getByRole('searchbox').fill('Neema')
    await addressIs('all of it', tab, {
      status: 'completed',
      page: page.id,
      min: '1000',
      period: 'last_7_days',
      q: 'Neema',
    })
    await openMenu(tab)
    await tab.getByRole('menuitem', { name: 'Save this filter' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByText('Saves the 4 filters that are set').waitFor()
    await dialog.getByText('The text in the search is not saved').waitFor()
    await dialog.getByLabel('Name of the filter').fill('Chai this week')
    await tab.keyboard.press('Enter')
    await tab.getByText('“Chai this week” is saved.').waitFor()
    await isFocused(tab, 'Saved filters')
    assert.deepEqual(tab.problems, [])
    await tab.context().close()

    const other = await signedInTab(everyone, student)
    await other.goto(`${payments}?network=airtel&q=Asha`)
    await openMenu(other)
    await other.getByRole('menuitem', { name: 'Chai this week' }).click()
    await addressIs('only what was saved', other, { status: 'completed', page: page.id, min: '1000', period: 'last_7_days' })
    await other.getByText('1 payment · 1 completed').waitFor()
    await other.reload()
    await other.getByText('1 payment · 1 completed').waitFor()
    assert.equal(await other.getByLabel('Period').inputValue(), 'last_7_days')
    await openMenu(other)
    await other.getByRole('menuitem', { name: 'Chai this week' }).and(other.locator('[aria-current=true]')).waitFor()
    assert.deepEqual(other.problems, [])
    await other.context().close()
  })

  await t.test('[D25] a period moves with the day, chosen days stay', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.clock.setSystemTime(Date.now() + dayMs)
    const lists = (): Promise<URL> =>
      tab
        .waitForRequest((request) => new URL(request.url()).pathname === '/v1/merchant/payments')
        .then((request) => new URL(request.url()))
    const [first] = await Promise.all([lists(), tab.goto(`${payments}?period=last_7_days`)])
    assert.deepEqual(
      [first.searchParams.get('created_from'), first.searchParams.get('created_to')],
      [midnight(dayFromNow(-5)), midnight(dayFromNow(2))],
    )
    await tab.getByLabel('Period').selectOption('Chosen days')
    await addressIs('the days of tomorrow', tab, { from: dayFromNow(-5), to: dayFromNow(1) })
    await tab.getByLabel('Period').selectOption('Last month')
    await tab.getByLabel('From day').fill('2026-01-02')
    await eventually('a changed day fixes the other one', async () => {
      const { period, from, to } = fields(tab)
      return period === undefined && from === '2026-01-02' && to !== undefined
    })
    await tab.getByLabel('Period').selectOption('Any time')
    await addressIs('no days', tab, {})
    await tab.context().close()
  })

  await t.test('[D25] the menu works by keyboard; a name is replaced; a deleted filter is gone', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(`${payments}?status=failed`)
    await tab.getByRole('button', { name: 'Saved filters' }).focus()
    await tab.keyboard.press('Enter')
    await tab.getByRole('menuitem', { name: 'Chai this week' }).waitFor()
    await tab.keyboard.press('Escape')
    await isFocused(tab, 'Saved filters')
    await tab.keyboard.press('Enter')
    await tab.getByRole('menuitem', { name: 'Chai this week' }).waitFor()
    await eventually('the focus is in the menu', () => tab.getByRole('menu').evaluate((node) => node.matches(':focus-within')))
    await tab.keyboard.press('Home')
    await tab.keyboard.press('Enter')
    await eventually('it is applied', async () => fields(tab)['period'] === 'last_7_days')
    await isFocused(tab, 'Saved filters')

    await tab.getByLabel('Status').selectOption('expired')
    await openMenu(tab)
    await tab.getByRole('menuitem', { name: 'Save this filter' }).click()
    await tab.getByLabel('Name of the filter').fill('Chai this week')
    await tab.getByText('Replaces your filter of this name.').waitFor()
    await tab.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await tab.getByText('“Chai this week” is saved.').waitFor()
    await tab.goto(payments)
    await openMenu(tab)
    await tab.getByRole('menuitem', { name: 'Chai this week' }).click()
    await eventually('the new one', async () => fields(tab)['status'] === 'expired')

    await openMenu(tab)
    await tab.getByRole('menuitem', { name: 'Delete saved filters' }).click()
    await tab.getByRole('button', { name: 'Delete “Chai this week”' }).click()
    await tab.getByText('“Chai this week” is deleted.').waitFor()
    await tab.getByRole('dialog').getByText('None saved yet').waitFor()
    await isFocused(tab, 'Close')
    await tab.keyboard.press('Escape')
    await isFocused(tab, 'Saved filters')
    await tab.reload()
    await openMenu(tab)
    await tab.getByRole('menu').getByText('None saved yet').waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D15, D25] the menu and the dialog on a phone, in Swahili, for payouts', async () => {
    const tab = await signedInTab(everyone, student, { size: 'phone', language: 'sw' })
    await tab.goto('/dashboard/me/test/payouts?status=failed&period=this_month')
    const save = async (name: string): Promise<void> => {
      await openMenu(tab, 'Vichujio vilivyohifadhiwa')
      await tab.getByRole('menuitem', { name: 'Hifadhi kichujio hiki' }).click()
      await tab.getByLabel('Jina la kichujio').fill(name)
    }
    await save('Zilizoshindikana mwezi huu kwa wauzaji w')
    await looksRightEverywhere(tab, 'saved-filters-save', () => tab.getByRole('dialog').waitFor(), { reloads: false })
    await tab.getByRole('dialog').getByRole('button', { name: 'Hifadhi' }).click()
    await tab.getByText('kimehifadhiwa.').waitFor()
    await save('x'.repeat(40))
    await tab.getByRole('dialog').getByRole('button', { name: 'Hifadhi' }).click()
    await tab.getByText(`“${'x'.repeat(40)}” kimehifadhiwa.`).waitFor()
    await openMenu(tab, 'Vichujio vilivyohifadhiwa')
    await tab.getByRole('menuitem', { name: /^Zilizoshindikana/ }).waitFor()
    await looksRightEverywhere(tab, 'saved-filters-menu', () => tab.getByRole('menu').waitFor(), { reloads: false })
    await tab.getByRole('menuitem', { name: 'Futa vichujio vilivyohifadhiwa' }).click()
    await looksRightEverywhere(tab, 'saved-filters-delete', () => tab.getByRole('dialog').waitFor(), { reloads: false })
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })
})
