/** Screens that follow changes in a real Chromium: untouched for hours, without connection, at little cost, in both apps. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../app.ts'
import { parseScrape, valueOf } from '../scrape.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, openTab, operatorTab, signedInTab, type Tab } from './dashboard.ts'

const notice = (tab: Tab) => tab.getByRole('status').filter({ hasText: /Not updated since|Haijasasishwa tangu/ })

/** What the api process has sent and received on all connections, requests and headers included. */
function countBytes(app: TestApp): () => number {
  const sockets = new Set<Socket>()
  app.api.api.server.on('connection', (socket: Socket) => sockets.add(socket))
  return () => [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0)
}

test('screens follow changes', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const bytes = countBytes(app)
  const browser = await startBrowser(t)
  const place = { browser, app }
  const student = await app.student()
  const page = await app.page(student)
  const pay = async (phone: string): Promise<string> =>
    (await app.checkout(page.slug, { phone_number: phone })).body.data.reference as string
  const row = (tab: Tab, reference: string) => tab.locator(`a[href$="${reference}"]`).first()
  const known = await pay('+255754121789')
  await app.settled(known)

  await t.test('[D32] a list that no one has touched for hours shows a new payment within a second', async () => {
    const tab = await signedInTab(place, student)
    await tab.clock.install()
    await tab.goto('/dashboard/me/test/payments')
    await row(tab, known).waitFor()
    for (let hour = 0; hour < 3; hour += 1) {
      const reopened = tab.waitForResponse((response) => response.url().includes('/v1/changes'))
      await tab.clock.fastForward('01:00:00')
      await reopened
    }
    const reference = await pay('+255754122789')
    const startedAt = performance.now()
    await row(tab, reference).waitFor({ timeout: 5_000 })
    const ms = performance.now() - startedAt
    t.diagnostic(`seen after ${ms.toFixed(0)} ms`)
    assert.ok(ms <= 1_000, `${ms} ms`)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D32] Home costs at most 200 KB in an hour in which nothing happens', async () => {
    const tab = await signedInTab(place, student)
    await tab.clock.install()
    const opened = tab.waitForResponse((response) => response.url().includes('/v1/changes'))
    await tab.goto('/dashboard/me/test')
    await opened
    await tab.getByRole('region', { name: 'Available' }).waitFor()
    await tab.waitForLoadState('networkidle').catch(() => undefined)
    // The heartbeats of the service: one of them, in real time.
    const quiet = bytes()
    await eventually('a heartbeat', () => bytes() > quiet, 20_000)
    const heartbeat = bytes() - quiet
    const before = bytes()
    // More often than in a real hour, in which the token ends the stream four times and the lists are read six times.
    for (let turn = 0; turn < 6; turn += 1) {
      const again = tab.waitForResponse((response) => response.url().includes('/v1/changes'))
      await tab.clock.fastForward('10:00')
      await again
      await tab.clock.runFor(2_000)
    }
    const spent = bytes() - before
    const hour = spent + heartbeat * 240
    t.diagnostic(`an hour: ${hour} bytes, of them ${heartbeat * 240} for 240 heartbeats`)
    assert.ok(hour <= 200_000, `${hour} bytes`)
    await tab.context().close()
  })

  await t.test(
    '[D32] without connection a notice says since when the screen is old; it goes, and the missed payment is there',
    async () => {
      const tab = await signedInTab(place, student)
      await tab.goto('/dashboard/me/test/payments')
      await row(tab, known).waitFor()
      await tab.getByRole('status').first().waitFor({ state: 'attached' })
      await tab.context().setOffline(true)
      await notice(tab).waitFor({ timeout: 10_000 })
      assert.match((await notice(tab).textContent())!, /^Not updated since \d\d:\d\d\. Trying again\.$/)
      const missed = await pay('+255754123789')
      await app.settled(missed)
      assert.equal(await row(tab, missed).count(), 0)
      await tab.context().setOffline(false)
      await row(tab, missed).waitFor({ timeout: 5_000 })
      await notice(tab).waitFor({ state: 'detached', timeout: 5_000 })
      assert.deepEqual(
        tab.problems.filter((problem) => !problem.includes('ERR_INTERNET_DISCONNECTED')),
        [],
      )
      await tab.context().close()
    },
  )

  await t.test('[D32] Home says of when its money is while it cannot be read again, and recovers', async () => {
    for (const path of ['balance', 'summary']) {
      const address = `**/v1/merchant/${path}?*`
      const tab = await signedInTab(place, student)
      await tab.goto('/dashboard/me/test')
      const part = tab.getByRole('region', { name: path === 'balance' ? 'Available' : 'Today', exact: true })
      const before = await part.getByText('TSh').first().textContent()
      await tab.route(address, (route) => route.fulfill({ status: 503, body: '' }))
      await app.settled(await pay('+255754125789'))
      await part.getByText(/^As of \d\d:\d\d$/).waitFor({ timeout: 10_000 })
      assert.equal(await part.getByText('TSh').first().textContent(), before)
      await notice(tab).waitFor()
      await tab.unroute(address)
      await notice(tab).waitFor({ state: 'detached', timeout: 20_000 })
      assert.equal(await tab.getByText('As of').count(), 0)
      assert.notEqual(await part.getByText('TSh').first().textContent(), before)
      await tab.context().close()
    }
  })

  await t.test(
    'seven windows of a browser have one stream, and follow changes also when the window that has it is closed',
    async () => {
      const first = await signedInTab(place, student)
      const tabs = [first, ...(await Promise.all(Array.from({ length: 6 }, () => openTab(first.context()))))]
      for (const tab of tabs) {
        await tab.goto('/dashboard/me/test/payments')
        await row(tab, known).waitFor()
      }
      const streams = async (): Promise<number | undefined> =>
        valueOf(parseScrape((await app.deps.meters.render()).text), 'malipo_live_streams', { face: 'merchant' })
      await eventually('one stream', async () => (await streams()) === 1)
      const one = await pay('+255754126789')
      for (const tab of tabs) await row(tab, one).waitFor({ timeout: 3_000 })
      await first.close()
      const two = await pay('+255754127789')
      for (const tab of tabs.slice(1)) await row(tab, two).waitFor({ timeout: 5_000 })
      assert.equal(await streams(), 1)
      for (const tab of tabs) assert.deepEqual(tab.problems, [])
      await first.context().close()
    },
  )

  await t.test('[D32] where streams are cut, a waiting request takes their place', async () => {
    const tab = await signedInTab(place, student)
    const asked: string[] = []
    await tab.route('**/v1/changes*', async (route) => {
      const accept = (await route.request().headerValue('accept'))!
      asked.push(accept)
      // A proxy that ends every answer at once.
      if (accept === 'text/event-stream') await route.fulfill({ status: 200, contentType: accept, body: ':\n\n' })
      else await route.continue()
    })
    await tab.goto('/dashboard/me/test/payments')
    await row(tab, known).waitFor()
    await eventually('requests that wait', () => asked.includes('application/json'))
    const reference = await pay('+255754124789')
    await row(tab, reference).waitFor({ timeout: 3_000 })
    assert.equal(await notice(tab).count(), 0)
    await tab.context().close()
  })

  for (const language of ['sw', 'en'] as const) {
    await t.test(`[D32] the notice on a phone and a desktop (${language})`, async () => {
      const tab = await signedInTab(place, student, { language })
      await tab.route('**/v1/changes*', (route) => route.abort())
      await tab.goto('/dashboard/me/test')
      await looksRightEverywhere(tab, `live-notice-${language}`, async () => notice(tab).waitFor({ timeout: 10_000 }))
      await tab.context().close()
    })
  }

  await t.test('[D32] the console says it, too, and follows a switch within a second', async () => {
    const tab = await operatorTab(place, await app.admin())
    const other = await app.admin()
    await tab.goto('/admin/switches')
    await tab.getByRole('heading', { level: 1 }).waitFor()
    await tab.context().setOffline(true)
    await notice(tab).waitFor({ timeout: 10_000 })
    await tab.context().setOffline(false)
    await notice(tab).waitFor({ state: 'detached', timeout: 5_000 })
    const reason = 'A drill of the console'
    const turned = await app.call('PUT', '/v1/admin/switches/payouts', { token: other.token, body: { state: 'off', reason } })
    assert.equal(turned.status, 200, JSON.stringify(turned.body))
    await tab.getByText(reason).waitFor({ timeout: 1_500 })
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })
})
