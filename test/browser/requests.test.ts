/** The log of requests in a real Chromium: the calls of keys, filtered by outcome, app and key, live. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'

test('a merchant reads the requests of its programs', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t)
  const student = await app.student()
  const tab = await signedInTab({ browser, app }, student)
  tab.setDefaultTimeout(12_000)
  const address = '/dashboard/me/test/developers/requests'
  const log = tab.getByRole('table', { name: 'Request log' })
  const rows = log.getByRole('row')

  await t.test('[D13] without a request the log explains its purpose, and leads to the quick start', async () => {
    await tab.goto('/dashboard/me/test/developers')
    await tab.getByRole('navigation', { name: 'For developers' }).getByRole('link', { name: 'Requests' }).click()
    await tab.waitForURL(`**${address}`)
    await tab.getByText('No requests yet').waitFor()
    await looksRightEverywhere(tab, 'requests-none', () => tab.getByText('No requests yet').waitFor())
    const way = tab.getByRole('link', { name: 'To the quick start' })
    assert.equal(await way.getAttribute('href'), '/dashboard/me/test/developers/quick-start')
  })

  const main = await app.key(student)
  const poor = await app.key(student, 'test', ['profile:read'])

  await t.test(
    '[D13] a request appears in the log live, with its answer, its key and the id for questions about it',
    async () => {
      const answer = await app.call('GET', '/v1/balance?', { key: main.key })
      const row = rows.filter({ hasText: 'GET /v1/balance' })
      await row.waitFor({ timeout: 5_000 })
      await row.getByText('200').waitFor()
      await row.getByText('succeeded').waitFor()
      await row.getByText(`…${main.key.slice(-4)}`).waitFor()
      await row.getByRole('button', { name: 'Copy: Request id' }).click()
      assert.equal(await tab.evaluate<string>('navigator.clipboard.readText()'), answer.headers.get('x-request-id'))
    },
  )

  await t.test('[D13] a refused request shows the reason, and is found by outcome, app and key, in the address', async () => {
    await app.call('GET', '/v1/transactions?limit=7', { key: poor.key })
    await app.call('GET', '/v1/transactions?limit=many', { key: main.key })
    const failed = rows.filter({ hasText: 'insufficient_scope' })
    await failed.getByText('403').waitFor()
    await failed.getByText('failed').waitFor()
    await eventually('all three', async () => (await rows.count()) === 4)
    await tab.getByRole('radiogroup', { name: 'Which' }).getByText('Failed').click()
    await tab.waitForURL(/outcome=failed/)
    await eventually('two were refused', async () => (await rows.count()) === 3)
    await looksRightEverywhere(tab, 'requests', () => tab.getByText('insufficient_scope').waitFor())
    await tab.getByRole('combobox', { name: 'App' }).selectOption(poor.appId)
    await eventually('one of this app', async () => (await rows.count()) === 2)
    await tab.getByRole('combobox', { name: 'Key' }).selectOption(poor.keyId)
    await tab.waitForURL(new RegExp(`key=${poor.keyId}`))
    await failed.waitFor()
    await tab.getByRole('radiogroup', { name: 'Which' }).getByText('Succeeded').click()
    await tab.getByText('No such requests').waitFor()
  })

  await t.test('[D7, D13] a key leads to its own requests, a revoked one too', async () => {
    await app.call('DELETE', `/developers/keys/${main.keyId}`, { token: student.token })
    await tab.goto(`/dashboard/me/test/developers/apps/${main.appId}`)
    await tab
      .getByRole('row', { name: /Revoked/ })
      .getByRole('button')
      .click()
    const itsRequests = tab.getByRole('menuitem', { name: 'Its requests' })
    await itsRequests.waitFor()
    assert.equal(await tab.getByRole('menuitem').count(), 1)
    await itsRequests.click()
    await tab.waitForURL(new RegExp(`requests\\?app=${main.appId}&key=${main.keyId}$`))
    await eventually('its two', async () => (await rows.count()) === 3)
  })

  await t.test('[D13] a long log has pages', async () => {
    const { key } = await app.key(student)
    await Promise.all(Array.from({ length: 26 }, () => app.call('GET', '/v1/profile', { key })))
    await tab.goto(address)
    await eventually('the newest 25', async () => (await rows.count()) === 26)
    await tab.getByRole('button', { name: 'Older' }).click()
    await tab.waitForURL(/cursor=/)
    await rows.filter({ hasText: 'GET /v1/balance' }).waitFor()
    await tab.getByRole('button', { name: 'Back to the newest' }).click()
    await eventually('the newest again', async () => (await rows.count()) === 26)
  })

  await t.test('[D15] the log of requests is readable in Swahili', async () => {
    const swahili = await signedInTab({ browser, app }, student, { language: 'sw' })
    await swahili.goto(`${address}?outcome=failed`)
    await looksRightEverywhere(swahili, 'requests-sw', () => swahili.getByText('insufficient_scope').waitFor())
  })
  assert.deepEqual(tab.problems, [])
})
