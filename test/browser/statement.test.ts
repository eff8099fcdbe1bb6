/** The statement of a month and the search over everything, in a real Chromium. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { seedHistory } from '../fixtures/history.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'

const money = (amount: number): string => `${amount < 0 ? '−' : ''}TSh\u00a0${Math.abs(amount).toLocaleString('en')}`

/** A month in Dar es Salaam time, `2026-09`. */
function monthsAgo(count: number): string {
  const now = new Date(Date.now() + 3 * 3_600_000)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count)).toISOString().slice(0, 7)
}

test('a merchant reads statements and searches', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const everyone = { browser, app }
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { title: 'Chai ya asubuhi', amount: 40_000 })
  const id = fromWire('usr', student.userId)
  await app.owner.pool.query('update merchants set created_at = $1 where id = $2', [`${monthsAgo(2)}-20T06:00:00Z`, id])
  await seedHistory(app, page.id, { count: 60, amount: 1000, firstAt: `${monthsAgo(1)}-05T06:00:00.000Z`, everySeconds: 60 })
  const { reference } = (await app.checkout(page.slug, { customer_name: 'Neema Kimaro' })).body.data
  await app.settled(reference)
  const payout = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.equal(payout.status, 201, JSON.stringify(payout.body))
  const { id: payoutId } = payout.body.data
  await eventually('the payout has ended', async () => {
    const { body } = await app.call('GET', `/v1/payouts/${payoutId}`, { key })
    return body.data.status === 'completed'
  })
  const address = '/dashboard/me/test/statement'
  const readStatement = async (month: string) =>
    (await app.call('GET', `/v1/merchant/statement?environment=test&month=${month}`, student)).body.data

  await t.test('[D10] a month opens with the closing balance of the previous one, and both match the wallet', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(address)
    const now = await readStatement(monthsAgo(0))
    const { available } = (await app.call('GET', '/v1/merchant/balance?environment=test', student)).body.data
    assert.equal(now.closing_balance, available)
    const shownAs = (name: string) =>
      tab.locator('main p', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::p[1]')
    await shownAs('Closing balance').getByText(money(available)).waitFor()
    assert.equal(await shownAs('Opening balance').innerText(), money(60_000))
    assert.equal(await shownAs('Came in').innerText(), money(now.total_credits))
    assert.equal(await shownAs('Went out').innerText(), money(-now.total_debits))

    await tab.getByRole('button', { name: 'The month before' }).click()
    await shownAs('Closing balance').getByText(money(60_000)).waitFor()
    assert.match(tab.url(), new RegExp(`month=${monthsAgo(1)}`))
    await tab.getByText('The month is closed').waitFor()
    assert.equal(await shownAs('Opening balance').innerText(), money(0))
    await tab.getByRole('button', { name: 'Older' }).click()
    await eventually('the rest of 60 lines', async () => (await tab.locator('main a[href*="/payments/pay_"]').count()) === 10)
    await tab.getByLabel('Month', { exact: true }).selectOption(monthsAgo(2))
    await tab.getByText('No transactions in this month').waitFor()
    // The first month of the account is the last one to choose.
    assert.equal(await tab.getByRole('button', { name: 'The month before' }).isDisabled(), true)
    assert.equal(await tab.getByLabel('Month', { exact: true }).locator('option').count(), 3)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D10] every line links to its cause', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(address)
    const lines = tab.getByRole('table', { name: 'Lines' }).locator('tbody tr')
    await lines.first().waitFor()
    const { data } = (
      await app.call(
        'GET',
        `/v1/merchant/transactions?environment=test&direction=all&created_from=${(await readStatement(monthsAgo(0))).from}`,
        student,
      )
    ).body
    const ways = await lines.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    assert.deepEqual(
      ways,
      data.map((line: { payout_id: string | null; reference: string | null }) =>
        line.payout_id === null
          ? `/dashboard/me/test/payments/${line.reference}`
          : `/dashboard/me/test/payouts/${line.payout_id}`,
      ),
    )
    assert.ok(ways.includes(`/dashboard/me/test/payouts/${payoutId}`))
    await lines.filter({ hasText: 'Neema Kimaro' }).getByRole('link').click()
    await tab.getByRole('heading', { name: `Payment of ${money(40_000)}` }).waitFor()
    await tab.context().close()
  })

  await t.test('[D10, D15] on a small phone a line of the statement takes at most three lines, in both languages', async () => {
    for (const language of ['sw', 'en'] as const) {
      const tab = await signedInTab(everyone, student, { size: 'phone', language })
      await tab.goto(address)
      const row = tab.getByRole('listitem').filter({ hasText: 'Neema Kimaro' })
      // Who paid, the numbers that both sides quote, the amount and the balance are all on it.
      for (const part of [/[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z] · \S+/, money(40_000), /(?:Salio|Balance)\s*TSh/])
        await row.getByText(part).first().waitFor()
      const heights = await tab
        .getByRole('list', { name: language === 'sw' ? 'Mistari' : 'Lines' })
        .getByRole('listitem')
        .evaluateAll((rows) => rows.map((one) => one.getBoundingClientRect().height))
      // A line of 20 px, two of 18, and the edge.
      assert.ok(heights.length >= 2 && Math.max(...heights) <= 62, `${language}: ${heights.join(', ')}`)
      await tab.context().close()
    }
  })

  await t.test('[D10] the month is saved as CSV and as PDF', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(`${address}?month=${monthsAgo(0)}`)
    const save = async (name: string) => {
      const [file] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name, exact: true }).click()])
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
    }
    const csv = await save('CSV')
    assert.equal(csv.name, `statement-${monthsAgo(0)}.csv`)
    const lines = csv.bytes.toString().trimEnd().split('\r\n').slice(1)
    assert.equal(lines.length, (await readStatement(monthsAgo(0))).transaction_count)
    assert.ok(lines.some((line) => line.includes(reference)))
    const pdf = await save('PDF')
    assert.equal(pdf.name, `statement-${monthsAgo(0)}.pdf`)
    assert.equal(pdf.bytes.subarray(0, 5).toString(), '%PDF-')
    await tab.context().close()
  })

  await t.test('[D11] Ctrl+K finds payments and pages by any known detail, by keyboard alone', async () => {
    const tab = await signedInTab(everyone, student)
    const loaded: string[] = []
    tab.on('request', (request) => loaded.push(request.url()))
    await tab.goto('/dashboard/me/test')
    await tab.getByRole('heading', { level: 1 }).waitFor()
    assert.ok(!loaded.some((url) => url.includes('search-dialog')), 'fetched when it is wanted')
    await tab.keyboard.press('Control+k')
    const field = tab.getByRole('combobox', { name: /Reference, code/ })
    await field.waitFor()
    assert.ok(loaded.some((url) => url.includes('search-dialog')))
    await tab.keyboard.type('neema')
    await tab.getByRole('option', { name: /Neema Kimaro/ }).waitFor()
    await tab.keyboard.press('Enter')
    await tab.waitForURL(`**/payments/${reference}`)

    await tab.keyboard.press('Control+k')
    await field.fill('chai')
    await tab.getByRole('option', { name: /Chai ya asubuhi/ }).waitFor()
    await tab.keyboard.press('Enter')
    await tab.waitForURL(`**/pages/${page.id}`)

    await tab.getByRole('button', { name: /Search/ }).click()
    await field.fill(reference)
    await tab.getByRole('option', { name: /Neema Kimaro/ }).waitFor()
    await field.fill('statement')
    await tab.getByRole('option', { name: 'Statement' }).waitFor()
    await tab.getByText('1 found').waitFor()
    await tab.keyboard.press('ArrowDown')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { level: 1, name: 'Statement' }).waitFor()
    await tab.keyboard.press('Control+k')
    await field.fill('hakuna kitu kama hiki')
    await tab.getByText('0 found').waitFor()
    await tab.keyboard.press('Escape')
    await field.waitFor({ state: 'hidden' })
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D48] the statement by mail is set up in the statement, and stopped with one click', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(address)
    const card = tab.getByRole('region', { name: 'Statement by mail' })
    await card.getByText('Get a summary every day, week or month.').waitFor()
    await card.getByRole('button', { name: 'Set up' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Statement by mail' })
    await dialog.getByText(student.email).waitFor()
    await dialog.getByLabel('Every Monday, for the week before').check()
    await dialog.getByRole('combobox', { name: 'Language of the mail' }).selectOption('Kiswahili')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await card.getByText(`Every Monday to ${student.email}. Next: `).waitFor()
    const chosen = async () => (await app.call('GET', '/v1/merchant/statement-mail?environment=test', student)).body.data
    const { frequency, language, next_on } = await chosen()
    assert.deepEqual([frequency, language, new Date(next_on).getUTCDay()], ['weekly', 'sw', 1])
    await card.getByRole('button', { name: 'Stop' }).click()
    await card.getByText('Get a summary every day, week or month.').waitFor()
    assert.equal((await chosen()).frequency, null)
    assert.equal(await card.getByRole('button', { name: 'Set up' }).evaluate((node) => node.matches(':focus')), true)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D15] the statement and the search fit at every width, in light and dark', async () => {
    const tab = await signedInTab(everyone, student, { language: 'sw' })
    await tab.goto(address)
    await looksRightEverywhere(tab, 'statement', () => tab.getByText('Neema Kimaro').waitFor())
    await looksRightEverywhere(tab, 'statement-mail', async () => {
      await tab.getByRole('button', { name: 'Anzisha' }).click()
      await tab.getByRole('dialog').getByRole('button', { name: 'Hifadhi' }).waitFor()
    })
    await looksRightEverywhere(tab, 'search', async () => {
      await tab.getByText('Neema Kimaro').first().waitFor()
      await tab.keyboard.press('Control+k')
      await tab.getByRole('combobox', { name: /simu/ }).fill('neema')
      await tab.getByRole('option', { name: /Neema Kimaro/ }).waitFor()
    })
    await tab.context().close()
  })
})
