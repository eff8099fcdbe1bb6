/**
 * A day at the till, replayed in two minutes: the payments of eight hours arrive on an open till on a phone. Its memory stays the same,
 * and between payments it needs almost no processor.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession } from 'playwright-core'
import { startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { signedInTab } from './dashboard.ts'

/** A payment a minute for eight hours. */
const payments = 480
const replayMs = 2 * 60_000
const mebibyte = 1024 * 1024

type Use = { heap: number; nodes: number; listeners: number; taskSeconds: number }

async function useOf(line: CDPSession): Promise<Use> {
  await line.send('HeapProfiler.collectGarbage')
  const { metrics } = await line.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((metric) => metric.name === name)!.value
  return { heap: of('JSHeapUsedSize'), nodes: of('Nodes'), listeners: of('JSEventListeners'), taskSeconds: of('TaskDuration') }
}

test('[D23] a till works all day: flat memory, and at most 1 % of a processor when nothing happens', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const page = await app.page(student, { title: 'Chai', amount: 1_500 })
  const tab = await signedInTab({ browser, app }, student, { size: 'phone', isTouch: true })
  await tab.goto('/dashboard/me/test/till')
  await tab.getByRole('switch', { name: 'Sound' }).tap()
  await tab.getByText('No payment yet').waitFor()
  // From now on the till counts the payments of this page.
  await tab.getByRole('button', { name: 'Pay code' }).tap()
  await tab.getByRole('dialog').getByRole('img', { name: 'Chai' }).waitFor()
  await tab.keyboard.press('Escape')
  const line = await tab.context().newCDPSession(tab)
  await line.send('Performance.enable')

  const startedAt = performance.now()
  let early: Use | undefined
  for (let count = 1; count <= payments; count += 1) {
    await app.checkout(page.slug)
    const dueMs = (count * replayMs) / payments - (performance.now() - startedAt)
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    // What is kept once, such as the list of ten and the audio, is there by now.
    if (count === payments / 4) early = await useOf(line)
  }
  await tab.getByText(`${payments} payments`).waitFor()
  const late = await useOf(line)
  const grown = (late.heap - early!.heap) / mebibyte
  t.diagnostic(
    `${payments} payments in ${Math.round((performance.now() - startedAt) / 1000)} s: heap ${(early!.heap / mebibyte).toFixed(1)} → ${(late.heap / mebibyte).toFixed(1)} MiB, nodes ${early!.nodes} → ${late.nodes}, listeners ${early!.listeners} → ${late.listeners}`,
  )
  assert.ok(grown <= 1, `${grown} MiB`)
  assert.ok(late.nodes <= early!.nodes + 200 && late.listeners <= early!.listeners + 20)

  // The last amount is spoken to its end first.
  await new Promise((resolve) => setTimeout(resolve, 15_000))
  const before = await useOf(line)
  const idleSeconds = 30
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000))
  const share = ((await useOf(line)).taskSeconds - before.taskSeconds) / idleSeconds
  t.diagnostic(`${(share * 100).toFixed(2)} % of a processor when nothing happens`)
  assert.ok(share <= 0.01, `${share}`)
  assert.deepEqual(tab.problems, [])
})
