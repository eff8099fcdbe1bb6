/** Saved recipients in a real Chromium: found, renamed, deleted, and chosen for a payout that warns of another name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, ended, paidStudent } from '../fixtures/payouts.ts'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, keepPicture, overflows, startBrowser } from './browser.ts'
import { looksRightEverywhere, pressTwice, signedInTab } from './dashboard.ts'

test('a merchant saves the people that it pays', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await paidStudent(app)
  const { key } = student
  const tab = await signedInTab({ browser, app }, student)
  tab.setDefaultTimeout(12_000)
  const list = '/dashboard/me/test/payouts/recipients'
  const saved = async () => (await app.call('GET', '/v1/recipients', { key })).body.data

  await t.test('[D22] one is saved once; a number that is saved already says so at its field', async () => {
    await tab.goto(list)
    await tab.getByText('No recipients yet').waitFor()
    await looksRightEverywhere(tab, 'recipients-none', () => tab.getByText('No recipients yet').waitFor())
    await tab.getByRole('button', { name: 'Add a recipient' }).first().click()
    const dialog = tab.getByRole('dialog', { name: 'Add a recipient' })
    await dialog.getByLabel('Name').fill('Asha Mushi')
    await dialog.getByLabel('Mobile money number').fill('12345')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
    await dialog.getByLabel('Mobile money number').fill('0754 000 123')
    await pressTwice(dialog.getByRole('button', { name: 'Save' }))
    await tab.getByText('Asha Mushi is saved.').waitFor()
    await tab.getByText('Not paid yet').waitFor()
    assert.equal((await saved()).length, 1)
    await tab.getByRole('button', { name: 'Add a recipient' }).click()
    await dialog.getByLabel('Name').fill('Mama Asha')
    await dialog.getByLabel('Mobile money number').fill('+255754000123')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('You have saved this number already.', { exact: false }).waitFor()
    await tab.keyboard.press('Escape')
  })

  await t.test('[D22] the list shows when and under which name each was paid, and finds them by name or digits', async () => {
    const payout = await ask(app, key, { amount: 5_000, recipient_name: 'Zawadi Juma' })
    await ended(app, key, payout.body.data.id, 'completed')
    for (const [name, phone_number] of [
      ['Juma Hamisi', '+255784123456'],
      ['Neema Kimaro', '+255624123456'],
    ]) {
      const made = await app.call('POST', '/v1/recipients', { key, body: { name, phone_number } })
      assert.equal(made.status, 201, JSON.stringify(made.body))
    }
    await tab.goto(list)
    await tab.getByText('as Zawadi Juma').waitFor()
    await looksRightEverywhere(tab, 'recipients', () => tab.getByText('as Zawadi Juma').waitFor())
    // Longer words: the row of two lines keeps all of them.
    const swahili = await signedInTab({ browser, app }, student, { language: 'sw', size: 'phone' })
    await swahili.goto(list)
    await looksRightEverywhere(swahili, 'recipients-sw', () => swahili.getByText('Bado hajalipwa').first().waitFor())
    await swahili.context().close()
    const search = tab.getByRole('searchbox', { name: 'Search by name or number' })
    await search.fill('mush')
    await tab.getByText('Juma Hamisi').waitFor({ state: 'detached' })
    assert.match(tab.url(), /q=mush/)
    await search.fill('0784')
    await tab.getByText('Juma Hamisi').waitFor()
    await tab.getByText('Asha Mushi').waitFor({ state: 'detached' })
    await search.fill('nobody')
    await tab.getByText('No one found').waitFor()
    await tab.goto(`${list}?q=784123`)
    await tab.getByText('Juma Hamisi').waitFor()
    assert.equal(await search.inputValue(), '784123')
    assert.equal(await tab.getByText('Asha Mushi').count(), 0)
  })

  await t.test('[D22] one is renamed and deleted, with the focus back where it was', async () => {
    await tab.goto(list)
    const menu = tab.getByRole('button', { name: 'Change Juma Hamisi' })
    await menu.click()
    await tab.getByRole('menuitem', { name: 'Rename' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Rename' })
    await dialog.getByLabel('Name').fill('Juma H. Hamisi')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Juma H. Hamisi').waitFor()
    await tab.getByRole('button', { name: 'Change Juma H. Hamisi' }).click()
    await tab.getByRole('menuitem', { name: 'Delete' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await tab.getByText('Juma H. Hamisi is deleted.').waitFor()
    assert.deepEqual(
      (await saved()).map(({ name }: { name: string }) => name),
      ['Neema Kimaro', 'Asha Mushi'],
    )
  })

  await t.test(
    '[D22, D9] one is chosen for a payout by keyboard; another name than last time is named before money moves',
    async () => {
      await tab.goto('/dashboard/me/test/payouts/new')
      await tab.getByLabel('Amount').fill('5000')
      await tab.getByRole('button', { name: 'Choose a saved recipient' }).press('Enter')
      const dialog = tab.getByRole('dialog', { name: 'Choose a saved recipient' })
      await dialog.getByRole('button', { name: /Neema Kimaro/ }).waitFor()
      assert.deepEqual(await accessibilityProblems(tab, '[role=dialog]'), [])
      await tab.keyboard.type('asha')
      await dialog.getByText('Neema Kimaro').waitFor({ state: 'detached' })
      await tab.keyboard.press('Tab')
      await tab.keyboard.press('Enter')
      assert.equal(await tab.getByLabel('Mobile money number').inputValue(), '+255754000123')
      assert.equal(await tab.getByLabel('Name of the recipient').inputValue(), 'Asha Mushi')
      await tab.getByRole('button', { name: 'Check' }).click()
      const warning = tab.getByRole('alert').filter({ hasText: 'This number had another name' })
      await warning.getByText('“Zawadi Juma”', { exact: false }).waitFor()
      await tab.setViewportSize({ width: 360, height: 740 })
      await keepPicture(tab, 'payout-other-name')
      assert.equal(await overflows(tab), false)
      assert.deepEqual(await accessibilityProblems(tab), [])
      await tab.getByRole('button', { name: 'Pay TSh 5,000' }).click()
      await tab.waitForURL(/\/payouts\/po_\w{26}$/)
      await tab.getByText('Completed').first().waitFor({ timeout: 15_000 })
      // The new name is now the last one: no warning any more.
      await tab.setViewportSize({ width: 1280, height: 800 })
      await tab.goto(list)
      await tab.getByText('as Zawadi Juma').waitFor({ state: 'detached' })
      await tab.getByRole('link', { name: 'Asha Mushi' }).click()
      await tab.getByText('You can pay out').waitFor()
      await tab.getByLabel('Amount').fill('5000')
      await eventuallyFilled()
      await tab.getByRole('button', { name: 'Check' }).click()
      await tab.getByText('Total debit').waitFor()
      assert.equal(await warning.count(), 0)
      assert.deepEqual(tab.problems, [])

      async function eventuallyFilled(): Promise<void> {
        await tab.waitForFunction(`document.querySelector('input[inputmode=tel]').value === '+255754000123'`)
      }
    },
  )
})
