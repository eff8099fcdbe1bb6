/** Operators' tasks in the console: stuck money, breaks, merchants, switches, the audit log, webhooks, payouts. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { ask, paidStudent } from '../fixtures/payouts.ts'
import { drive, reconcileToday } from '../fixtures/reconciliation.ts'
import { byCommandLine } from '../../server/base/audit/audit.ts'
import { markRestored } from '../../server/money/controls/mark-restored.ts'
import { createReconciler } from '../../server/assurance/reconciliation/reconcile.ts'
import { eventually, startTestApp, type Admin, type TestApp } from '../app.ts'
import { endTogether, startBrowser, wholeFile } from './browser.ts'
import { looksRightEverywhere, operatorTab, type Tab, type TabOptions } from './dashboard.ts'

let app: TestApp
let browser: Browser

const open = async (path: string, admin: Admin, options: TabOptions = {}): Promise<Tab> => {
  const tab = await operatorTab({ browser, app }, admin, options)
  await tab.goto(path)
  return tab
}

async function read(path: string, { token }: Admin): Promise<any> {
  const { status, body } = await app.call('GET', path, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** A payment of 1,500 for which the provider has another amount, with its break. */
async function differing(): Promise<string> {
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754123189' })).body.data
  await app.settled(reference, ['processing'])
  return reference
}

const heading = (tab: Tab, name: string) => tab.getByRole('heading', { level: 1, name })
const text = (tab: Tab, words: string | RegExp) => tab.getByText(words).filter({ visible: true }).first()

