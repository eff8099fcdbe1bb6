/** The dashboard on a small phone: what is seen without scrolling, the sections at the lower edge, and how many rows a laptop shows. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually, startTestApp, type Student } from '../app.ts'
import { openShop } from '../fixtures/approvals.ts'
import { newMember } from '../members.ts'
import { seedHistory } from '../fixtures/history.ts'
import { endTogether, keepPicture, startBrowser, wholeFile } from './browser.ts'
import { looksRightEverywhere, signedInTab, type Tab } from './dashboard.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true })
const place = { browser, app }
const student = await app.student()
const page = await app.page(student, { title: 'Ada ya muhula wa pili', amount: 12_500 })
const firstAt = new Date(Date.now() - 40 * 3600_000).toISOString()
await seedHistory(app, page.id, { count: 40, amount: 12_500, firstAt, everySeconds: 3500 })

const small = { width: 360, height: 640 }

/** The rows that are wholly between the permanent parts of the window. */
function rowsInView(tab: Tab, selector: string): Promise<number> {
  return tab.evaluate<number>(`(() => {
    const dock = document.querySelector('main + nav')?.getBoundingClientRect()
    const lower = dock && dock.height > 0 ? dock.top : innerHeight
    const boxes = [...document.querySelectorAll(${JSON.stringify(selector)})].map((row) => row.getBoundingClientRect())
    return boxes.filter(({ top, bottom }) => top >= 0 && bottom <= lower).length
  })()`)
}

/** A tab of a person who wants notices. A browser without a screen shows none, and says so: what it is asked to show is written down. */
async function tabWithNotices(person: Student): Promise<{ tab: Tab; shown(): Promise<string[]> }> {
  const tab = await signedInTab(place, person)
  await tab.context().grantPermissions(['notifications'])
  await tab.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    window.notices = []; ServiceWorkerRegistration.prototype.showNotification = (title, { body, data }) =>
    Promise.resolve(void window.notices.push([title, body, data].join(' | ')))`)
  await tab.goto('/dashboard/profile')
  const wish = tab.getByRole('switch', { name: 'Payments and approvals' })
  assert.equal(await wish.isChecked(), false)
  await wish.press('Space')
  await tab.locator('[role=switch]:checked').and(wish).waitFor()
  return { tab, shown: () => tab.evaluate<string[]>('window.notices') }
}

/** What another tab in front of it does to the page. */
const putBehind = (tab: Tab): Promise<unknown> =>
  tab.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`)

