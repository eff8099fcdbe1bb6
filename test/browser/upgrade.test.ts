/** A tab that was opened before an upgrade, in a real Chromium: the files of its version are gone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { signedInTab } from './dashboard.ts'

test('a part whose file is gone loads the tab again, once, and the tab never becomes blank', async (t) => {
  const app = await startTestApp(t)
  const tab = await signedInTab({ browser: await startBrowser(t), app }, await app.student())
  await tab.goto('/dashboard/profile')
  await tab.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  let loads = 0
  let missed = 0
  tab.on('load', () => (loads += 1))
  await tab.route(/\/assets\/enroll-factor[^/]*\.js/, async (route) => {
    missed += 1
    await route.fulfill({ status: 404, body: '' })
  })
  const connect = () => tab.getByRole('button', { name: 'Connect an app' }).click()
  await connect()
  await eventually('the tab is loaded again', () => loads === 1)
  await tab.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  const before = missed
  await connect()
  await eventually('the file is missed again', () => missed > before + 1)
  await eventually('something is shown', async () => (await tab.locator('#root').innerText()).trim() !== '')
  assert.equal(loads, 1)
  await tab.context().close()
})
