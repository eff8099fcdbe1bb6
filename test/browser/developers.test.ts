/** The developers' section in a real Chromium: every dialog of an app, and every screen in Swahili. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp } from '../app.ts'
import { newMember, verifiedBusiness } from '../members.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'
import { startReceiver } from './receiver.ts'

test('the developers’ section fits at every width', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const everyone = { browser, app }
  const receiver = await startReceiver(t)
  const { appId } = await app.key(student)
  const developers = '/dashboard/me/test/developers'
  const shopApp = `${developers}/apps/${appId}`
  const { token } = student
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token, body: { url: receiver.url } })
  const deliveries = async () => (await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token })).body.data
  for (const status of [200, 500]) {
    receiver.status = status
    const before = (await deliveries()).length
    await app.call('POST', `/developers/apps/${appId}/webhook/test`, { token })
    await eventually('one more delivery', async () => (await deliveries()).length > before)
  }

  await t.test('[D8] the events of a webhook are chosen, its deliveries show their type and are filtered by it', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(shopApp)
    receiver.status = 200
    const dialog = tab.getByRole('dialog')
    const table = tab.getByRole('table', { name: 'Deliveries' })
    const save = () => dialog.getByRole('button', { name: 'Save' }).click()
    const chosen = async () => (await app.call('GET', `/developers/apps/${appId}/webhook/state`, { token })).body.data.events
    assert.deepEqual(await chosen(), ['payment.completed'])
    await tab.getByText('payment.completed', { exact: true }).first().waitFor()
    await tab.getByRole('button', { name: 'Change address and events' }).click()
    assert.ok(await dialog.getByLabel('Only payments that completed').isChecked())
    await dialog.getByLabel('Payments that completed, and the events I choose').check()
    const completed = dialog.getByRole('group', { name: 'Payments' }).getByLabel('The customer has paid')
    // Nobody can leave it out.
    assert.deepEqual([await completed.isChecked(), await completed.isDisabled()], [true, true])
    await dialog.getByLabel('The payment failed').check()
    await dialog.getByLabel('The customer has the refund').check()
    await save()
    await tab.getByText('payment.completed, payment.failed, refund.completed').waitFor()
    assert.deepEqual(await chosen(), ['payment.completed', 'payment.failed', 'refund.completed'])

    await app.checkout((await app.page(student)).slug, { phone_number: '0754 000 049' })
    await table.getByRole('link', { name: /payment\.failed/ }).waitFor({ timeout: 15_000 })
    const type = tab.getByLabel('Type of event')
    await type.selectOption('payment.failed')
    await tab.waitForURL(/type=payment.failed/)
    await eventually('only that one', async () => (await table.getByRole('row').count()) === 2)
    await tab.reload()
    await table.getByRole('link', { name: /payment\.failed/ }).waitFor()
    assert.equal(await table.getByRole('row').count(), 2)
    await type.selectOption('refund.completed')
    await tab.getByText('No such deliveries').waitFor()
    await type.selectOption('')
    await table.getByText('payment.completed').first().waitFor()

    await tab.getByRole('button', { name: 'Change address and events' }).click()
    assert.ok(await dialog.getByLabel('The payment failed').isChecked())
    await dialog.getByLabel('All events').check()
    await save()
    // The form has these words, too.
    await dialog.waitFor({ state: 'hidden' })
    await tab.getByText('All events, also types that are added later').waitFor()
    assert.deepEqual(await chosen(), ['*'])
    await tab.getByRole('button', { name: 'Change address and events' }).click()
    await dialog.getByLabel('Only payments that completed').check()
    await save()
    await eventually('the usual choice again', async () => (await chosen()).join() === 'payment.completed')
    assert.deepEqual(tab.problems, [])
  })

  await t.test('[D15] the dialogs of an app fit at every width, in light and dark', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(shopApp)
    const dialog = tab.getByRole('dialog')
    const press = (name: string) => tab.getByRole('button', { name, exact: true }).click()
    const ofKey = async (what: string): Promise<void> => {
      await tab
        .getByRole('row')
        .or(tab.getByRole('listitem'))
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click()
      await tab.getByRole('menuitem', { name: what }).click()
      await dialog.waitFor()
    }
    await looksRightEverywhere(tab, 'app-create-key', async () => {
      await press('Create a key')
      await dialog.getByLabel('Pay out money').check()
    })
    await looksRightEverywhere(tab, 'app-key-shown', async () => {
      await press('Create a key')
      await dialog.getByLabel('Name of the key').fill('Till')
      await dialog.getByRole('button', { name: 'Create a key' }).click()
      await dialog.getByText('This is shown only now.').waitFor()
    })
    await looksRightEverywhere(tab, 'app-edit-key', () => ofKey('Name and addresses'))
    await looksRightEverywhere(tab, 'app-roll-key', () => ofKey('Roll'))
    await looksRightEverywhere(tab, 'app-revoke-key', () => ofKey('Revoke'))
    await looksRightEverywhere(tab, 'app-webhook-events', async () => {
      await press('Change address and events')
      await dialog.getByLabel('Payments that completed, and the events I choose').check()
      await dialog.getByLabel('The payment failed').check()
    })
    await looksRightEverywhere(tab, 'app-send-again', () => press('Send again'))
    await looksRightEverywhere(tab, 'app-rotate', () => press('Rotate'))
  })

  await t.test('[D15] the developers’ section is readable in Swahili', async () => {
    const swahili = await signedInTab(everyone, student, { language: 'sw' })
    const [delivery] = await deliveries()
    for (const [name, address, text] of [
      ['apps', developers, 'Imewashwa'],
      ['app', shopApp, 'Hakiki sahihi'],
      ['delivery', `${shopApp}/deliveries/${delivery.id}`, 'Mwili, herufi kwa herufi'],
      ['quick-start', `${developers}/quick-start`, 'Unda ufunguo wa majaribio'],
    ] as const) {
      await swahili.goto(address)
      await looksRightEverywhere(swahili, `${name}-sw`, () => swahili.getByText(text).first().waitFor())
      assert.equal(await swahili.evaluate<string>('document.documentElement.lang'), 'sw')
    }
    await swahili.goto(shopApp)
    await looksRightEverywhere(swahili, 'app-create-key-sw', async () => {
      await swahili.getByRole('button', { name: 'Unda ufunguo' }).click()
      await swahili.getByRole('dialog').getByLabel('Kutuma pesa').check()
    })
    await looksRightEverywhere(swahili, 'app-webhook-events-sw', async () => {
      await swahili.getByRole('button', { name: 'Badili anwani na matukio' }).click()
      await swahili.getByRole('dialog').getByLabel('Malipo yaliyokamilika, na matukio ninayochagua').check()
    })
    assert.deepEqual(swahili.problems, [])
  })
})

test('[D15] the live key of a developer waits, and the owner grants its permissions on the screen', async (t) => {
  const browser = await startBrowser(t)
  const app = await startTestApp(t)
  const owner = await app.student()
  const businessId = await verifiedBusiness(app, owner, await app.admin())
  const developer = await newMember(app, owner, businessId, 'developer')
  const made = await app.call('POST', '/developers/apps', {
    token: developer.token,
    body: { name: 'Shop', environment: 'live', business_id: businessId },
  })
  const appId = made.body.data.id
  const key = await app.call('POST', '/developers/keys', {
    token: developer.token,
    body: { app_id: appId, key_name: 'Reports', scopes: ['payments:read', 'balance:read'] },
  })
  const waiting = key.body.data.waiting_scopes
  assert.ok(waiting.length > 0, JSON.stringify(key.body))
  const tab = await signedInTab({ browser, app }, owner)
  await tab.goto(`/dashboard/${businessId}/live/developers/apps/${appId}`)
  await tab.getByText(`Waits until an owner or admin grants it: ${waiting.join(', ')}`).waitFor()
  await tab.getByRole('button', { name: 'Actions for “Reports”' }).click()
  await tab.getByRole('menuitem', { name: 'Grant the permissions' }).click()
  await tab.getByRole('dialog').getByRole('button', { name: 'Grant the permissions' }).click()
  await tab.getByText('“Reports” has its permissions.').waitFor()
  const [granted] = (await app.call('GET', `/developers/keys?app_id=${appId}`, { token: owner.token })).body.data
  assert.deepEqual(granted.waiting_scopes, [])
})