describe('operators work', () => {
  before(async () => {
    browser = await startBrowser(wholeFile)
    app = await startTestApp(wholeFile, {
      worker: true,
      settings: { PAYOUT_APPROVAL_ABOVE: '3000', WEBHOOK_RETRY_DELAYS_SECONDS: '3600,3600,3600,3600' },
    })
  })
  endTogether()

  test('[A6] stuck payments are listed by network and age, and the provider is queried at once', async () => {
    const admin = await app.admin()
    const student = await app.student()
    const page = await app.page(student, { amount: 2500, title: 'Kiingilio cha tamasha' })
    const { full_name: merchantName } = (await app.call('GET', '/v1/me', { token: student.token })).body.data
    await app.control('POST', '/hold', { webhooks: true })
    const { reference } = (await app.checkout(page.slug, { phone_number: '+255754000111', customer_name: 'Neema Juma' })).body
      .data
    const { charges } = await app.truth()
    const charge = charges.find((one: any) => one.amount === 2500)
    await app.owner.pool.query(
      `update provider_charges set next_attempt_at = now() + interval '1 hour' where provider_reference = $1`,
      [charge.reference],
    )
    const tab = await open('/admin/stuck?which=all', admin)
    const group = tab.getByRole('region', { name: 'M-Pesa · 1' })
    await group.getByRole('link', { name: reference }).waitFor()
    await group.getByText('accepted by the provider').waitFor()
    for (const words of ['Neema Juma', '0754 ••• 111', 'Kiingilio cha tamasha']) await group.getByText(words).waitFor()
    await group.getByRole('link', { name: merchantName, exact: true }).waitFor()
    assert.ok(!(await tab.content()).includes('754000111'), 'the whole number is not on the screen')
    await looksRightEverywhere(tab, 'stuck', () => tab.getByRole('link', { name: 'Neema Juma' }).waitFor())
    await tab.setViewportSize({ width: 360, height: 740 })
    const card = tab.getByRole('listitem').filter({ hasText: 'Neema Juma' })
    assert.ok((await card.boundingBox())!.height <= 96, 'four lines on a phone')
    await card.getByText(`…${reference.slice(-6)}`).waitFor()
    await tab.setViewportSize({ width: 1280, height: 800 })
    await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
    await tab.getByRole('link', { name: reference }).click()
    await heading(tab, 'Payment').waitFor()
    await tab.getByText('The provider is asked again').waitFor()
    const facts = tab.getByRole('region', { name: 'State' })
    for (const words of ['Neema Juma', '0754 ••• 111', `Kiingilio cha tamasha · ${page.slug}`])
      await facts.getByText(words).waitFor()
    await facts.getByRole('link', { name: merchantName, exact: true }).waitFor()
    await tab.getByText('Balances are never changed by hand').waitFor()
    await tab.getByRole('button', { name: 'Ask the provider now' }).click()
    await tab.getByText(/The provider has it: .*TSh\s2,500/).waitFor()
    const story = tab.getByRole('region', { name: 'What happened' })
    await story.getByText(/The payer asked to pay TSh\s2,500 on .* at \d\d:\d\d\./).waitFor()
    await story.getByText(/The wallet was credited once, on .*TSh\s2,500/).waitFor()
    await text(tab, 'None: the payment is final.').waitFor()
    await looksRightEverywhere(tab, 'payment', () => text(tab, 'Ledger transfers').waitFor())
    await app.control('POST', '/release', { webhooks: true })
    await tab.context().close()
  })

  test('[A6, A7] a break is resolved with evidence by two operators', async () => {
    const [first, second] = [await app.admin(), await app.admin()]
    const reference = await differing()
    const found = await eventually('the break is open', async () => {
      const breaks = await read('/v1/admin/breaks?status=open', first)
      return breaks.find((one: any) => one.payment_reference === reference)
    })
    const tab = await open('/admin/breaks', first)
    // The payment is named as people know it, in the list and in the break; its reference stays to copy.
    const { merchant, payer, page } = await read(`/v1/admin/payments/${reference}`, first)
    const name = `${merchant.name} · ${payer.name ?? payer.phone_masked} · ${page.title}`
    const row = tab.getByRole('row').filter({ hasText: reference })
    await row.getByText(name, { exact: true }).waitFor()
    await row.getByRole('link', { name: 'The provider reports another amount' }).click()
    const panel = tab.getByRole('region', { name: 'The provider reports another amount' })
    await panel.getByRole('link', { name }).waitFor()
    await panel.getByText(reference, { exact: true }).first().waitFor()
    const figure = (name: string) => panel.getByRole('region', { name, exact: true })
    const { ordered, amount } = found.evidence
    const tzs = (of: number) => `TSh ${Math.abs(of).toLocaleString('en')}`
    await figure('Expected').getByText(tzs(ordered)).waitFor()
    await figure('Reported').getByText(tzs(amount)).waitFor()
    await figure('Booked').getByText(tzs(amount)).waitFor()
    await figure('Difference')
      .getByText(`${amount < ordered ? '−' : ''}${tzs(amount - ordered)}`)
      .waitFor()
    await figure('Difference')
      .getByText(amount < ordered ? 'less than expected' : 'more than expected')
      .waitFor()
    // Each choice says what it moves; the return is below the minimum of the provider.
    await panel.getByText(`${tzs(amount)} from “Suspense” to “Wallet”`).waitFor()
    await panel.getByText(/Not possible now\. The minimum payout of the provider is/).waitFor()
    assert.doesNotMatch(await panel.innerText(), /[{}"]/, 'no JSON')
    await panel.getByLabel('Credit the merchant').check()
    assert.ok(await panel.getByRole('button', { name: 'Propose' }).isDisabled())
    await panel.getByLabel('Evidence').fill('Barua ya mtoa huduma, tiketi 7712.')
    await looksRight(tab)
    await panel.getByRole('button', { name: 'Propose' }).click()
    await panel.getByText('Another operator must confirm your proposal.').waitFor()
    assert.equal(await panel.getByRole('button', { name: /^Confirm/ }).count(), 0)

    const other = await open(`/admin/payments/${reference}`, second)
    await other.getByText('two operators must resolve the break below').waitFor()
    await other.getByText('tiketi 7712').waitFor()
    const proposed = other.getByRole('alert').filter({ hasText: 'tiketi 7712' })
    await proposed.getByText(`${tzs(amount)} from “Suspense” to “Wallet”`).waitFor()
    // By name; what this operator did, with the id, is one click away.
    const { full_name: proposer } = await read('/v1/me', first)
    await proposed.getByText(`Proposed by ${proposer}`).waitFor()
    const deeds = await proposed.getByRole('link', { name: proposer }).getAttribute('href')
    assert.equal(deeds, `/admin/audit?actor=${first.userId}`)
    await looksRightEverywhere(other, 'break', () => proposed.waitFor())
    await other.getByRole('button', { name: 'Confirm: Credit the merchant' }).click()
    await other.getByText('Resolved', { exact: true }).first().waitFor()
    const resolved = await read(`/v1/admin/breaks/${found.id}`, first)
    assert.deepEqual([resolved.status, resolved.resolution, resolved.resolved_by], ['resolved', 'credit_payment', second.userId])
    await tab.goto('/admin/breaks?status=resolved')
    await looksRightEverywhere(tab, 'breaks', () => text(tab, 'The provider reports another amount').waitFor())
    await other.context().close()
    await tab.context().close()
  })

  test('[A7, A10] in Swahili: money that only the provider knows, with what each choice moves; the charts and the switches', async () => {
    const admin = await app.admin()
    await app.control('POST', '/seed', {
      account: 'test',
      orders: [{ amount: 7_000, status: 'completed', phone: '255754000123' }],
    })
    await reconcileToday(app)
    const breaks = await read('/v1/admin/breaks?status=open&kind=unknown_at_provider', admin)
    const tab = await open(`/admin/breaks/${breaks[0].id}`, admin, { language: 'sw' })
    const panel = tab.getByRole('region', { name: 'Mtoa huduma ana malipo tusiyoyajua' })
    const figure = (name: string) => panel.getByRole('region', { name, exact: true })
    await figure('Kilichotarajiwa').getByText('TSh 0').waitFor()
    await figure('Kilichoripotiwa').getByText('TSh 7,000').waitFor()
    await figure('Kilichowekwa vitabuni').getByText('TSh 7,000').waitFor()
    await figure('Tofauti').getByText('zaidi ya ilivyotarajiwa').waitFor()
    await panel.getByText('M-Pesa').waitFor()
    await panel.getByText('TSh 7,000 kutoka “Zisizo na mwenyewe” kwenda “Zilizotengwa kurudishwa kwa walipaji”').waitFor()
    await panel.getByText('Hakuna pesa inayosogea.').waitFor()
    await panel.getByText('Haiwezekani kwa sasa.').waitFor()
    assert.doesNotMatch(await panel.innerText(), /[{}"]|unallocated/, 'no JSON and no English')
    assert.doesNotMatch(await panel.innerText(), /kwenda “Pochi”/, 'the wallet is not known before it is named')
    await looksRightEverywhere(tab, 'break-found-sw', () => figure('Kilichoripotiwa').waitFor())
    await tab.goto('/admin/')
    await looksRightEverywhere(tab, 'overview-sw', () => tab.getByRole('list', { name: 'Umri wa kilichosubiri zaidi' }).waitFor())
    // On a phone the six queues fit above the fold, and a switch takes at most two lines.
    await tab.setViewportSize({ width: 360, height: 640 })
    const queues = await tab.getByRole('region', { name: 'Kinachosubiri mtu' }).boundingBox()
    assert.ok(queues!.y + queues!.height <= 640, `the queues end at ${queues!.y + queues!.height}`)
    await tab.goto('/admin/switches')
    const airtel = tab.getByRole('row', { name: /^Airtel Money/ })
    await airtel.waitFor()
    const heights = await airtel.getByRole('cell').evaluateAll((cells) => cells.map(({ clientHeight }) => clientHeight))
    assert.ok(heights.length === 4 && Math.max(...heights) <= 90, heights.join(', '))
    await looksRightEverywhere(tab, 'switches-sw', () => text(tab, 'Halisi').waitFor())
    await tab.context().close()
  })

  test('[A7] the runs with their checks and fixes, the totals of days, and the alarm of a late run', async () => {
    const admin = await app.admin()
    await reconcileToday(app)
    const tab = await open('/admin/reconciliation', admin)
    const runs = tab.getByRole('table', { name: 'Latest runs' })
    await runs
      .getByText(/Payments · Day/)
      .first()
      .waitFor()
    const days = tab.getByRole('table', { name: /Totals by day/ })
    await days.getByRole('cell', { name: 'Snippe' }).first().waitFor()
    await app.owner.pool.query(
      `update reconciliation_runs set ended_at = ended_at - interval '40 minutes', started_at = started_at - interval '40 minutes' where kind = 'recent'`,
    )
    await tab
      .getByRole('alert')
      .filter({ hasText: 'The comparison is late' })
      .getByText(/Snippe · Test · Payments/)
      .waitFor({ timeout: 30_000 })
    await looksRightEverywhere(tab, 'reconciliation', () => text(tab, /Payments · Day/).waitFor())
    await tab.context().close()
  })

  test('[A7] a movement is recorded once, and the balance is shown beside what the books expect', async () => {
    const admin = await app.admin()
    const tab = await open('/admin/reconciliation', admin)
    await tab.getByRole('button', { name: 'Record a movement' }).click()
    const dialog = tab.getByRole('dialog', { name: 'Record a movement' })
    const send = dialog.getByRole('button', { name: 'Record a movement' })
    await send.click()
    assert.equal(await dialog.locator('[aria-invalid=true]').count(), 3)
    await dialog.getByLabel('Account').selectOption('snippe test')
    await dialog.getByLabel('Kind').selectOption('correction_down')
    await dialog.getByLabel('Amount').fill('12500')
    await dialog.getByLabel('Reference').fill('FEES-2026-11')
    await dialog.getByLabel('Note').fill('Monthly fee')
    await looksRight(tab)
    await send.click()
    const row = tab.getByRole('table', { name: 'Recorded movements' }).getByRole('row', { name: /FEES-2026-11/ })
    await row.getByText('−TSh 12,500').waitFor()
    await row.getByText('Correction: the provider has less').waitFor()
    const reconciler = createReconciler(app.deps)
    await drive(reconciler, 'balance')
    await tab.reload()
    const balances = tab.getByRole('table', { name: 'Balances at the providers' })
    await balances
      .getByRole('row', { name: /Snippe · Test/ })
      .getByText('No opening balance')
      .waitFor()
    await tab.context().close()
  })

  test('[A9] a merchant is found by its number, shown with all its data, suspended with a reason and unsuspended', async () => {
    const admin = await app.admin()
    const student = await app.student()
    const page = await app.page(student, { amount: 4200 })
    const { reference } = (await app.checkout(page.slug)).body.data
    await app.settled(reference)
    const tab = await open('/admin/search', admin)
    await tab.getByRole('searchbox').fill(student.email)
    await tab.keyboard.press('Enter')
    const name = `Student ${student.email.split('@')[0]}`
    await tab.getByRole('link', { name }).first().waitFor()
    await looksRightEverywhere(tab, 'search', () => tab.getByRole('link', { name }).first().waitFor())
    await tab.getByRole('link', { name }).first().click()
    await heading(tab, name).waitFor()
    await tab.getByRole('region', { name: 'Test' }).getByText('TSh 4,200').first().waitFor()
    await tab.getByText('1 payment', { exact: true }).waitFor()
    await tab.getByRole('button', { name: 'Suspend', exact: true }).click()
    const dialog = tab.getByRole('dialog')
    assert.ok(await dialog.getByRole('button', { name: 'Suspend', exact: true }).isDisabled())
    await dialog.getByLabel('Reason').fill('Malalamiko ya walipaji.')
    await dialog.getByRole('button', { name: 'Suspend', exact: true }).click()
    await tab.getByText(/Suspended since .*Malalamiko ya walipaji\./).waitFor()
    assert.equal((await read(`/v1/admin/merchants/${student.userId}`, admin)).suspension.reason, 'Malalamiko ya walipaji.')
    await looksRightEverywhere(tab, 'merchant', () => text(tab, 'Malalamiko ya walipaji.').waitFor())
    // On a phone the money of both environments is on one screen.
    await tab.setViewportSize({ width: 360, height: 740 })
    const money = (await tab.getByRole('region', { name: 'Test', exact: true }).boundingBox())!
    assert.ok(money.y + money.height <= 740, `the money ends at ${money.y + money.height}`)
    await tab.setViewportSize({ width: 1280, height: 800 })
    await tab.getByRole('button', { name: 'Unsuspend' }).click()
    await dialog.getByLabel('Note').fill('Imeshughulikiwa.')
    await dialog.getByRole('button', { name: 'Unsuspend' }).click()
    await tab.getByText(/Suspended since/).waitFor({ state: 'detached' })
    assert.equal((await read(`/v1/admin/merchants/${student.userId}`, admin)).suspension, null)
    await tab.goto('/admin/search')
    await tab.getByRole('searchbox').fill(reference)
    await tab.keyboard.press('Enter')
    await tab.getByText('Understood as: ID.').waitFor()
    await tab.getByRole('table').getByText('TSh 4,200').waitFor()
    await tab.context().close()
  })

  test('[A9] an operator pastes a whole SMS, or types a payer’s name, and finds the payment', async () => {
    const admin = await app.admin()
    const page = await app.page(await app.student(), { amount: 6_300 })
    const { reference } = (await app.checkout(page.slug, { customer_name: 'Zawadi Mwakyusa' })).body.data
    await app.settled(reference)
    const { network_receipt: number } = await read(`/v1/admin/payments/${reference}`, admin)
    const tab = await open('/admin/search', admin)
    const sms = `${number} Imethibitishwa.\nTsh6,300.00 imetumwa kwa MWENGE DUKA\ntarehe 27/11/26 saa 9:32 PM.\nSalio lako ni Tsh4,300.00.`
    await tab.evaluate(`navigator.clipboard.writeText(${JSON.stringify(sms)})`)
    await tab.getByRole('searchbox').press('Control+V')
    await tab.keyboard.press('Enter')
    const readFromIt = tab.getByRole('region', { name: 'Read in the message' })
    await readFromIt.getByText(number, { exact: true }).waitFor()
    await readFromIt.getByText('TSh 6,300').waitFor()
    await tab.getByText('Understood as: network receipt number.').waitFor()
    const link = tab.getByRole('link', { name: 'Zawadi Mwakyusa' })
    await link.waitFor()
    await looksRightEverywhere(tab, 'search-sms', () => link.waitFor())
    await tab.getByRole('searchbox').fill('zawadi mwa')
    await tab.keyboard.press('Enter')
    await tab.getByText('Understood as: payer’s name.').waitFor()
    await link.click()
    await heading(tab, 'Payment').waitFor()
    await tab.getByText(reference).first().waitFor()
    await tab.goBack()
    await link.waitFor()
    assert.equal(await tab.getByRole('searchbox').inputValue(), 'zawadi mwa')
    // Neither the history of the browser nor a log of a proxy keeps what was searched.
    assert.equal(new URL(tab.url()).pathname + new URL(tab.url()).search, '/admin/search')
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  test('[A10] the overview shows the same as the API, and a network that is switched off is also off on the payer’s page', async () => {
    const admin = await app.admin()
    const page = await app.page(await app.student())
    const tab = await open('/admin/', admin)
    const { networks, queues } = await read('/v1/admin/overview', admin)
    const networkTable = tab.getByRole('table', { name: /Networks/ })
    await networkTable.waitFor()
    assert.equal(await networkTable.getByRole('row').count(), networks.length + 1)
    for (const { name } of queues) assert.ok(typeof name === 'string')
    for (const name of ['Webhook deliveries', 'Payment status checks', 'The books', 'Failed webhook attempts in the last hour']) {
      await tab.getByRole('region', { name }).waitFor()
    }
    await tab.goto('/admin/switches')
    await tab.getByRole('button', { name: 'Switch off: Payments · Airtel Money · Test' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByText('Only the test environment: no real money.').waitFor()
    await dialog.getByLabel(/^The reason/).fill('Airtel wana hitilafu.')
    await dialog.getByRole('button', { name: 'Switch off' }).click()
    const matrix = tab.getByRole('table', { name: 'Switches' })
    await tab.getByText('Switched off now: Payments · Airtel Money · Test.').waitFor()
    const airtel = matrix.getByRole('row').filter({ hasText: 'Airtel Money' })
    // By column: live payments, live payouts, test payments, test payouts.
    await airtel
      .getByRole('cell')
      .nth(2)
      .getByText(/Airtel wana hitilafu\. – You, /)
      .waitFor()
    assert.deepEqual(
      (await airtel.getByRole('cell').allTextContents()).map((words) => words.match(/^(On|Off|Stopped)/)?.[0]),
      ['On', 'On', 'Off', 'On'],
    )
    // Live and test differ by a word, a sign and a shape, not by colour alone.
    const looks = await tab.evaluate<string[]>(`[...document.querySelectorAll('thead [class*=Badge-root]')].map((badge) => {
      const { borderStyle, borderRadius } = getComputedStyle(badge)
      return [badge.textContent, borderStyle, borderRadius, badge.querySelector('svg').innerHTML].join(' ')
    })`)
    assert.equal(looks.length, 4)
    assert.equal(new Set(looks).size, 2, looks.join('\n'))
    const payer = await browser.newPage({ locale: 'en-TZ' })
    await eventually('the payer reads it', async () => {
      await payer.goto(`${app.config.urls.checkout}/pay/${page.slug}?lang=en`)
      return (
        /Airtel/.test((await payer.locator('body').textContent()) ?? '') && (await payer.getByText(/Airtel Money/).count()) > 0
      )
    })
    const refused = await app.checkout(page.slug, { phone_number: '+255784123789' })
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'network_unavailable'])
    await payer.close()
    await looksRightEverywhere(tab, 'switches', () => text(tab, 'Airtel wana hitilafu.').waitFor())
    // On a phone its table is a list, with one line around it.
    await tab.setViewportSize({ width: 360, height: 740 })
    const lines = `[...document.querySelectorAll('tbody th, tbody td')].map((cell) => getComputedStyle(cell).borderInlineWidth)`
    assert.deepEqual([...new Set(await tab.evaluate<string[]>(lines))], ['0px'])
    await tab.setViewportSize({ width: 1280, height: 800 })
    await tab.getByRole('button', { name: 'Switch on: Payments · Airtel Money · Test' }).click()
    await dialog.getByLabel(/^The reason/).fill('Wamerudi.')
    await dialog.getByRole('button', { name: 'Switch on' }).click()
    await tab.getByText('Wamerudi.').waitFor()
    // A wider switch stops every network under it, and each says so.
    await tab.getByRole('button', { name: 'Switch off: Payouts · All networks · Live' }).click()
    await dialog.getByText('Real payers and merchants are affected at once.').waitFor()
    await dialog.getByLabel(/^The reason/).fill('Ukaguzi.')
    await dialog.getByRole('button', { name: 'Switch off' }).click()
    await airtel.getByRole('cell').nth(1).getByText('Switched off: Payouts · All networks · Live').waitFor()
    await tab.getByRole('button', { name: 'Switch on: Payouts · All networks · Live' }).click()
    await dialog.getByLabel(/^The reason/).fill('Umekwisha.')
    await dialog.getByRole('button', { name: 'Switch on' }).click()
    await tab.getByText('Umekwisha.').waitFor()
    await tab.goto('/admin/')
    // The chart says in words what it draws, and its table has the same figures as the API.
    const success = tab.getByRole('region', { name: 'Successful payments by hour, last 24 hours' })
    const byHour = await read('/v1/admin/networks/success', admin)
    const drawn = byHour.find((one: any) => one.network === 'mpesa' && one.environment === 'test')
    const sum = (of: 'completed' | 'failed') => drawn.hours.reduce((total: number, hour: any) => total + hour[of], 0)
    assert.ok(sum('completed') > 0)
    const ended = sum('completed') + sum('failed')
    await success.getByRole('img', { name: new RegExp(`^M-Pesa, Test: .* of ${ended}`) }).waitFor()
    await success.getByText('Table', { exact: true }).click()
    const hourly = success.getByRole('table')
    assert.equal(await hourly.getByRole('row').count(), 25)
    const last = drawn.hours.at(-1)
    if (last.completed + last.failed > 0) {
      await hourly
        .getByRole('row')
        .nth(1)
        .getByText(new RegExp(`of ${last.completed + last.failed}$`))
        .waitFor()
    }
    await success.getByText('Chart', { exact: true }).click()
    const ages = tab.getByRole('list', { name: 'Age of the oldest entry' })
    const { open_work: work } = await read('/v1/admin/overview', admin)
    assert.equal(await ages.getByRole('listitem').count(), work.length + queues.length)
    await looksRightEverywhere(tab, 'overview', () => text(tab, 'Open work').waitFor())
    await tab.context().close()
  })

  test('[A8, A14] the audit log: filtered, field by field, exported with the exporter’s mark, and its chain checked', async () => {
    const admin = await app.admin()
    const student = await app.student()
    const page = await app.page(student, { title: 'Ada ya maktaba' })
    const tab = await open('/admin/audit', admin)
    await tab.getByLabel('What', { exact: true }).fill('payment_page.created')
    await tab.getByRole('button', { name: 'Show', exact: true }).click()
    await tab.waitForURL(/action=/)
    // Names are read; the ids stay below them, because the filters take ids.
    const row = tab.getByRole('row').filter({ hasText: page.id })
    for (const words of ['Ada ya maktaba', `Student ${student.email.split('@')[0]}`, student.userId])
      await row.getByText(words, { exact: true }).waitFor()
    await looksRightEverywhere(tab, 'audit', () => heading(tab, 'Audit log').waitFor())
    // On a phone one line says what is shown, and opens the fields; after each choice the entries are back on the first screen.
    await tab.setViewportSize({ width: 360, height: 740 })
    const fold = tab.getByText('Filter: payment_page.created', { exact: true })
    const field = tab.getByLabel('Object', { exact: true })
    const entry = tab.getByRole('listitem').filter({ hasText: page.id })
    await field.waitFor({ state: 'hidden' })
    const { y, height } = (await entry.boundingBox())!
    assert.ok(y + height < 640 && height <= 102, `an entry of four or five lines on the first screen: ${y} + ${height}`)
    await fold.click()
    await field.fill(page.id)
    await tab.getByRole('button', { name: 'Show', exact: true }).click()
    await tab.getByText(`Filter: payment_page.created · ${page.id}`, { exact: true }).waitFor()
    await field.waitFor({ state: 'hidden' })
    await tab.setViewportSize({ width: 1280, height: 800 })
    await field.waitFor()
    await tab.getByText('Details').first().click()
    await tab.getByRole('columnheader', { name: 'Before', exact: true }).first().waitFor()
    const actions = await tab.getByRole('row').locator('td:first-child').allTextContents()
    assert.ok(actions.includes('payment_page.created'))
    const coming = tab.waitForEvent('download')
    await tab.getByRole('button', { name: 'Export as CSV' }).click()
    const file = await coming
    assert.ok(file.suggestedFilename().includes(admin.userId), file.suggestedFilename())
    const written = readFileSync(await file.path(), 'utf8')
    assert.match(written, /^seq,at,actor,action,.*exported_by,exported_at\r\n/)
    for (const line of written.trimEnd().split('\r\n').slice(1)) assert.ok(line.includes(admin.userId))
    const [exported] = await read('/v1/admin/audit?action=audit.exported&limit=1', admin)
    assert.equal(exported.actor, admin.userId)
    await tab.getByRole('button', { name: 'Check the chain' }).click()
    await tab.getByText(/The chain is correct/).waitFor()
    await tab.context().close()
  })

  test('[A11] a webhook of a merchant is sent again on its behalf, and that is recorded', async (t) => {
    const admin = await app.admin()
    const student = await app.student()
    const { appId } = await app.key(student)
    const answers = [500]
    let received = 0
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        received += 1
        response.writeHead(answers.shift() ?? 200).end('thanks')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
    const page = await app.page(student)
    await app.settled((await app.checkout(page.slug)).body.data.reference)
    const tab = await open(`/admin/merchants/${student.userId}`, admin)
    const deliveries = tab.getByRole('table', { name: 'Latest deliveries' })
    await deliveries.getByText('500 ·').waitFor()
    await deliveries.getByRole('button', { name: /Send again: payment.completed/ }).click()
    await deliveries.getByText('200 ·').waitFor()
    assert.equal(received, 2)
    const [failed] = await read(`/v1/admin/merchants/${student.userId}/webhook-deliveries?outcome=failed`, admin)
    const entries = await read(`/v1/admin/audit?actor=${admin.userId}&limit=5`, admin)
    assert.ok(entries.some((one: any) => JSON.stringify(one).includes(failed.event_id)))
    await tab.context().close()
  })

  test('[A12] a large payout waits until an operator approves or refuses it', async () => {
    const admin = await app.admin()
    const student = await paidStudent(app)
    const amounts = [12_000, 13_000]
    for (const amount of amounts) {
      const answer = await ask(app, student.key, { amount }, String(amount))
      assert.equal(answer.status, 201, JSON.stringify(answer.body))
    }
    const tab = await open('/admin/payouts', admin)
    await tab.getByText('TSh 12,000').waitFor()
    await looksRightEverywhere(tab, 'payouts', () => text(tab, 'TSh 12,000').waitFor())
    const row = (amount: string) => tab.getByRole('row').filter({ hasText: amount })
    const { full_name: merchantName } = (await app.call('GET', '/v1/me', { token: student.token })).body.data
    await row('TSh 12,000').getByRole('cell', { name: merchantName, exact: true }).waitFor()
    await row('TSh 12,000').getByRole('link').click()
    await tab.getByRole('link', { name: merchantName, exact: true }).waitFor()
    await tab.getByRole('button', { name: 'Approve' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await text(tab, 'approved').waitFor()
    await tab.goto('/admin/payouts')
    await row('TSh 13,000').getByRole('link').click()
    await looksRightEverywhere(tab, 'payout', () => text(tab, 'TSh 13,000').waitFor())
    await tab.getByRole('button', { name: 'Refuse' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click()
    await text(tab, 'refused').waitFor()
    await tab.goto('/admin/payouts')
    await tab.getByText('No payout is waiting').waitFor()
    await tab.context().close()
  })
})

test('[A10] after a restore, payouts start before the comparison only on a second, explained request', async (t) => {
  // Without a worker, the comparison does not end by itself.
  const own = await startTestApp(t)
  const admin = await own.admin()
  await markRestored(own.db, { id: randomUUID(), restoredTo: new Date() }, byCommandLine)
  await own.deps.switches.read()
  const tab = await operatorTab({ browser: await startBrowser(t), app: own }, admin)
  await tab.goto('/admin/switches')
  await tab.getByRole('button', { name: 'Switch on: Payouts · All networks · Test and live' }).click()
  const dialog = tab.getByRole('dialog')
  const force = dialog.getByRole('button', { name: 'Switch on without the comparison' })
  await dialog.getByLabel(/^The reason/).fill('Restored.')
  await dialog.getByRole('button', { name: 'Switch on', exact: true }).click()
  await dialog.getByRole('alert').getByText('Wait for the comparison').waitFor()
  await force.click()
  await dialog.getByText('see the runbook “restore”').waitFor()
  assert.equal(await force.isDisabled(), true, 'the reason is typed again')
  await dialog.getByLabel(/^The reason/).fill('The list cannot be read.')
  await force.click()
  await dialog.waitFor({ state: 'detached' })
  const { data } = (await own.call('GET', '/v1/admin/switches', { token: admin.token })).body
  assert.equal(data.find(({ name }: { name: string }) => name === 'payouts').state, 'on')
})

async function looksRight(tab: Tab): Promise<void> {
  const { accessibilityProblems, keepPicture, overflows } = await import('./browser.ts')
  await keepPicture(tab, 'break-desktop')
  assert.equal(await overflows(tab), false)
  assert.deepEqual(await accessibilityProblems(tab), [])
}
