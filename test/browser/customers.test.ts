/** Customers in a real Chromium: fields of a page asked, answered by a payer and read by the merchant; who paid, with numbers on request. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../app.ts'
import { newMember, verifiedBusiness } from '../members.ts'
import { accessibilityProblems, keepPicture, overflows, startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'
import { openOptional } from './payer.ts'

test('a merchant knows who paid', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const path = `/dashboard/${businessId}/test`
  const at = `environment=test&business_id=${businessId}`
  const tab = await signedInTab({ browser, app }, owner)
  tab.setDefaultTimeout(12_000)
  let slug = ''

  await t.test('[D4] a page asks its payers for fields of its own: added, moved, removed, and shown in the preview', async () => {
    await tab.goto(`${path}/pages/new`)
    await tab.getByRole('textbox', { name: 'Title' }).fill('Mgahawa wa Asha')
    await tab.getByRole('textbox', { name: 'Amount to pay' }).fill('2000')
    const add = tab.getByRole('button', { name: 'Add a field' })
    const label = tab.getByRole('textbox', { name: 'What the payer reads' })
    await add.click()
    await label.nth(0).fill('Maoni')
    await add.click()
    await label.nth(1).fill('Namba ya meza')
    await tab.getByRole('combobox', { name: 'Answer' }).nth(1).selectOption('number')
    await tab.getByRole('checkbox', { name: 'The payer must answer' }).nth(1).check()
    await add.click()
    await label.nth(2).fill('Kinywaji')
    await tab.getByRole('combobox', { name: 'Answer' }).nth(2).selectOption('choice')
    await tab.getByRole('button', { name: 'Create the page' }).click()
    await tab.getByText('Write 1 to 20 different choices', { exact: false }).waitFor()
    await tab.getByRole('textbox', { name: 'Choices' }).fill('Chai\nKahawa\n')
    await add.click()
    await label.nth(3).fill('Kosa')
    await tab.getByRole('button', { name: 'Remove field 4' }).click()
    // With the keyboard.
    await tab.getByRole('button', { name: 'Move field 2 up' }).focus()
    await tab.keyboard.press('Enter')
    assert.equal(await label.nth(0).inputValue(), 'Namba ya meza')
    const preview = tab.frameLocator('iframe[title=Preview]')
    await preview.getByLabel('Namba ya meza').waitFor()
    await preview.getByLabel('Kinywaji').waitFor()
    assert.deepEqual(await accessibilityProblems(tab), [])
  })

  await t.test('[D4] the fields are saved, changed and reloaded in their order', async () => {
    const body = {
      type: 'payment',
      title: 'Mgahawa wa Asha',
      amount: 2_000,
      custom_fields: [
        { key: 'namba_ya_meza', label: 'Namba ya meza', type: 'number', required: true },
        { key: 'maoni', label: 'Maoni', type: 'text' },
        { key: 'kinywaji', label: 'Kinywaji', type: 'choice', choices: ['Chai', 'Kahawa'] },
      ],
    }
    const made = await app.call('POST', `/v1/merchant/payment-pages?${at}`, { token: owner.token, body })
    slug = made.body.data.slug
    await tab.goto(`${path}/pages/${made.body.data.id}/edit`)
    await looksRightEverywhere(tab, 'page-editor-fields', async () => {
      await tab.getByRole('textbox', { name: 'Choices' }).waitFor()
      await tab.frameLocator('iframe[title=Preview]').getByLabel('Namba ya meza').waitFor()
    })
    await tab.getByRole('button', { name: 'Move field 3 up' }).click()
    await tab.getByRole('textbox', { name: 'What the payer reads' }).nth(1).fill('Kinywaji chako')
    await tab.getByRole('button', { name: 'Save changes' }).click()
    await tab.getByText('The page has been changed.').waitFor()
    const { data } = (await app.call('GET', `/v1/merchant/payment-pages/${slug}?${at}`, { token: owner.token })).body
    assert.deepEqual(
      data.custom_fields.map(({ key, label, required }: Record<string, unknown>) => [key, label, required]),
      [
        ['namba_ya_meza', 'Namba ya meza', true],
        ['kinywaji', 'Kinywaji chako', false],
        ['maoni', 'Maoni', false],
      ],
    )
  })

  for (const isScripted of [true, false]) {
    await t.test(`[D4] a payer answers them ${isScripted ? 'with' : 'without'} script, and keeps what was typed`, async () => {
      const context = await browser.newContext({ javaScriptEnabled: isScripted, viewport: { width: 360, height: 640 } })
      const payer = await context.newPage()
      await payer.goto(`${app.config.urls.checkout}/pay/${slug}?lang=sw`)
      await payer.getByLabel('Namba ya simu').fill(isScripted ? '0754 000 789' : '0754 111 789')
      await payer.getByLabel('Jina lako').fill(isScripted ? 'Neema Joseph' : 'Baraka Ally')
      await openOptional(payer)
      await payer.getByLabel('Barua pepe').fill('payer@example.com')
      await payer.getByLabel('Namba ya meza').fill('saba')
      await payer.getByLabel('Kinywaji chako').selectOption('Kahawa')
      await payer.getByRole('button', { name: 'Lipa TSh 2,000' }).click()
      await payer.getByRole('alert').waitFor()
      assert.equal(await payer.getByLabel('Kinywaji chako').inputValue(), 'Kahawa')
      assert.equal(await payer.getByLabel('Namba ya meza').getAttribute('aria-invalid'), 'true')
      if (isScripted) {
        assert.deepEqual(await accessibilityProblems(payer), [])
        assert.equal(await overflows(payer), false)
        await keepPicture(payer, 'checkout-fields-error-360')
      }
      await payer.getByLabel('Namba ya meza').fill('7')
      await payer.getByRole('button', { name: 'Lipa TSh 2,000' }).click()
      await payer.waitForURL(/pay_/)
      await app.settled(/pay_[0-9a-z]{26}/.exec(payer.url())![0])
      await context.close()
    })
  }

  await t.test('[D6] a payment shows what the payer gave, and its number on request', async () => {
    await tab.goto(`${path}/payments?q=Neema`)
    await tab.getByText('Namba ya meza: 7 · Kinywaji chako: Kahawa').waitFor()
    await looksRightEverywhere(tab, 'payments-fields', () => tab.getByText('Namba ya meza: 7', { exact: false }).waitFor())
    await tab.getByRole('link', { name: 'Neema Joseph' }).click()
    await tab.getByText('Kahawa').waitFor()
    assert.ok(!(await tab.content()).includes('0754 000 789'))
    await tab.getByRole('button', { name: 'Show number: Neema Joseph' }).click()
    await tab.getByText('0754 000 789').waitFor()
    assert.equal(await tab.getByRole('link', { name: 'Call 0754 000 789' }).getAttribute('href'), 'tel:+255754000789')
    await tab.getByRole('button', { name: 'Copy: Phone number' }).waitFor()
    assert.deepEqual(await accessibilityProblems(tab), [])
    await keepPicture(tab, 'payment-number-shown')
  })

  await t.test(
    '[D33] customers are listed with totals, found by name and number, and each with the payments of the phone',
    async () => {
      await tab.goto(`${path}/payments/customers`)
      await tab.getByRole('link', { name: 'Neema Joseph' }).waitFor()
      await looksRightEverywhere(tab, 'customers', () => tab.getByRole('link', { name: 'Neema Joseph' }).waitFor())
      const search = tab.getByRole('searchbox', { name: 'Search by name or number' })
      await search.fill('0754 000 789')
      await tab.getByRole('link', { name: 'Baraka Ally' }).waitFor({ state: 'detached' })
      await search.fill('nobody')
      await tab.getByText('No one found').waitFor()
      await search.fill('neema')
      await tab.getByRole('link', { name: 'Neema Joseph' }).click()
      await tab.getByRole('heading', { level: 1, name: 'Neema Joseph' }).waitFor()
      await tab.getByRole('link', { name: 'Mgahawa wa Asha' }).waitFor()
      await looksRightEverywhere(tab, 'customer', () => tab.getByRole('link', { name: 'Mgahawa wa Asha' }).waitFor())
      await tab.getByRole('button', { name: 'Show number: Neema Joseph' }).click()
      await tab.getByRole('link', { name: 'Call 0754 000 789' }).waitFor()
      await tab.goto(`${path}/team/activity`)
      await tab.getByText('looked at the phone number of a payer').first().waitFor()
      assert.equal(await tab.getByText('looked at the phone number of a payer').count(), 2)
    },
  )

  await t.test('[D33] a cashier sees payments without the list of customers and without the button', async () => {
    const cashier = await newMember(app, owner, businessId, 'cashier')
    const till = await signedInTab({ browser, app }, cashier as never)
    till.setDefaultTimeout(12_000)
    await till.goto(`${path}/payments?q=Neema`)
    await till.getByRole('link', { name: 'Neema Joseph' }).click()
    await till.getByText('Kahawa').waitFor()
    assert.equal(await till.getByRole('button', { name: 'Show the number' }).count(), 0)
    assert.equal(await till.getByRole('link', { name: 'Customers' }).count(), 0)
    assert.deepEqual(till.problems, [])
  })

  assert.deepEqual(tab.problems, [])
})
