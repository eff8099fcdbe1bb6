/**
 * The start page of a wallet in a real Chromium: its figures equal the ledger's, they update live, and they are accessible to all
 * users.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedHistory } from '../fixtures/history.ts'
import { eventually, startTestApp } from '../app.ts'
import { brokenFigures, startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab, type Tab } from './dashboard.ts'

const tsh = (amount: number): string => `TSh\u00a0${amount.toLocaleString('en-US')}`
const figure = (tab: Tab, name: string) => tab.getByRole('region', { name })

test('a merchant reads the start page', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const student = await app.student()
  const old = await app.page(student, { title: 'Ada ya muhula' })
  const firstAt = new Date(Date.now() - 58 * 86_400_000).toISOString()
  await seedHistory(app, old.id, { count: 290, amount: 12_500, firstAt, everySeconds: 4.7 * 3600 })
  const page = await app.page(student, { title: 'Chai', amount: 1_500 })
  const pay = async (phone = '+255754000789'): Promise<void> => {
    await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
  }
  await pay()
  await pay('+255754000049')
  const place = { browser, app }
  const summary = async () => (await app.call('GET', '/v1/merchant/summary?environment=test', { token: student.token })).body.data

  await t.test('[D2] balance, today, 30 days and success rate equal the ledger’s, with the previous period', async () => {
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    const { available, today, last_30_days: recent, previous_30_days: before } = await summary()
    assert.equal(available, 290 * 12_500 + 1_500)
    await figure(tab, 'Available').getByText(tsh(available)).waitFor()
    await figure(tab, 'Today').getByText(tsh(today.volume)).waitFor()
    await figure(tab, 'Last 30 days').getByText(tsh(recent.volume), { exact: true }).waitFor()
    await figure(tab, 'Last 30 days')
      .getByText(`The 30 days before: ${tsh(before.volume)}`)
      .waitFor()
    const change = Math.abs(recent.volume / before.volume - 1)
    const direction = recent.volume >= before.volume ? 'up' : 'down'
    await figure(tab, 'Last 30 days')
      .getByLabel(`${direction} by ${Number((change * 100).toFixed(1))}%`)
      .waitFor()
    assert.ok(recent.success_rate < 1)
    await figure(tab, 'Success rate')
      .getByText(`${Number((recent.success_rate * 100).toFixed(1))}%`, { exact: true })
      .waitFor()
    assert.deepEqual(tab.problems, [])
  })

  await t.test('[D2] a button turns the chart by day into a table, and its lines add up to the 30 days', async () => {
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    const chart = tab.getByRole('slider', { name: 'Received by day' })
    await chart.focus()
    await tab.keyboard.press('ArrowLeft')
    const { days, last_30_days: recent } = await summary()
    assert.ok((await chart.getAttribute('aria-valuetext'))!.endsWith(tsh(days.at(-1).volume)))
    await tab.keyboard.press('ArrowLeft')
    assert.ok((await chart.getAttribute('aria-valuetext'))!.endsWith(tsh(days.at(-2).volume)))

    await tab.getByText('Show as table').click({ force: true })
    const cells = await tab.getByRole('table', { name: 'Received by day' }).locator('tbody td:last-child').allTextContents()
    assert.equal(cells.length, 30)
    const amounts = cells.map((cell) => Number(cell.split('·')[0]!.replace(/\D/g, '')))
    assert.equal(
      amounts.reduce((sum, amount) => sum + amount, 0),
      recent.volume,
    )
    assert.deepEqual(tab.problems, [])
  })

  await t.test(
    '[D2] a period is chosen, compared with the one before, split by page and network, and kept in the address',
    async () => {
      const tab = await signedInTab(place, student)
      const ask = async (query: string) =>
        (await app.call('GET', `/v1/merchant/summary?environment=test&${query}`, { token: student.token })).body.data
      await tab.goto('/dashboard/me/test')
      const choice = tab.getByRole('combobox', { name: 'Period' })
      assert.equal(await choice.inputValue(), 'last_30_days')
      await choice.selectOption('Last 7 days')
      await tab.waitForURL(/\?period=last_7_days$/)
      const week = await ask('period=last_7_days')
      const shownDay = (day: string) =>
        new Intl.DateTimeFormat('en-TZ', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
          new Date(day),
        )
      const name = ({ from, to }: { from: string; to: string }) => `${shownDay(from)} – ${shownDay(to)}`
      const period = figure(tab, name(week.period))
      await period.getByText(tsh(week.period.volume), { exact: true }).waitFor()
      await period.getByText(`The 7 days before: ${tsh(week.previous_period.volume)}`).waitFor()
      const chart = tab.getByRole('slider', { name: 'Received by day' })
      assert.equal(await chart.getAttribute('aria-valuemax'), '7')
      const pages = tab.getByRole('table', { name: 'By page' })
      await pages
        .getByRole('row', { name: new RegExp(`Ada ya muhula.*${week.by_page[0].volume.toLocaleString('en-US')}`) })
        .waitFor()
      await tab.getByRole('table', { name: 'By network' }).getByRole('link', { name: 'M-Pesa' }).waitFor()

      await choice.selectOption('Choose days')
      await tab.waitForURL(`**/dashboard/me/test?from=${week.period.from}&to=${week.period.to}`)
      await tab.getByLabel('From').fill(week.previous_period.from)
      await tab.getByLabel('To', { exact: true }).fill(week.previous_period.to)
      await figure(tab, name(week.previous_period)).getByText(tsh(week.previous_period.volume), { exact: true }).waitFor()
      await tab.getByLabel('To', { exact: true }).fill('2020-01-01')
      await tab.getByText('Choose a day that is not before the first.').waitFor()
      await tab.reload()
      await figure(tab, name(week.previous_period)).getByText(tsh(week.previous_period.volume), { exact: true }).waitFor()

      await pages.getByRole('link', { name: 'Ada ya muhula' }).click()
      await tab.waitForURL(
        `**/payments?status=completed&from=${week.previous_period.from}&to=${week.previous_period.to}&page=${old.id}`,
      )
      await tab.goBack()
      await choice.selectOption('Today')
      await figure(tab, 'Today').getByText('Yesterday: ').waitFor()
      await chart.waitFor({ state: 'detached' })
      await choice.selectOption('Last 30 days')
      await figure(tab, 'Last 30 days').getByText('The 30 days before: ').waitFor()
      assert.match(tab.url(), /\/me\/test$/)
      assert.deepEqual(tab.problems, [])
    },
  )

  await t.test('[D2] an incoming payment shows within two seconds, in the balance, the sums and the list', async () => {
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    const { available, today } = await summary()
    await figure(tab, 'Available').getByText(tsh(available)).waitFor()
    await pay()
    await figure(tab, 'Available')
      .getByText(tsh(available + 1_500))
      .waitFor({ timeout: 2_500 })
    await figure(tab, 'Today')
      .getByText(tsh(today.volume + 1_500))
      .waitFor({ timeout: 2_500 })
    await tab
      .getByRole('table', { name: 'Recent payments' })
      .getByRole('row', { name: /Juma Hamisi.*Completed/ })
      .first()
      .getByRole('link')
      .click()
    await tab.waitForURL(/\/me\/test\/payments\/pay_\w+$/)
    assert.deepEqual(tab.problems, [])
  })

  await t.test('[D2] open tasks are listed, the most urgent first, and disappear when done', async () => {
    const { appId } = await app.key(student)
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    const steps = tab.getByRole('region', { name: 'To do' })
    await steps.getByText('Notify your server of payments').waitFor()
    assert.equal(await steps.getByText('Create your first payment page').count(), 0)
    const url = 'http://127.0.0.1:8099/hooks'
    await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
    await app.owner.pool.query('update webhook_endpoints set last_failure_at = clock_now()')
    await tab.reload()
    await steps.getByText('A webhook does not answer').waitFor()
    assert.match((await steps.getByRole('listitem').first().textContent())!, /A webhook does not answer/)
    assert.equal(await steps.getByText('Notify your server of payments').count(), 0)
    await steps.getByRole('link', { name: /A webhook does not answer/ }).click()
    await tab.waitForURL(/\/me\/test\/developers$/)
    await tab.goBack()
    await steps.getByRole('link', { name: /Confirm your e-mail address/ }).click()
    await tab.waitForURL(/\/verify-email$/)
    assert.deepEqual(tab.problems, [])
  })

  await t.test('[D2] pictures for decisions: hours, two weeks and reasons, equal to what was paid', async () => {
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    await tab.getByRole('table', { name: 'By network' }).waitFor()
    assert.equal(await tab.getByRole('region', { name: 'When customers pay' }).count(), 0, 'not before a person comes near')
    await tab.mouse.wheel(0, 4_000)
    const answer = await app.call('GET', '/v1/merchant/patterns?environment=test', { token: student.token })
    const { hours, this_week: now, last_week: before, reasons } = answer.body.data
    const count = (lines: { count: number }[]): number => lines.reduce((sum, line) => sum + line.count, 0)
    const volume = (lines: { volume: number }[]): string => tsh(lines.reduce((sum, line) => sum + line.volume, 0))
    const picture = tab.getByRole('table', { name: 'Completed payments by weekday and hour' })
    await picture.waitFor()
    const totals = await picture.locator('tbody td:last-child').allTextContents()
    assert.equal(
      totals.reduce((sum, total) => sum + Number(total.replaceAll(/\D/g, '')), 0),
      count(hours),
    )
    const [busiest] = hours
    const row = picture.getByRole('row').nth(busiest.weekday)
    assert.equal(await row.locator('td').nth(busiest.hour).textContent(), String(busiest.count))

    const weeks = tab.getByRole('region', { name: 'This week and the last' })
    const sentence = `${volume(now)} this week until today. The same days of last week, whole: ${volume(before.slice(0, now.length))}.`
    await weeks.getByRole('img', { name: sentence }).waitFor()
    await weeks.getByText('Show as table').click({ force: true })
    const cells = await weeks.getByRole('table').locator('tbody tr').first().locator('td').allTextContents()
    assert.deepEqual(cells, [tsh(before[0].volume), tsh(now[0].volume)])

    await tab.setViewportSize({ width: 360, height: 740 })
    const heights = await weeks
      .getByRole('table')
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((one) => one.clientHeight))
    assert.ok(Math.max(...heights) < 60, `a day takes at most two lines on a phone, not ${heights.join(', ')} px`)
    assert.deepEqual(await brokenFigures(tab, { within: 'table', alsoAmounts: true }), [])
    await tab.setViewportSize({ width: 1280, height: 800 })

    const why = tab.getByRole('region', { name: 'Why payments end without money' })
    await why.getByText(`${count(reasons)} of ${count(reasons) + count(hours)} payments ended without money`).waitFor()
    await why.getByRole('row', { name: 'The balance is too low. 1 · 100%' }).waitFor()
    await looksRightEverywhere(tab, 'home-pictures', () => why.waitFor(), { reloads: false })
    await tab.setViewportSize({ width: 1280, height: 800 })
    await tab.getByRole('combobox', { name: 'Period' }).selectOption('Last month')
    await tab.getByText('No payment ended without money in this period.').waitFor()
    assert.deepEqual(tab.problems, [])

    const swahili = await signedInTab(place, student, { language: 'sw', size: 'phone' })
    await swahili.goto('/dashboard/me/test')
    await swahili.getByRole('table', { name: 'Kwa mtandao' }).waitFor()
    await swahili.mouse.wheel(0, 9_000)
    await swahili.getByText('Salio halitoshi.').waitFor()
    await looksRightEverywhere(swahili, 'home-pictures-sw', () => swahili.getByText('Salio halitoshi.').waitFor(), {
      reloads: false,
    })
  })

  await t.test('[D2] an empty chart has a line at zero, and no numbers that no payment could have', async () => {
    const empty = await signedInTab(place, await app.student())
    await empty.goto('/dashboard/me/test')
    const chart = empty.getByRole('slider', { name: 'Received by day' })
    await chart.waitFor()
    assert.equal(
      await chart
        .locator('xpath=..')
        .locator('[aria-hidden] span')
        .allTextContents()
        .then((all) => all.join('|')),
      '||0',
    )
    await empty.mouse.wheel(0, 4_000)
    await empty.getByText('No payment ended without money in this period.').waitFor()
    await empty.getByText('No payments in these two weeks.').waitFor()
    await looksRightEverywhere(empty, 'home-pictures-empty', () => empty.getByText('No payment ended').waitFor(), {
      reloads: false,
    })
  })

  await t.test('[D2] when the data cannot be read the screen says why, and tries again on request', async () => {
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    await figure(tab, 'Available').waitFor()
    let isDown = true
    await tab.route('**/v1/merchant/**', (route) => (isDown ? route.abort() : route.continue()))
    await tab.reload()
    await tab.getByRole('alert').getByText('The service cannot be reached').first().waitFor()
    isDown = false
    await tab.getByRole('button', { name: 'Try again' }).first().click()
    await figure(tab, 'Available').waitFor()
  })

  await t.test('[D15] the start page fits at every width, in light and dark, in both languages, and by keyboard', async () => {
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test')
    await looksRightEverywhere(tab, 'home', async () => {
      await figure(tab, 'Available').getByText('TSh').waitFor()
      await tab.getByRole('slider', { name: 'Received by day' }).waitFor()
      await tab.getByRole('table', { name: 'By network' }).waitFor()
    })
    await tab.keyboard.press('Tab')
    assert.equal(await tab.evaluate('document.activeElement.textContent'), 'Skip to the content')
    await tab.keyboard.press('Enter')
    assert.equal(await tab.evaluate('document.activeElement.id'), 'main')

    await tab.goto('/dashboard/me/test?from=2026-01-01&to=2026-01-05')
    await looksRightEverywhere(tab, 'home-days', () => tab.getByText('No payments in this period.').first().waitFor())

    const swahili = await signedInTab(place, student, { language: 'sw', size: 'phone' })
    await swahili.goto('/dashboard/me/test')
    await looksRightEverywhere(swahili, 'home-sw', async () => {
      await figure(swahili, 'Salio').getByText('TSh').waitFor()
      await swahili.getByRole('table', { name: 'Kwa mtandao' }).waitFor()
    })
    await swahili.setViewportSize({ width: 360, height: 740 })
    assert.deepEqual(await brokenFigures(swahili, { within: 'section[class*=figure]', alsoAmounts: true }), [])
    await swahili.getByRole('button', { name: 'Menyu' }).click()
    await swahili.getByRole('dialog').getByRole('link', { name: 'Mwanzo' }).waitFor()
    await swahili.keyboard.press('Escape')
    await swahili.getByRole('dialog').waitFor({ state: 'detached' })
    await eventually('the focus is back where it was', () =>
      swahili.evaluate<boolean>(`document.activeElement.getAttribute('aria-label') === 'Menyu'`),
    )
    assert.equal(await swahili.locator('html').getAttribute('lang'), 'sw')
    assert.deepEqual(swahili.problems, [])
  })
})
