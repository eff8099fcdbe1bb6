/** The cost of the merchants' dashboard on an ordinary phone and network, measured in Chromium, and how soon money shows. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { seedHistory } from '../../server/merchant-account/history-fixture.ts'
import { eventually, startTestApp, type Student, type TestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { guestTab, signedInTab } from './dashboard.ts'

const kibibyte = 1024
/** 9 Mbit/s each way with a round trip of 100 ms, as three of four people in the world have it, and a processor 4 times slower. */
const network = { downloadThroughput: 9e6 / 8, uploadThroughput: 9e6 / 8, latency: 100, offline: false }
const slowerBy = 4

/**
 * How many times longer a piece of work takes now than on an idle machine: a processor shared half with others is already twice as
 * slow.
 */
function currentSlowness(): number {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  const spent = (): number => process.cpuUsage(before).user / 1000
  while (spent() < 200);
  return Math.max(1, (performance.now() - startedAt) / spent())
}

type Transfer = { path: string; type: string; bytes: number }

/** Slows the tab down and counts the bytes over the wire, compressed. */
async function slowDown(tab: Page): Promise<{ transfers: Transfer[]; line: CDPSession }> {
  const line = await tab.context().newCDPSession(tab)
  const transfers: Transfer[] = []
  const open = new Map<string, { path: string; type: string }>()
  line.on('Network.responseReceived', ({ requestId, response, type }) => {
    open.set(requestId, { path: new URL(response.url).pathname, type })
  })
  line.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = open.get(requestId)
    if (request) transfers.push({ ...request, bytes: encodedDataLength })
  })
  await line.send('Network.enable')
  await line.send('Network.clearBrowserCache')
  await line.send('Network.emulateNetworkConditions', network)
  await line.send('Emulation.setCPUThrottlingRate', { rate: Math.max(1, slowerBy / currentSlowness()) })
  return { transfers, line }
}

const sum = (transfers: { bytes: number }[]): number => transfers.reduce((total, { bytes }) => total + bytes, 0) / kibibyte

/** Measures when the first payment of the list became visible, in milliseconds from the beginning of the visit. */
const noteFirstRow = `
  const look = () => {
    if (document.querySelector('main a[href*="/payments/pay_"]')) requestAnimationFrame(() => { window.rowsAt = performance.now() })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`

async function visit(
  place: { browser: Browser; app: TestApp },
  student: Student,
): Promise<{ rowsMs: number; transfers: Transfer[] }> {
  const tab = await signedInTab(place, student, { size: 'phone' })
  await tab.addInitScript(noteFirstRow)
  const { transfers } = await slowDown(tab)
  await tab.goto('/dashboard/me/test/payments')
  const rowsMs = await eventually('the payments are there', () => tab.evaluate<number | undefined>('window.rowsAt'), 60_000)
  assert.deepEqual(tab.problems, [])
  await tab.context().close()
  return { rowsMs, transfers }
}

test('the dashboard is quick', async (t: TestContext) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const place = { browser, app }
  const student = await app.student()
  const old = await app.page(student, { title: 'Ada ya muhula' })
  const firstAt = new Date(Date.now() - 20 * 86_400_000).toISOString()
  await seedHistory(app, old.id, { count: 400, amount: 12_500, firstAt, everySeconds: 3600 })

  await t.test('[D15] a first visit sees its payments within 3.5 seconds, for at most 400 KiB', async (t) => {
    const visits: Awaited<ReturnType<typeof visit>>[] = []
    // The fastest of a few: other work on this machine is not a cost of the dashboard.
    for (let turn = 0; turn < 5; turn += 1) visits.push(await visit(place, student))
    const quickest = Math.min(...visits.map(({ rowsMs }) => rowsMs))
    const bytes = sum(visits[0]!.transfers)
    const scripts = sum(visits[0]!.transfers.filter(({ type }) => type === 'Script'))
    t.diagnostic(
      `payments after ${visits.map(({ rowsMs }) => Math.round(rowsMs)).join(', ')} ms; ${bytes.toFixed(0)} KiB, ${scripts.toFixed(0)} of them scripts, in ${visits[0]!.transfers.length} answers`,
    )
    assert.ok(quickest <= 3_500, `${quickest} ms`)
    assert.ok(bytes <= 400, `${bytes} KiB: ${JSON.stringify(visits[0]!.transfers)}`)
  })

  await t.test('[D15] signing in needs at most 180 KiB of scripts, and none of the screens behind it', async (t) => {
    const tab = await guestTab(place, { size: 'phone' })
    await slowDown(tab)
    await tab.goto('/dashboard')
    await tab.getByRole('button', { name: 'Sign in' }).waitFor()
    const scripts = await tab.evaluate<{ name: string; bytes: number }[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        .map(({ name, encodedBodySize }) => ({ name: new URL(name).pathname, bytes: encodedBodySize }))`,
    )
    t.diagnostic(`${sum(scripts).toFixed(0)} KiB in ${scripts.length} scripts`)
    assert.ok(scripts.length > 0)
    assert.ok(sum(scripts) <= 180, `${sum(scripts)} KiB: ${JSON.stringify(scripts)}`)
    assert.deepEqual(
      scripts.filter(({ name }) => /shell|payments|verification|profile|chart|data-table/.test(name)),
      [],
    )
    await tab.context().close()
  })

  await t.test('[D5] a payment that completes is on the open list within 2 seconds', async (t) => {
    const page = await app.page(student, { title: 'Chai', amount: 1_500 })
    const tab = await signedInTab(place, student)
    await tab.goto('/dashboard/me/test/payments')
    await tab.locator('main a[href*="/payments/pay_"]').first().waitFor()
    const times: number[] = []
    for (let turn = 0; turn < 6; turn += 1) {
      const { reference } = (await app.checkout(page.slug)).body.data
      await app.settled(reference, ['completed'])
      const completedAt = performance.now()
      await tab
        .getByRole('row')
        .filter({ has: tab.locator(`a[href$="/payments/${reference}"]`) })
        .getByText('Completed')
        .waitFor()
      times.push(performance.now() - completedAt)
    }
    t.diagnostic(`shown after ${times.map(Math.round).join(', ')} ms`)
    assert.ok(Math.max(...times) <= 2_000, `${times.join(', ')} ms`)
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })
})
