/** Files that do not arrive in an open tab, in a real Chromium: after an upgrade they are gone, and without a network they come later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromWire } from '../../server/platform/ids.ts'
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
  await tab.evaluate('window.isSameLoad = true')
  await connect()
  await eventually('the file is missed again', () => missed > before + 1)
  await eventually('something is shown', async () => (await tab.locator('#root').innerText()).trim() !== '')
  // When this is answered, so was the question whether the file is gone.
  await tab.evaluate(`fetch('/readyz').then((answer) => answer.text())`)
  assert.deepEqual([loads, await tab.evaluate('window.isSameLoad')], [1, true])
  await tab.context().close()
})

test('a step-up whose file does not arrive says so, and the next one works', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const tab = await signedInTab({ browser: await startBrowser(t), app }, student)
  tab.setDefaultTimeout(15_000)
  await tab.goto('/dashboard/profile')
  const connect = tab.getByRole('button', { name: 'Connect an app' })
  await connect.waitFor()
  await app.owner.pool.query(`update sessions set authenticated_at = authenticated_at - interval '1 hour' where user_id = $1`, [
    fromWire('usr', student.userId),
  ])
  let isLost = true
  await tab.route(/\/assets\/step-up-dialog[^/]*\.js/, (route) => (isLost ? route.abort('connectionfailed') : route.continue()))
  await connect.click()
  await tab.getByText('The window to verify that it is you could not be loaded.').waitFor()
  isLost = false
  await tab.keyboard.press('Escape')
  await connect.click()
  await tab.getByRole('dialog', { name: 'Verify that it is you' }).waitFor()
  await tab.context().close()
})
