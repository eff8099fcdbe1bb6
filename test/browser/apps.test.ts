/** The developers' section in a real Chromium: apps, their keys, their webhook and its deliveries, the quick start. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { fromWire } from '../../server/platform/ids.ts'
import { decideBusiness, registerBusiness, submitBusiness, uploadFour } from '../onboarding.ts'
import { eventually, startTestApp, type TestApp } from '../app.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, pressTwice, readableStorage, signedInTab, tabBeside } from './dashboard.ts'
import { startReceiver } from './receiver.ts'

const clipboard = (tab: Page): Promise<string> => tab.evaluate<string>('navigator.clipboard.readText()')

/** Whether any object still held by the page contains this text, after garbage collection. */
async function isInMemory(tab: Page, text: string): Promise<boolean> {
  const session = await tab.context().newCDPSession(tab)
  let snapshot = ''
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => void (snapshot += chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return snapshot.includes(text)
}

/** What a screen reader announces for the focused element. */
const focused = (tab: Page): Promise<string> =>
  tab.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")

/** Passes the gate before a value that is shown once, and returns the value. */
async function takeValue(tab: Page, dialog: Locator): Promise<string> {
  const goOn = dialog.getByRole('button', { name: 'Continue' })
  await goOn.waitFor()
  assert.equal(await goOn.isDisabled(), true)
  const focused = await tab.evaluate<string>('document.activeElement.textContent')
  assert.match(focused, /^This is shown only now/, 'the focus moves to the new value')
  await tab.keyboard.press('Escape')
  assert.equal(await dialog.isVisible(), true, 'the dialog with the value stays open')
  await dialog.getByRole('button', { name: 'Copy: Key' }).click()
  const value = await clipboard(tab)
  await dialog.getByLabel('I have stored it in a safe place').check()
  await goOn.click()
  await dialog.waitFor({ state: 'hidden' })
  return value
}

const appOf = (tab: Page): string => /app_\w+/.exec(tab.url())![0]

const statusOf = async (app: TestApp, key: string): Promise<number> => (await app.call('GET', '/v1/balance', { key })).status

test('a merchant connects a program', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const everyone = { browser, app }
  const receiver = await startReceiver(t)
  const developers = '/dashboard/me/test/developers'
  const tab = await signedInTab(everyone, student)
  tab.setDefaultTimeout(12_000)

  await t.test('[D7] an app is created, and a key whose value is shown once', async () => {
    await tab.goto(developers)
    // The app of the sandbox is there from the registration.
    await tab.getByRole('link', { name: 'Test app' }).waitFor()
    await looksRightEverywhere(tab, 'apps-sandbox', () => tab.getByRole('link', { name: 'Test app' }).waitFor())
    await tab.getByRole('button', { name: 'Create an app' }).click()
    const making = tab.getByRole('dialog', { name: 'Create an app' })
    await making.getByLabel('Name').fill('Shop website')
    await making.getByLabel('Description (optional)').fill('Sells books')
    await making.getByRole('button', { name: 'Create an app' }).click()
    await tab.getByRole('heading', { name: 'Shop website' }).waitFor()
    await tab.getByText('No keys yet').waitFor()

    await tab.getByRole('button', { name: 'Create a key' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name of the key').fill('Server')
    for (const scope of await dialog.getByRole('checkbox').all()) await scope.uncheck()
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await dialog.getByText('Choose at least one.').waitFor()
    await dialog.getByLabel('Read the balance').check()
    await dialog.getByLabel('Pay out money').check()
    await dialog.getByLabel('Allowed addresses').fill('somewhere')
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await dialog.getByLabel('Allowed addresses').fill('127.0.0.1\n::1')
    await dialog.getByText('This key can send money from the wallet.').waitFor()
    await dialog.getByLabel('Last day').fill('2100-03-31')
    // Pressed twice, it creates one key.
    await pressTwice(dialog.getByRole('button', { name: 'Create a key' }))
    await dialog.getByText('This is shown only now.').waitFor()
    const shown = (await dialog.getByLabel('Key', { exact: true }).textContent())!
    assert.equal(await isInMemory(tab, shown), true)
    const value = await takeValue(tab, dialog)
    assert.equal(value, shown)
    assert.match(value, /^svc_test_\w{38}$/)
    assert.equal(await isInMemory(tab, value), false, 'nothing holds it once the gate has closed')
    assert.doesNotMatch(await readableStorage(tab), new RegExp(value))
    const [made, ...more] = (await app.call('GET', '/developers/keys', { token: student.token })).body.data
    assert.equal(made.expires_at, '2100-03-31T20:59:59.000Z')
    assert.deepEqual(
      more.map(({ key_name }: { key_name: string }) => key_name),
      ['Test key'],
      'only that of the sandbox',
    )
    assert.equal(await statusOf(app, value), 200)
    const row = tab.getByRole('row', { name: /Server/ })
    await row.getByText(`svc_test_…${value.slice(-4)}`).waitFor()
    assert.deepEqual(await row.getByText(/:(read|write)$/).allTextContents(), ['balance:read', 'payouts:write'])
    await row.getByText('127.0.0.1').waitFor()
    await row.getByText('Active').waitFor()
    await row.getByText(/^Ends 31 Mar 2100/).waitFor()
    await tab.reload()
    await row.getByText('now').first().waitFor()
    assert.ok(!(await tab.content()).includes(value))
    await looksRightEverywhere(tab, 'app', () => tab.getByRole('heading', { name: 'Webhook', exact: true }).waitFor())
  })

  await t.test('[D7] a key is renamed, rolled with a grace period, and revoked by typing its name', async () => {
    const menu = async (name: string, what: string): Promise<void> => {
      await tab
        .getByRole('button', { name: `Actions for “${name}”` })
        .first()
        .click()
      await tab.getByRole('menuitem', { name: what }).click()
    }
    const dialog = tab.getByRole('dialog')
    await menu('Server', 'Name and addresses')
    await dialog.getByLabel('Name of the key').fill('Main server')
    await dialog.getByLabel('Allowed addresses').fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })

    await menu('Main server', 'Roll')
    await dialog.getByLabel('one more hour').check()
    await dialog.getByRole('button', { name: 'Roll' }).click()
    const value = await takeValue(tab, dialog)
    await tab.getByText('Ends soon').waitFor()
    await eventually('the focus is back', async () => (await focused(tab)) === 'Actions for “Main server”')
    assert.equal(await tab.getByRole('row', { name: /Main server/ }).count(), 2)

    const newest = tab.getByRole('row', { name: new RegExp(value.slice(-4)) })
    await newest.getByRole('button').click()
    await tab.getByRole('menuitem', { name: 'Revoke' }).click()
    const revoke = dialog.getByRole('button', { name: 'Revoke' })
    await dialog.getByText(/stops working at once/).waitFor()
    assert.equal(await revoke.isDisabled(), true)
    await dialog.getByRole('textbox').fill('main server')
    assert.equal(await revoke.isDisabled(), true, 'letter by letter')
    assert.equal(await statusOf(app, value), 200)
    await dialog.getByRole('textbox').fill('Main server')
    await revoke.click()
    await newest.getByText('Revoked').waitFor()
    assert.equal(await statusOf(app, value), 401)
  })

  await t.test('[D7] a key whose value was lost in transit is named as one to revoke', async () => {
    await tab.route('**/developers/keys', async (route) => {
      await route.fetch()
      return route.abort('connectionreset')
    })
    await tab.getByRole('button', { name: 'Create a key' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name of the key').fill('Lost answer')
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await dialog.getByRole('alert').getByText('no one has its value: revoke it').waitFor()
    await tab.unroute('**/developers/keys')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await tab.getByRole('row', { name: /Lost answer/ }).waitFor()
    await eventually('the focus is back', async () => (await focused(tab)) === 'Create a key')
  })

  await t.test('[D7] an app is deleted by typing its name, and its keys with it', async () => {
    const { appId, key } = await app.key(student)
    const name = 'Old till'
    await app.call('PATCH', `/developers/apps/${appId}`, { token: student.token, body: { name } })
    await tab.goto(`${developers}/apps/${appId}`)
    await tab
      .getByRole('button', { name: `Actions for “${name}”` })
      .first()
      .click()
    await tab.getByRole('menuitem', { name: 'Delete the app' }).click()
    const dialog = tab.getByRole('dialog')
    const remove = dialog.getByRole('button', { name: 'Delete the app' })
    assert.equal(await remove.isDisabled(), true)
    await dialog.getByRole('textbox').fill(name)
    await remove.click()
    await tab.waitForURL(`**${developers}`)
    assert.equal(await statusOf(app, key), 401)
  })

  await t.test('[D7] live keys of a business wait for its verification, and the page explains it', async () => {
    const business = await registerBusiness(app, student)
    const { body } = await app.call('POST', '/developers/apps', {
      token: student.token,
      body: { name: 'Till', environment: 'live', business_id: business.id },
    })
    // An address that names another wallet leads to the app's own.
    await tab.goto(`${developers}/apps/${body.data.id}`)
    await tab.waitForURL(`**/dashboard/${business.id}/live/developers/apps/${body.data.id}`)
    await tab.getByText('Live keys are not available yet').waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Create a key' }).count(), 0)
    await tab.getByText('The business is not verified yet. See the open steps.').waitFor()
    await looksRightEverywhere(tab, 'app-barred', () => tab.getByText('Live keys are not available yet').waitFor())
    const sent = await submitBusiness(app, student, business.id, await uploadFour(app, student, business.id))
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const decided = await decideBusiness(app, await app.admin(), business.id, { status: 'verified' })
    assert.equal(decided.status, 200, JSON.stringify(decided.body))
    await tab.reload()
    await tab.getByRole('button', { name: 'Create a key' }).waitFor()
    assert.equal(await tab.getByText('Live keys are not available yet').count(), 0)
    // In production a key would be refused until the address is verified; the page says so beforehand.
    await app.owner.pool.query('update users set email_verified_at = null where id = $1', [fromWire('usr', student.userId)])
    await tab.reload()
    await tab.getByRole('link', { name: 'Enter the code' }).waitFor()
    await app.owner.pool.query('update users set email_verified_at = now() where id = $1', [fromWire('usr', student.userId)])
    await tab.reload()
    await tab.getByRole('button', { name: 'Create a key' }).waitFor()
    assert.equal(await tab.getByText('Verify your e-mail address').count(), 0)
    await tab.goto(`/dashboard/${business.id}/test/developers`)
    // Only that of its own sandbox.
    await tab.getByRole('link', { name: 'Test app' }).waitFor()
    assert.equal(await tab.getByRole('main').locator('a[href*="/apps/app_"]').count(), 1)
  })
  assert.deepEqual(tab.problems, [])

  await t.test('[D8] a webhook is set, its secret shown, copied and rotated', async () => {
    // The to-do list links there.
    await tab.goto('/dashboard/me/test')
    await tab.getByRole('link', { name: /Notify your server of payments/ }).click()
    await tab.getByRole('link', { name: 'Shop website' }).click()
    await tab.getByRole('button', { name: 'Set the address' }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Address').fill('nowhere')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await dialog.getByLabel('Address').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await tab.getByText(receiver.url).waitFor()
    assert.equal(await tab.getByText(/^whsec_[\w+/]/).count(), 0)
    await tab.getByRole('button', { name: 'Show', exact: true }).click()
    const shown = tab.getByText(/^whsec_[\w+/=]{20}/)
    const first = await shown.textContent()
    await tab.getByRole('button', { name: 'Copy: Signing secret' }).click()
    assert.equal(await clipboard(tab), first)
    await tab.getByRole('button', { name: 'Rotate' }).click()
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    await eventually('another secret', async () => (await shown.textContent()) !== first)
    const { body } = await app.call('GET', `/developers/apps/${appOf(tab)}/webhook`, { token: student.token })
    assert.equal(await shown.textContent(), body.data.secret)
    await tab.getByRole('button', { name: 'Hide' }).click()
    assert.equal(await shown.count(), 0)
    assert.equal(await isInMemory(tab, body.data.secret), false, 'a hidden secret is not in memory')
  })

  const deliveries = tab.getByRole('table', { name: 'Deliveries' })

  await t.test('[D8] a test event is sent, and its delivery shows the request and the response', async () => {
    await tab.getByRole('button', { name: 'Send a test event' }).click()
    await deliveries.getByText('Delivered').waitFor({ timeout: 15_000 })
    const row = deliveries.getByRole('row').nth(1)
    await row.getByText('1/5').waitFor()
    await row.getByRole('cell', { name: '200' }).waitFor()
    await row.getByRole('link').click()
    // The list that the user leaves shows it too.
    await tab.getByRole('region', { name: 'Delivery' }).getByText('A test event', { exact: true }).waitFor()
    const [received] = receiver.received
    assert.equal(await tab.getByLabel('Body, byte for byte', { exact: true }).textContent(), received!.body)
    const headers = tab.getByRole('group', { name: 'Headers' })
    for (const name of ['x-service-event', 'x-service-timestamp', 'webhook-id', 'content-type']) {
      const line = headers.locator('div', { has: tab.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).last()
      assert.equal(await line.locator('dd').textContent(), received!.headers[name])
    }
    assert.equal(await tab.getByLabel('Answer', { exact: true }).last().textContent(), 'thanks')
    await looksRightEverywhere(tab, 'delivery', () => tab.getByText('thanks').waitFor())

    await tab.getByRole('button', { name: 'Send it again' }).click()
    await eventually('the same event again', async () => receiver.received.length === 2)
    assert.equal(receiver.received[1]!.body, received!.body)
    const attempts = tab.getByRole('table', { name: 'Attempts for this event' })
    await attempts.getByText('1 of 5: this one').waitFor()
    await attempts.getByRole('link', { name: '1 of 1' }).click()
    await attempts.getByText('1 of 1: this one').waitFor()
    await tab.getByText('Resent by hand').first().waitFor()
    await tab.getByRole('link', { name: 'To the app' }).click()
    await deliveries.getByText('1/1').waitFor()
  })

  await t.test('[D8] failures are distinguished and show the next attempt, and missed events are sent again', async () => {
    receiver.status = 500
    await tab.getByRole('button', { name: 'Send a test event' }).click()
    const failed = deliveries.getByRole('row', { name: /Failed/ })
    await failed.waitFor({ timeout: 15_000 })
    await failed.getByRole('cell', { name: '500' }).waitFor()
    assert.match((await failed.getByRole('cell').last().textContent())!, /\d\d:\d\d/, 'when the next attempt is')
    await tab.getByText('Failed', { exact: true }).first().click()
    await tab.waitForURL(/outcome=failed/)
    await eventually('only that one', async () => (await deliveries.getByRole('row').count()) === 2)
    await looksRightEverywhere(tab, 'app-deliveries', () => tab.getByText('500').first().waitFor())
    await failed.getByRole('link').click()
    await tab.getByText('Your server did not answer with success (2xx).').waitFor()
    await tab.getByText('the shop is closed').waitFor()
    await tab.goBack()

    // By event and by day; the address contains the filter.
    const { data } = (await app.call('GET', `/developers/apps/${appOf(tab)}/webhook/deliveries`, { token: student.token })).body
    const { event_id: missed } = data.find(({ outcome }: { outcome: string }) => outcome === 'failed')
    await tab.goto(`${developers}/apps/${appOf(tab)}?event=${missed}`)
    await tab.getByRole('button', { name: `Only the event …${missed.slice(-6)}` }).waitFor()
    await eventually('its one attempt', async () => (await deliveries.getByRole('row').count()) === 2)
    await tab.getByRole('button', { name: `Only the event …${missed.slice(-6)}` }).click()
    await eventually('all three', async () => (await deliveries.getByRole('row').count()) === 4)
    await tab.getByLabel('To day').fill('2026-01-01')
    await tab.waitForURL(/to=2026-01-01/)
    await tab.getByText('No such deliveries').waitFor()
    await tab.getByLabel('To day').fill('')

    receiver.status = 200
    const before = receiver.received.length
    await tab.getByRole('button', { name: 'Send again' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await tab.getByText('One event is being sent again.').waitFor()
    await eventually('only the missed event', async () => receiver.received.length === before + 1)
    await tab.getByRole('button', { name: 'Send again' }).click()
    await tab.getByRole('dialog').getByLabel('All events').check()
    await tab.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
    await tab.getByText('2 events are being sent again.').waitFor()
    await eventually('both', async () => receiver.received.length === before + 3)
  })

  await t.test('[D8] a webhook that was switched off shows the reason, and is switched on again', async () => {
    await app.owner.pool.query(`update webhook_endpoints set enabled = false, disabled_reason = 'endpoint_gone'`)
    await tab.getByText('your server answered three times in a row that it is gone').waitFor()
    await tab.getByText('Switched off', { exact: true }).waitFor()
    assert.equal(await tab.getByRole('button', { name: 'Send a test event' }).isDisabled(), true)
    await looksRightEverywhere(tab, 'app-webhook-off', () => tab.getByText('Switched off', { exact: true }).waitFor())
    // The list of all apps shows which one it is.
    await tab.getByRole('link', { name: 'Apps and keys' }).first().click()
    await tab
      .getByRole('row', { name: /Shop website/ })
      .getByText('Switched off')
      .waitFor()
    await tab.getByRole('link', { name: 'Shop website' }).click()
    await tab.getByRole('button', { name: 'Switch it on again' }).click()
    await tab.getByText('On', { exact: true }).waitFor()
    await tab.getByText('Switched off', { exact: true }).waitFor({ state: 'hidden' })
  })

  await t.test('[D8] a live app gets no test event, and a webhook is removed', async () => {
    const { body } = await app.call('POST', '/developers/apps', {
      token: student.token,
      body: { name: 'Live till', environment: 'live' },
    })
    const { id } = body.data
    await app.call('POST', `/developers/apps/${id}/webhook`, { token: student.token, body: { url: receiver.url } })
    const other = await tabBeside(tab)
    await other.goto(`/dashboard/me/live/developers/apps/${id}`)
    await other.getByText('Test events exist only in the test environment').waitFor()
    assert.equal(await other.getByRole('button', { name: 'Send a test event' }).count(), 0)
    await other.getByRole('button', { name: 'Remove' }).click()
    await other.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await other.getByText('No webhook yet').waitFor()
    await other.close()
  })

  await t.test('[D8] the programs that check a signature are those of the guide', async () => {
    const guide = readFileSync(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8')
    const seen: string[] = []
    for (const language of ['Node', 'PHP', 'Python', 'Go']) {
      await tab.getByRole('radiogroup', { name: 'Programming language' }).getByText(language).click()
      const program = await tab.locator(`pre[aria-label=${language}]`).textContent()
      assert.ok(guide.includes(`\n${program}\n\`\`\``), language)
      seen.push(program!)
    }
    assert.equal(new Set(seen).size, 4)
    assert.match(seen[0]!, /createHmac/)
  })

  await t.test('[D13] the quick start creates a personal key, and its commands work unchanged', async () => {
    await tab.goto(`${developers}/quick-start`)
    await tab.getByRole('button', { name: 'Make a test key' }).click()
    const value = await takeValue(tab, tab.getByRole('dialog'))
    const copied = async (step: string): Promise<string> => {
      await tab.getByRole('button', { name: `Copy: ${step}` }).click()
      return clipboard(tab)
    }
    // One terminal: the first block sets what the others use.
    const start = await copied('1. Get your test key')
    assert.equal(start, `BASE=${app.config.urls.api}\nKEY=${value}`)
    const run = async (step: string): Promise<any[]> => {
      const { stdout } = await promisify(execFile)('bash', ['-c', `${start}\n${await copied(step)}`])
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    const [made] = await run('2. Take a payment')
    await app.settled(made.data.reference)
    const [listed, balance] = await run('3. See the money')
    assert.equal(listed.data[0].status, 'completed')
    assert.ok(balance.data.available >= 2500, JSON.stringify(balance))
    const [events] = await run('4. Read the event')
    assert.equal(events.data[0].data.reference, made.data.reference)
    // The page of the documentation is the source of each word: both have the same commands.
    const page = await (await fetch(`${app.config.urls.api}/docs/quick-start.md`)).text()
    for (const step of ['2. Take a payment', '3. See the money', '4. Read the event'])
      assert.ok(page.includes(`\`\`\`sh\n${await copied(step)}\n\`\`\``), step)
    await looksRightEverywhere(tab, 'quick-start', () => tab.getByRole('button', { name: 'Make a test key' }).waitFor())
    assert.ok(!(await tab.content()).includes(value), 'a key that was shown is not shown again')
  })

  await t.test('[D13] the quick start is for the test environment', async () => {
    await tab.goto('/dashboard/me/live/developers/quick-start')
    await tab.getByRole('link', { name: 'Go to the test environment' }).click()
    await tab.waitForURL(`**${developers}/quick-start`)
  })
  assert.deepEqual(tab.problems, [])
})
