/** The operators' home: each count of open work equals the rows of the list behind its link, and each queue says how long it waits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { ask, paidStudent } from '../fixtures/payouts.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { report } from '../fixtures/support.ts'
import { startTestApp } from '../app.ts'
import { fillQueue } from '../fill-queue.ts'
import { submitKyc, submittedBusiness } from '../onboarding.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, operatorTab, type Tab } from './dashboard.ts'

/** Opens the list behind a link of home. */
async function openList(tab: Tab, link: Locator): Promise<void> {
  await link.click()
  // Home has tables too, and stays until the screen of the list is loaded.
  await tab.getByRole('region', { name: 'The books' }).waitFor({ state: 'detached' })
}

/** The rows of the open list, over all its pages. */
async function countRows(tab: Tab): Promise<number> {
  const main = tab.getByRole('main')
  let rows = 0
  for (;;) {
    // A list without rows says so instead of showing a table.
    await main.locator('table tbody tr').or(main.getByText('Nothing is stuck')).first().waitFor()
    rows += await main.locator('table tbody tr').count()
    const older = tab.getByRole('button', { name: 'Older' })
    if ((await older.count()) === 0 || (await older.first().isDisabled())) return rows
    // The rows of this page stay until those of the next are loaded.
    const first = await main.locator('table tbody a').first().getAttribute('href')
    await older.first().click()
    await main.locator(`table tbody a[href="${first}"]`).waitFor({ state: 'detached' })
  }
}

test('[A1] every count on home equals the list behind it, with the age of the oldest entry', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '3000' } })
  const browser = await startBrowser(t)
  const admin = await app.admin()

  // Reviews: a business, and more people than one page has; two are overdue.
  await submittedBusiness(app, { legal_name: 'Kwanza Traders Limited' })
  const person = await app.student({ verified: false })
  assert.equal((await submitKyc(app, person)).status, 200)
  // 59 × 49 minutes is more than 48 hours, and 58 × 49 minutes is less.
  await fillQueue(app, person.email, 60, 49)

  // Payments: one is unknown for two hours; one was just accepted by the provider and waits for its payer.
  const page = await app.page(await app.student(), { amount: 2500 })
  const unknown = (await app.checkout(page.slug, { phone_number: '+255754123456' })).body.data.reference
  await app.checkout(page.slug, { phone_number: '+255754123457' })
  await app.owner.pool.query(
    `update provider_charges set state = 'unknown', provider_reference = null, next_attempt_at = now() where payment_id = $1`,
    [fromWire('pay', unknown)],
  )
  await app.owner.pool.query(`update payments set created_at = created_at - interval '2 hours' where id = $1`, [
    fromWire('pay', unknown),
  ])

  // Breaks: one payment for which the provider has another amount.
  const differing = (await app.checkout((await app.page(await app.student())).slug, { phone_number: '0754123189' })).body.data
  await app.settled(differing.reference, ['processing'])

  // Payouts: two wait for an operator; the merchant has cancelled a third.
  const merchant = await paidStudent(app)
  const payouts: string[] = []
  for (const amount of [12_000, 13_000, 14_000]) {
    const { status, body } = await ask(app, merchant.key, { amount }, String(amount))
    assert.equal(status, 201, JSON.stringify(body))
    payouts.push(body.data.id)
  }
  const cancelled = await app.call('POST', `/v1/payouts/${payouts[2]}/cancel`, { key: merchant.key, body: {} })
  assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body))

  // Support cases: two with proof wait for an operator, each a row of its own; the machine still asks the provider about a third.
  for (const number of ['S46121174212', 'S46121174213', 'S46121174214']) await report(app, unknown, number)
  await app.owner.pool.query(`
    update support_cases set has_proof = true, state = 'with_operators', escalated_because = 'not_found', escalated_at = now(), next_attempt_at = null
    where sms_number <> 'S46121174214'`)

  // One payout, one case and the break are a minute overdue; the others of their queues are not.
  await app.owner.pool.query(`
    update payouts set created_at = now() - interval '24 hours 1 minute' where id = '${fromWire('po', payouts[0]!)}';
    update payouts set created_at = now() - interval '23 hours 58 minutes' where id = '${fromWire('po', payouts[1]!)}';
    update support_cases set escalated_at = now() - interval '4 hours 1 minute' where sms_number = 'S46121174212';
    update support_cases set escalated_at = now() - interval '3 hours 58 minutes' where sms_number = 'S46121174213';
    update breaks set opened_at = now() - interval '24 hours 1 minute'`)

  const tab = await operatorTab({ browser, app }, admin)
  const expected: [title: string, count: number][] = [
    ['Businesses to review', 1],
    ['People to review', 61],
    ['Stuck payments', 1],
    ['Support cases', 2],
    ['Open breaks', 1],
    ['Payouts to approve', 2],
  ]
  for (const [title, count] of expected) {
    await tab.goto('/admin/')
    const card = tab.getByRole('region', { name: title })
    await card.getByText(String(count), { exact: true }).waitFor()
    await card.getByText('The oldest has waited:').waitFor()
    await openList(tab, card.getByRole('link', { name: title }))
    assert.equal(await countRows(tab), count, title)
  }

  await tab.goto('/admin/')
  await tab.getByRole('region', { name: 'Stuck payments' }).getByText('2 h · overdue').waitFor()
  const people = tab.getByRole('region', { name: 'People to review' })
  await openList(tab, people.getByRole('link', { name: '2 overdue' }))
  assert.equal(await countRows(tab), 2)
  // Overdue is said on home, above the list and in the row, and of no row that has waited less.
  const [aDay, lessThanADay] = ['1 d', '23 h 58 min']
  for (const [title, rows, overdue, waited] of [
    ['Support cases', 2, '4 h 1 min', '3 h 58 min'],
    ['Open breaks', 1, aDay, lessThanADay],
    ['Payouts to approve', 2, aDay, lessThanADay],
  ] as const) {
    await tab.goto('/admin/')
    const card = tab.getByRole('region', { name: title })
    await card.getByText(`${overdue} · overdue`).waitFor()
    await openList(tab, card.getByRole('link', { name: title }))
    await tab.getByRole('status').getByText(`${overdue} · overdue`).waitFor()
    const table = tab.getByRole('main').locator('table')
    await table.getByText(`${overdue} · overdue`).waitFor()
    assert.equal(await table.getByText('overdue').count(), 1, title)
    assert.equal(await table.getByText(waited, { exact: true }).count(), rows - 1, title)
  }
  await tab.goto('/admin/stuck')
  await tab.getByRole('status').getByText('1 waiting.').waitFor()
  await tab.getByRole('main').locator('table').getByText('2 h · overdue').waitFor()
  await tab.goto('/admin/payouts')
  await tab.getByRole('status').getByText('The oldest has waited:').waitFor()
  await looksRightEverywhere(tab, 'open-work-payouts', () => tab.getByText('2 waiting.').waitFor())
  await tab.goto('/admin/')
  await looksRightEverywhere(tab, 'open-work-home', () =>
    tab.getByText('Open work').or(tab.getByText('Kinachosubiri mtu')).first().waitFor(),
  )
  assert.deepEqual(tab.problems, [])
})
