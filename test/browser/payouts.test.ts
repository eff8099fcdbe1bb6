/**
 * Payouts from a wallet in a real Chromium: filled in, confirmed in words, authenticated, followed to their end, and returned if
 * they did not arrive.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { paidStudent, short } from '../fixtures/payouts.ts'
import { registerBusiness } from '../onboarding.ts'
import { eventually, startTestApp, type TestApp } from '../app.ts'
import { accessibilityProblems, overflows, startBrowser } from './browser.ts'
import { looksRightEverywhere, pressTwice, signedInTab } from './dashboard.ts'

type Wanted = { amount: string; phone: string; name?: string }

async function fill(tab: Page, { amount, phone, name = 'Asha Mushi' }: Wanted): Promise<void> {
  await tab.getByLabel('Amount').fill(amount)
  await tab.getByLabel('Mobile money number').fill(phone)
  await tab.getByLabel('Name of the recipient').fill(name)
}

/** The form for a payout, without what an earlier test has typed. */
async function openEmpty(tab: Page, address: string): Promise<void> {
  await tab.evaluate('sessionStorage.clear()')
  await tab.goto(address)
}

const payoutsAtProvider = async (app: TestApp): Promise<number> => (await app.truth()).payouts.length

test('a merchant pays out', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await paidStudent(app)
  const everyone = { browser, app }
  const tab = await signedInTab(everyone, student)
  tab.setDefaultTimeout(12_000)
  const list = '/dashboard/me/test/payouts'
  const history = tab.getByRole('list', { name: 'History' })

  await t.test('[D9] the form shows the wallet’s balance, and does not send a request for more', async () => {
    await tab.goto(list)
    await tab.getByText('No payouts yet').waitFor()
    await tab.getByText('TSh 100,000').waitFor()
    await looksRightEverywhere(tab, 'payouts-none', () => tab.getByText('TSh 100,000').waitFor())
    await tab.getByRole('link', { name: 'Pay out' }).first().click()
    await tab.getByText('You can pay out TSh 100,000.').waitFor()
    await fill(tab, { amount: '100', phone: '0754 000 123' })
    await tab.locator('[aria-invalid=true]').waitFor()
    await tab.getByLabel('Amount').fill('100000')
    await tab.getByText('The wallet does not have enough for the amount and the fee.').waitFor()
    await tab.getByRole('button', { name: 'Check' }).click()
    assert.equal(await tab.getByRole('heading', { name: 'Is this right?' }).count(), 0)
    await looksRightEverywhere(tab, 'payout-new', () => tab.getByText('You can pay out').waitFor())
  })

  await t.test(
    '[D9] the recipient and the amount are confirmed, in figures and in words of both languages, and the user authenticates again',
    async () => {
      await fill(tab, { amount: '25000', phone: '12345' })
      await tab.getByRole('button', { name: 'Check' }).click()
      // Authentication is requested only for an old session; here the session is old enough.
      await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour'`)
      await tab.getByRole('button', { name: 'Pay TSh 25,000' }).click()
      const proof = tab.getByRole('dialog', { name: 'Verify that it is you' })
      await proof.getByRole('textbox', { name: 'Password' }).fill(student.password)
      await proof.getByRole('button', { name: 'Continue' }).click()
      // The number belongs to no wallet: the field says so, and all typed text is still there.
      await tab.locator('[aria-invalid=true]').waitFor()
      const focused = await tab.evaluate<string>('document.activeElement.labels[0].textContent')
      assert.equal(focused, 'Mobile money number', 'the first wrong field has the focus')
      assert.equal(await tab.getByLabel('Name of the recipient').inputValue(), 'Asha Mushi')
      assert.equal(await payoutsAtProvider(app), 0)
      await tab.getByLabel('Mobile money number').fill('0754 000 123')
      await tab.getByLabel('Your reference').fill('R-7')
      await tab.getByRole('button', { name: 'Check' }).click()
      const heading = tab.getByRole('heading', { name: 'Is this right?' })
      await heading.waitFor()
      assert.equal(await heading.evaluate((node) => node === node.ownerDocument.activeElement), true)
      await tab.getByText('Shilingi elfu ishirini na tano', { exact: true }).waitFor()
      await tab.getByText('Twenty-five thousand shillings', { exact: true }).waitFor()
      for (const part of ['Asha Mushi', '0754 000 123', 'M-Pesa', 'R-7', 'TSh 25,000'])
        await tab.getByText(part, { exact: true }).first().waitFor()
      await tab.getByText('Total debit').waitFor()
      // Pressed twice, it is one payout.
      await pressTwice(tab.getByRole('button', { name: 'Pay TSh 25,000' }))
      await tab.waitForURL(/\/payouts\/po_\w{26}$/)
      await tab.getByText('Completed').first().waitFor({ timeout: 15_000 })
      await history.getByText('Arrived').waitFor()
      assert.equal(await tab.getByRole('status').filter({ hasText: 'Arrived' }).count(), 1, 'a screen reader announces it')
      const [payout, ...more] = (await app.truth()).payouts
      assert.deepEqual([more.length, payout.amount], [0, 25_000])
      const read = (await app.call('GET', '/v1/payouts', { key: student.key })).body.data
      assert.deepEqual([read.length, read[0].reference, read[0].recipient_name], [1, 'R-7', 'Asha Mushi'])
      await history.getByText('TSh 25,000 debited').waitFor()
      await looksRightEverywhere(tab, 'payout', () => history.getByText('Arrived').waitFor())
    },
  )

  await t.test('[D9] a failed payout shows the reason, and that everything is back in the wallet', async () => {
    await tab.goto(`${list}/new`)
    await fill(tab, { amount: '20000', phone: '0754000089' })
    await tab.getByRole('button', { name: 'Check' }).click()
    await tab.getByRole('button', { name: 'Pay TSh 20,000' }).click()
    await tab.getByText('This number has no mobile money account.').waitFor({ timeout: 15_000 })
    const [{ id }] = (await app.call('GET', '/v1/payouts', { key: student.key })).body.data
    const { data } = (await app.call('GET', `/v1/payouts/${id}`, { key: student.key })).body
    const back = data.timeline.find(({ kind }: { kind?: string }) => kind === 'payout_reversal')
    await tab.getByText(`We returned TSh ${back.amount.toLocaleString('en')} to the wallet`).waitFor()
    await tab.getByText(`The balance was then TSh ${back.balance_after.toLocaleString('en')}.`).waitFor()
    await looksRightEverywhere(tab, 'payout-failed', () => tab.getByText(/We returned TSh\s.* to the wallet/).waitFor())
  })

  await t.test('[D9] an answer that is lost leaves no doubt: after a retry, it is paid once', async () => {
    await tab.goto(`${list}/new`)
    await fill(tab, { amount: '5000', phone: '0754000123', name: 'Baraka Juma' })
    await tab.getByRole('button', { name: 'Check' }).click()
    let lost = 0
    await tab.route('**/v1/merchant/payouts?*', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue()
      lost += 1
      await route.fetch()
      return route.abort('connectionreset')
    })
    await tab.getByRole('button', { name: 'Pay TSh 5,000' }).click()
    await tab.getByText('We do not know yet whether it was sent').waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Change' }).count(), 0)
    await looksRightHere(tab)
    // Neither a reload nor another screen in between makes it another payout.
    await tab.reload()
    await tab.getByText('We do not know yet whether it was sent').waitFor()
    await looksRightEverywhere(tab, 'payout-unsure', () => tab.getByText('We do not know yet whether it was sent').waitFor())
    await tab.getByRole('link', { name: 'See the payouts' }).click()
    await tab.getByRole('link', { name: 'Pay out' }).first().click()
    await tab.getByRole('button', { name: 'Try again' }).click()
    await tab.waitForURL(/\/payouts\/po_\w{26}$/)
    const { data } = (await app.call('GET', '/v1/payouts', { key: student.key })).body
    assert.equal(data.filter(({ recipient_name }: { recipient_name: string }) => recipient_name === 'Baraka Juma').length, 1)
    await tab.unroute('**/v1/merchant/payouts?*')
  })

  await t.test('[D9] an answer that a proxy replaces by a time to try again is as unsure: it is paid once', async () => {
    await openEmpty(tab, `${list}/new`)
    await fill(tab, { amount: '5500', phone: '0754000123', name: 'Salma Omari' })
    await tab.getByRole('button', { name: 'Check' }).click()
    const error = { code: 'overloaded', message: 'The service did not answer.', message_sw: 'Huduma haikujibu.' }
    const answers = [503, 429]
    await tab.route('**/v1/merchant/payouts?*', async (route) => {
      const status = route.request().method() === 'POST' ? answers.shift() : undefined
      if (status === undefined) return route.continue()
      if (status === 503) await route.fetch()
      const code = status === 503 ? 'overloaded' : 'rate_limited'
      return route.fulfill({ status, headers: { 'retry-after': '2' }, json: { error: { ...error, code } } })
    })
    await tab.getByRole('button', { name: 'Pay TSh 5,500' }).click()
    for (const left of [1, 0]) {
      await tab.getByText('We do not know yet whether it was sent').waitFor()
      assert.equal(answers.length, left)
      await tab.getByRole('button', { name: 'Try again' }).click()
    }
    await tab.waitForURL(/\/payouts\/po_\w{26}$/)
    const { data } = (await app.call('GET', '/v1/payouts', { key: student.key })).body
    assert.equal(data.filter(({ recipient_name }: { recipient_name: string }) => recipient_name === 'Salma Omari').length, 1)
    await tab.unroute('**/v1/merchant/payouts?*')
  })

  await t.test(
    '[D9] what was typed outlives the screen and a reload, and the same payout again is asked about first [R11]',
    async () => {
      const wanted = { amount: '6000', phone: '0754 000 123', name: 'Rehema Ali' }
      const typed = () =>
        Promise.all(['Amount', 'Mobile money number', 'Name of the recipient'].map((label) => tab.getByLabel(label).inputValue()))
      const paid = async () => {
        const { data } = (await app.call('GET', '/v1/payouts', { key: student.key })).body
        return data.filter(({ recipient_name }: { recipient_name: string }) => recipient_name === wanted.name).length
      }
      await tab.goto(`${list}/new`)
      await fill(tab, wanted)
      await tab.getByRole('link', { name: 'Payouts' }).last().click()
      await tab.getByRole('link', { name: 'Pay out' }).first().click()
      assert.deepEqual(await typed(), ['6,000', wanted.phone, wanted.name])
      await tab.reload()
      await tab.getByText('You can pay out').waitFor()
      assert.deepEqual(await typed(), ['6,000', wanted.phone, wanted.name])
      await tab.getByRole('button', { name: 'Check' }).click()
      await tab.getByRole('button', { name: 'Pay TSh 6,000' }).click()
      await tab.waitForURL(/\/payouts\/po_\w{26}$/)

      // Typed again at once, as after an interruption.
      await tab.getByRole('link', { name: 'Payouts' }).last().click()
      await tab.getByRole('link', { name: 'Pay out' }).first().click()
      assert.deepEqual(await typed(), ['', '', ''], 'the payout has ended')
      await fill(tab, wanted)
      await tab.getByRole('button', { name: 'Check' }).click()
      const question = tab.getByRole('alert').filter({ hasText: 'Pay again?' })
      await question.getByText(/You already paid 0754 000 123 TSh\s6,000 (now|\d+ minutes? ago)\./).waitFor()
      assert.equal(await tab.getByRole('button', { name: 'Pay TSh 6,000', exact: true }).count(), 0)
      assert.equal(await paid(), 1)
      await looksRightEverywhere(tab, 'payout-again', async () => {
        await tab.getByRole('button', { name: 'Check' }).click()
        await question.waitFor()
      })
      await question.getByRole('link', { name: 'See that payout' }).click()
      await tab.getByRole('heading', { name: 'TSh 6,000 to Rehema Ali' }).waitFor()
      await tab.goBack()
      await tab.getByRole('button', { name: 'Check' }).click()
      await pressTwice(tab.getByRole('button', { name: 'Pay TSh 6,000 again' }))
      await tab.waitForURL(/\/payouts\/po_\w{26}$/)
      assert.equal(await paid(), 2)
      // Another amount is another payout.
      await tab.goto(`${list}/new`)
      await fill(tab, { ...wanted, amount: '6001' })
      await tab.getByRole('button', { name: 'Check' }).click()
      await tab.getByRole('button', { name: 'Pay TSh 6,001', exact: true }).waitFor()
      assert.equal(await question.count(), 0)
    },
  )

  await t.test('[D9] a payout is sent only after its cost was shown', async () => {
    await openEmpty(tab, `${list}/new`)
    await tab.route('**/payouts/fee?*', (route) => route.fulfill({ status: 503, json: {} }))
    await fill(tab, { amount: '5000', phone: '0754000123' })
    await tab.getByRole('button', { name: 'Check' }).click()
    const pay = tab.getByRole('button', { name: 'Pay TSh 5,000' })
    await tab.getByRole('button', { name: 'Try again' }).waitFor()
    assert.equal(await pay.isDisabled(), true)
    await tab.unroute('**/payouts/fee?*')
    await tab.getByRole('button', { name: 'Try again' }).click()
    await tab.getByText('Total debit').waitFor()
    assert.equal(await pay.isDisabled(), false)
  })

  await t.test('[D9, D15] the keyboard alone is enough to pay', async () => {
    await openEmpty(tab, `${list}/new`)
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => tab.keyboard.press(key)), Promise.resolve())
    const type = (text: string) => tab.keyboard.type(text)
    await tab.getByText('You can pay out').waitFor()
    // A busy machine shows the form before it has the focus.
    await tab.locator('input:focus').waitFor()
    await type('5000')
    await press('Tab')
    await type('0754000124')
    await press('Tab')
    await type('Halima Said')
    await tab.getByText('Total debit').waitFor()
    await press('Enter')
    const question = tab.getByRole('heading', { name: 'Is this right?' })
    await eventually('the question has the focus', () => question.evaluate((node) => node.matches(':focus')))
    // Past the back link.
    await press('Tab', 'Tab', 'Enter')
    await tab.getByRole('heading', { name: 'TSh 5,000 to Halima Said' }).waitFor()
  })

  await t.test('[D9] without a connection nothing is sent, not even later', async () => {
    await openEmpty(tab, `${list}/new`)
    await fill(tab, { amount: '5000', phone: '0754000123', name: 'Unknown Recipient' })
    await tab.getByText('Total debit').waitFor()
    await tab.getByRole('button', { name: 'Check' }).click()
    await tab.context().setOffline(true)
    await tab.getByRole('button', { name: 'Pay TSh 5,000' }).click()
    await tab.getByText('We do not know yet whether it was sent').waitFor()
    await tab.context().setOffline(false)
    await tab.getByRole('link', { name: 'See the payouts' }).click()
    const table = tab.getByRole('table', { name: 'Payouts' })
    await table.getByRole('link', { name: 'Baraka Juma' }).waitFor()
    assert.equal(await table.getByRole('link', { name: 'Unknown Recipient' }).count(), 0)
  })

  await t.test('[D9] while payouts are on hold the list says so and why, in both languages', async () => {
    await app.owner.pool.query(
      `insert into payout_freezes (home, merchant_id, environment, reason) select home, id, 'test', 'books' from merchants`,
    )
    await tab.goto(list)
    const notice = tab.getByRole('alert').filter({ hasText: 'Payouts are on hold' })
    await notice.getByText('Our operators are checking the account. Contact support.').waitFor()
    await looksRightEverywhere(tab, 'payouts-on-hold', () => tab.getByRole('alert').waitFor())
    await app.owner.pool.query('delete from payout_freezes')
    await tab.goto(list)
    await tab.getByRole('link', { name: 'Baraka Juma' }).waitFor()
    assert.equal(await notice.count(), 0)
  })

  await t.test('[D9] a payout that waits can be cancelled, and the list is filtered by state', async () => {
    const admin = await app.admin()
    const turn = (state: 'on' | 'off') =>
      app.call('PUT', '/v1/admin/switches/test.payouts.airtel', {
        token: admin.token,
        body: { state, reason: 'Airtel rests.' },
      })
    assert.equal(short(await turn('off')), '200')
    const held = await app.call('POST', '/v1/payouts', {
      key: student.key,
      headers: { 'idempotency-key': 'held' },
      body: { amount: 5000, phone_number: '+255784000123', recipient_name: 'Neema Kimaro' },
    })
    assert.equal(short(held), '201', JSON.stringify(held.body))
    await tab.goto(list)
    await tab.getByRole('link', { name: 'Neema Kimaro' }).click()
    await tab.getByRole('button', { name: 'Cancel the payout' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel the payout' }).click()
    await history.getByText('Cancelled before it was sent').waitFor()
    await tab.getByText(/We returned TSh\s.* to the wallet/).waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Cancel the payout' }).count(), 0)
    await tab.getByRole('link', { name: 'Payouts' }).last().click()
    await tab.getByRole('button', { name: 'Filters', exact: true }).click()
    await tab.getByLabel('Status').selectOption('cancelled')
    await tab.waitForURL(/status=cancelled/)
    const names = tab.getByRole('table', { name: 'Payouts' }).getByRole('link')
    await eventually('only that one', async () => JSON.stringify(await names.allTextContents()) === '["Neema Kimaro"]')
    await looksRightEverywhere(tab, 'payouts', () => tab.getByText('Neema Kimaro').waitFor())
    await turn('on')
  })

  await t.test('[D9] an unverified user sees why payouts are closed, and where to change that', async () => {
    const business = await registerBusiness(app, student)
    await tab.goto(`/dashboard/${business.id}/live/payouts`)
    await tab.getByText('Payouts are not available yet').waitFor()
    await tab.getByText('The business is not verified yet. See the open steps.').waitFor()
    assert.equal(await tab.getByRole('link', { name: 'Pay out' }).count(), 0)
    assert.equal(
      await tab.getByRole('link', { name: 'To verification' }).getAttribute('href'),
      `/dashboard/${business.id}/live/verification`,
    )
    await looksRightEverywhere(tab, 'payouts-barred', () => tab.getByText('Payouts are not available yet').waitFor())
    await tab.goto(`/dashboard/${business.id}/live/payouts/new`)
    await tab.getByText('Payouts are not available yet').waitFor()
    assert.equal(await tab.getByLabel('Amount').count(), 0)
  })

  await t.test('[D15] the confirmation of a payout fits at every width, and is readable in Swahili', async () => {
    await openEmpty(tab, `${list}/new`)
    await looksRightEverywhere(tab, 'payout-check', async () => {
      await fill(tab, { amount: '25500', phone: '0754 000 123' })
      await tab.getByText('Total debit').waitFor()
      await tab.getByRole('button', { name: 'Check' }).click()
      await tab.getByRole('heading', { name: 'Is this right?' }).waitFor()
    })
    const swahili = await signedInTab(everyone, student, { language: 'sw' })
    const { data } = (await app.call('GET', '/v1/payouts', { key: student.key })).body
    const failed = data.find(({ status }: { status: string }) => status === 'failed')
    for (const [name, address, text] of [
      ['payouts', list, 'Neema Kimaro'],
      ['payout-failed', `${list}/${failed.id}`, 'Namba hii haina akaunti ya pesa za simu.'],
    ] as const) {
      await swahili.goto(address)
      await looksRightEverywhere(swahili, `${name}-sw`, () => swahili.getByText(text).first().waitFor())
    }
    await swahili.goto(`${list}/new`)
    await looksRightEverywhere(swahili, 'payout-new-sw', () => swahili.getByText('Unaweza kutuma').waitFor())
    await looksRightEverywhere(swahili, 'payout-check-sw', async () => {
      await swahili.getByLabel('Kiasi').fill('25500')
      await swahili.getByLabel('Namba ya simu ya kupokelea').fill('0754 000 123')
      await swahili.getByLabel('Jina la mpokeaji').fill('Asha Mushi')
      await swahili.getByText('Yanayotoka kwenye pochi').waitFor()
      await swahili.getByRole('button', { name: 'Hakiki' }).click()
      await swahili.getByText('Shilingi elfu ishirini na tano, na mia tano').waitFor()
    })
    assert.equal(await swahili.evaluate<string>('document.documentElement.lang'), 'sw')
    assert.deepEqual(swahili.problems, [])
  })
  assert.deepEqual(tab.problems, [])
})

/** Without a reload, which would open another form. */
async function looksRightHere(tab: Page): Promise<void> {
  assert.deepEqual([await accessibilityProblems(tab), await overflows(tab)], [[], false])
}