describe('the dashboard on a small phone', () => {
  endTogether()

  for (const language of ['en', 'sw'] as const) {
    test(`[D15] eight payments are seen without scrolling at 360×640, and ten at 1280 (${language})`, async () => {
      const tab = await signedInTab(place, student, { language })
      await tab.setViewportSize(small)
      await tab.goto('/dashboard/me/test/payments')
      await tab.getByRole('list').getByText('Payer 40').waitFor()
      await keepPicture(tab, `fold-payments-${language}`, false)
      const onPhone = await rowsInView(tab, 'main li')
      assert.ok(onPhone >= 8, `${onPhone} payments`)
      await tab.setViewportSize({ width: 1280, height: 800 })
      await tab.getByRole('table').getByText('Payer 40').waitFor()
      await keepPicture(tab, `fold-payments-wide-${language}`, false)
      const onLaptop = await rowsInView(tab, 'tbody tr:has(a)')
      assert.ok(onLaptop >= 10, `${onLaptop} payments`)
      await looksRightEverywhere(tab, `phone-payments-${language}`, () => tab.getByText('Payer 40').first().waitFor())
    })

    test(`[D15] the chart of Home ends within two screens of a phone (${language})`, async () => {
      const tab = await signedInTab(place, student, { language })
      await tab.setViewportSize(small)
      await tab.goto('/dashboard/me/test')
      const chart = tab.getByRole('slider')
      await chart.waitFor()
      const { y, height } = (await chart.boundingBox())!
      assert.ok(y + height <= 2 * small.height, `the chart ends at ${y + height}`)
      await looksRightEverywhere(tab, `phone-home-${language}`, () => chart.waitFor())
    })
  }

  test('[D15] the sections of every day are at the lower edge of a phone, one press away', async () => {
    const tab = await signedInTab(place, student, { isTouch: true })
    await tab.setViewportSize(small)
    await tab.goto('/dashboard/me/test')
    const dock = tab.getByRole('navigation', { name: 'Everyday sections' })
    for (const [name, path] of [
      ['Payments', /\/payments$/],
      ['Payouts', /\/payouts$/],
      ['Home', /\/me\/test$/],
    ] as const) {
      const link = dock.getByRole('link', { name })
      await link.tap()
      await tab.waitForURL(path)
      await tab.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      assert.equal(await link.getAttribute('aria-current'), 'page')
      const box = (await link.boundingBox())!
      assert.ok(box.width >= 44 && box.height >= 44, `${name}: ${box.width} × ${box.height}`)
      assert.equal(Math.round(box.y + box.height), small.height)
    }
    // The till is a device of its own, without the frame.
    await dock.getByRole('link', { name: 'Till' }).tap()
    await tab.waitForURL(/\/till$/)
    await tab.goBack()
    await dock.waitFor()
    // The end of a long screen is above the bar, also for the keyboard.
    await tab.goto('/dashboard/me/test/payments')
    const older = tab.getByRole('button', { name: 'Older' })
    await older.focus()
    const end = (await older.boundingBox())!
    assert.ok(end.y + end.height <= (await dock.boundingBox())!.y, 'the focus is covered')
    await tab.setViewportSize({ width: 1280, height: 800 })
    await dock.waitFor({ state: 'hidden' })
    assert.deepEqual(tab.problems, [])
  })

  test('[D15] a person who wants it is told by the browser of a payment, also while the tab is in the background', async () => {
    const { tab, shown } = await tabWithNotices(student)
    const isFollowing = tab.waitForResponse((response) => response.url().includes('status=completed') && response.ok())
    await tab.goto('/dashboard/me/test/payments')
    await isFollowing
    await tab.getByText('Payer 40').first().waitFor()
    assert.deepEqual(await shown(), [], 'what was paid before is not told')
    await putBehind(tab)
    const { reference } = (await app.checkout(page.slug, { phone_number: '+255754000789' })).body.data
    await app.settled(reference)
    const told = await eventually('the browser announces the payment', async () => (await shown())[0])
    assert.match(told, /^Test · TSh\s12,500 paid \| .* \| \/dashboard\/me\/test\/payments\/pay_/)
    assert.deepEqual(tab.problems, [])
  })

  test('[D15] an approver is told by the browser of what waits for their approval, and others are not', async () => {
    const shop = await openShop(app)
    const { businessId, owner } = shop
    const [approver, accountant] = [
      await newMember(app, owner, businessId, 'approver'),
      await newMember(app, owner, businessId, 'accountant'),
    ]
    assert.equal((await shop.setRule({ above: 0, approvers: 1 })).status, 200)
    assert.equal((await shop.request(accountant, 6_000)).status, 201)
    const [asked, asking] = [await tabWithNotices(approver), await tabWithNotices(accountant)]
    for (const { tab } of [asked, asking]) {
      await tab.goto(`/dashboard/${businessId}/test/payouts`)
      await tab.getByText('TSh 6,000').first().waitFor()
    }
    // It waited before, and is no news.
    await asked.tab.getByRole('link', { name: /Approvals.*1/ }).waitFor()
    assert.deepEqual(await asked.shown(), [])
    await putBehind(asked.tab)
    const requested = await shop.request(accountant, 7_000, { recipient_name: 'Neema Kimaro' })
    assert.equal(requested.body.data.approval, 'required')
    const told = await eventually('the browser announces what waits', async () => (await asked.shown())[0])
    const { full_name: name } = (await app.call('GET', '/v1/me', { token: accountant.token })).body.data
    assert.equal(
      told,
      `Test · Waits for your approval | TSh\u00a07,000 · Neema Kimaro · ${name} | /dashboard/${businessId}/test/approvals`,
    )
    await asking.tab.getByText('TSh 7,000').first().waitFor()
    assert.deepEqual(await asking.shown(), [])
    assert.deepEqual([...asked.tab.problems, ...asking.tab.problems], [])
  })

  test('[D15] every link of a section and every word of a row can be read on a small phone', async () => {
    const tab = await signedInTab(place, student, { language: 'sw' })
    await tab.setViewportSize(small)
    for (const [section, links] of [
      ['payments', 2],
      ['payouts', 3],
      ['developers', 3],
    ] as const) {
      await tab.goto(`/dashboard/me/test/${section}`)
      const shown = tab.locator('main nav a')
      await shown.nth(links - 1).waitFor()
      for (const link of await shown.all()) {
        const { x, width } = (await link.boundingBox())!
        const button = await tab.locator('main [class*=head] [class*=Button-root]').first().boundingBox()
        const isBeside = button && button.y < (await link.boundingBox())!.y + 20
        assert.ok(x + width <= (isBeside ? button.x : small.width), `${section}: ${await link.innerText()}`)
      }
    }
    const { appId } = await app.key(student)
    await tab.goto(`/dashboard/me/test/developers/apps/${appId}`)
    const scope = (await tab.getByRole('list').getByText('payments:write', { exact: true }).boundingBox())!
    assert.ok(scope.width > scope.height, `a permission is ${scope.width} × ${scope.height}`)
    await keepPicture(tab, 'phone-keys-sw', false)
    assert.deepEqual(tab.problems, [])
  })

  test('[D15] a message in the corner covers neither the banner of the test data nor the bar of the sections', async () => {
    const tab = await signedInTab(place, student)
    for (const size of [small, { width: 1280, height: 800 }]) {
      await tab.setViewportSize(size)
      await tab.goto('/dashboard/me/test/payments')
      await tab.route(
        (url) => url.searchParams.has('csv_language'),
        (route) => route.abort(),
      )
      await tab.getByRole('button', { name: 'Export' }).click()
      const message = (await tab.getByRole('alert').boundingBox())!
      const banner = (await tab.getByText('Test data').boundingBox())!
      await keepPicture(tab, `message-${size.width}`, false)
      assert.ok(
        message.y >= banner.y + banner.height,
        `${message.y} is over the banner, which ends at ${banner.y + banner.height}`,
      )
      assert.ok(message.y + message.height < size.height - 50)
    }
    assert.deepEqual(tab.problems, [])
  })
})
