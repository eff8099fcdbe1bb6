/** The lists of payments and payouts in a real Chromium: found, exported, summed by day, and their filters saved. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { seedHistory } from '../fixtures/history.ts'
import { ask, ended, paidStudent } from '../fixtures/payouts.ts'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'

const names = (tab: Page): Promise<string[]> => tab.locator('main a[href*="/payouts/po_"]').allTextContents()

test('a merchant works with long lists', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await paidStudent(app, 1_000_000)
  const everyone = { browser, app }
  const pay = async (recipient_name: string, phone_number: string, reference: string): Promise<string> => {
    const { status, body } = await ask(app, student.key, { recipient_name, phone_number, reference, amount: 25_000 })
    assert.equal(status, 201, JSON.stringify(body))
    await ended(app, student.key, body.data.id, phone_number.endsWith('089') ? 'failed' : 'completed')
    return body.data.id
  }
  const asha = await pay('Asha Mushi', '+255754000123', 'Mshahara 10')
  await pay('Juma Ally', '+255784111123', 'Mshahara 11')
  await pay('Neema Kimaro', '+255714222089', 'Deni')
  const payouts = '/dashboard/me/test/payouts'

  await t.test('[D9] payouts are found by name, number and reference, and exported as they are filtered', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(payouts)
    const come = (what: string, wanted: string[]) =>
      eventually(what, async () => JSON.stringify(await names(tab)) === JSON.stringify(wanted))
    await come('all', ['Neema Kimaro', 'Juma Ally', 'Asha Mushi'])
    await looksRightEverywhere(tab, 'lists-payouts', () => tab.getByText('Neema Kimaro').waitFor())
    for (const [typed, wanted] of [
      ['mshahara', ['Juma Ally', 'Asha Mushi']],
      ['0754 000 123', ['Asha Mushi']],
      [asha, ['Asha Mushi']],
      ['kimaro', ['Neema Kimaro']],
      ['nobody', []],
    ] as const) {
      await tab.getByRole('searchbox').fill(typed)
      await come(typed, [...wanted])
    }
    await tab.getByText('No matching payout').waitFor()
    await tab.getByRole('button', { name: 'Filters', exact: true }).click()
    await tab.getByRole('button', { name: 'Clear filters' }).click()
    await tab.getByLabel('Status').selectOption('completed')
    await tab.getByRole('searchbox').fill('mshahara')
    await come('by both', ['Juma Ally', 'Asha Mushi'])
    assert.match(tab.url(), /status=completed/)
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'Export CSV' }).click()])
    assert.match(download.suggestedFilename(), /^payouts-test-start-\d{4}-\d{2}-\d{2}\.csv$/)
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.deepEqual([lines.length, lines[2]!.split(',').includes(asha)], [3, true])
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D11] the search of the account opens a payout', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(payouts)
    await tab.getByRole('link', { name: 'Juma Ally' }).waitFor()
    await tab.keyboard.press('Control+K')
    await tab.getByRole('dialog').getByRole('combobox').fill('Mshahara 10')
    await tab.getByRole('option', { name: /Asha Mushi/ }).waitFor()
    await tab.keyboard.press('Enter')
    await tab.waitForURL(`**${payouts}/${asha}`)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D5, D9] the lists are grouped by day, with totals of everything that fits, on every page', async () => {
    const shopper = await app.student()
    const page = await app.page(shopper)
    await seedHistory(app, page.id, { count: 60, amount: 500, firstAt: '2026-01-01T09:00:00.000Z', everySeconds: 14_400 })
    await app.settled((await app.checkout(page.slug)).body.data.reference)
    const tab = await signedInTab(everyone, shopper)
    const list = '/dashboard/me/test/payments'
    await tab.goto(list)
    await tab.getByText('61 payments · 61 completed: TSh 31,500').waitFor()
    await tab.getByRole('rowheader', { name: /^Today · .*1 payment · TSh\s1,500 completed$/ }).waitFor()
    await tab.getByRole('rowheader', { name: 'Sat, 10 Jan 2026 6 payments · TSh\u00a03,000 completed' }).waitFor()
    await looksRightEverywhere(tab, 'lists-payments', () => tab.getByText('61 payments').waitFor())
    await tab.getByRole('button', { name: 'Older' }).click()
    await tab.getByRole('rowheader', { name: /^Mon, 5 Jan 2026/ }).waitFor()
    await tab.getByText('61 payments · 61 completed: TSh 31,500').waitFor()
    // A day that begins on the page before has the total of the whole day.
    await eventually('the totals of each day', async () => {
      const days = await tab.getByRole('rowheader').allTextContents()
      return days.length > 2 && days.every((day) => day.includes('6 payments · TSh\u00a03,000 completed'))
    })
    await tab.goto(`${list}?from=2026-01-10&to=2026-01-10`)
    await tab.getByText('6 payments · 6 completed: TSh 3,000').waitFor()
    await app.settled((await app.checkout(page.slug, { phone_number: '0754124789' })).body.data.reference)
    await tab.goto(list)
    await tab.getByText('62 payments · 62 completed: TSh 33,000').waitFor()
    await app.settled((await app.checkout(page.slug, { phone_number: '0754125789' })).body.data.reference)
    await tab.getByText('63 payments · 63 completed: TSh 34,500').waitFor()
    await tab.context().close()
    const payer = await signedInTab(everyone, student)
    await payer.goto(payouts)
    await payer.getByText('3 payouts · 2 completed: TSh 50,000').waitFor()
    await payer.getByRole('rowheader', { name: /^Today · .*3 payouts · TSh\s50,000 completed$/ }).waitFor()
    assert.deepEqual([tab.problems, payer.problems], [[], []])
    await payer.context().close()
  })

  await t.test('[D15] the lists are readable in Swahili', async () => {
    const tab = await signedInTab(everyone, student, { language: 'sw' })
    await tab.goto(`${payouts}?status=completed`)
    await looksRightEverywhere(tab, 'lists-payouts-sw', () => tab.getByText('zilizofika 2: TSh 50,000').waitFor())
    await tab.goto('/dashboard/me/test/payments')
    await looksRightEverywhere(tab, 'lists-payments-sw', () =>
      tab.getByText('Malipo 1 · yaliyokamilika 1: TSh 1,000,000').waitFor(),
    )
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })
})
