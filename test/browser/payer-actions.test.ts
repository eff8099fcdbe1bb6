/** A payer's options while waiting, in a real Chromium: see that a network has problems, have the request sent again, and cancel. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkCharges } from '../../server/collect/payments/check-charges.ts'
import { eventually, startTestApp } from '../app.ts'
import { accessibilityProblems, overflows, startBrowser } from './browser.ts'

const pictures = process.env['SCREENSHOTS']
if (pictures) mkdirSync(pictures, { recursive: true })

test('a payer who cancels without a PIN sees where it stands, and within seconds of the network’s proof that paying again is safe [R19]', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const page = await app.page(await app.student(), { title: 'Ada ya mtihani', amount: 25_000 })
  const browser = await startBrowser(t)
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({
      viewport: { width: 360, height: 640 },
      locale: 'sw-TZ',
      timezoneId: 'Africa/Dar_es_Salaam',
      javaScriptEnabled,
    })
    const tab = await context.newPage()
    await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}`)
    await tab.locator('#phone_number').fill(javaScriptEnabled ? '0754 000 111' : '0754 000 112')
    await tab.locator('#customer_name').fill('Juma Hamisi')
    await tab.locator('#send').click()
    await tab.waitForURL(/\/pay\/[^/]+\/pay_\w{26}\?/)
    const reference = /pay_\w{26}/.exec(tab.url())![0]
    await tab.locator('#count').waitFor()
    await tab.getByRole('button', { name: 'Ghairi malipo' }).click()
    await tab.getByRole('heading', { name: 'Tunaghairi malipo' }).waitFor()
    await tab.getByText(/Tutauliza mtandao tena ifikapo \d\d:\d\d\. Mtandao usipojibu, malipo haya yatabaki wazi/).waitFor()
    assert.doesNotMatch(await tab.locator('main').innerText(), /usilipe tena|Tumia namba nyingine/i)
    // The network closes the prompt, and its message never comes: a question finds out.
    const [charge] = (await app.truth(`?our_reference=${reference}`)).charges
    await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'fail', copies: 0 })
    await app.owner.pool.query(`update payments set cancel_requested_at = cancel_requested_at - interval '30 seconds'`)
    await app.owner.pool.query(
      `update provider_charges set next_attempt_at = next_attempt_at - interval '30 seconds' where next_attempt_at > clock_now()`,
    )
    if (!javaScriptEnabled) {
      await app.settled(reference)
      await tab.getByText('Angalia tena').first().click()
    }
    await tab.getByRole('heading', { name: 'Umeghairi malipo' }).waitFor({ timeout: 15_000 })
    await tab.getByText('Hakuna pesa iliyokatwa. Ombi limefungwa: unaweza kujaribu tena bila wasiwasi.').waitFor()
    await tab.getByRole('link', { name: 'Jaribu tena' }).click()
    await tab.locator('#pay').waitFor()
    await context.close()
  }
})

for (const [name, options] of [
  ['on a phone of 360 px', { viewport: { width: 360, height: 740 } }],
  ['on a desktop of 1280 px', { viewport: { width: 1280, height: 800 } }],
  ['on a phone without scripts', { viewport: { width: 360, height: 740 }, javaScriptEnabled: false }],
] as const) {
  test(`a payer sees networks with problems, asks for the request again and then cancels ${name} [C8, C12]`, async (t) => {
    const app = await startTestApp(t)
    const admin = await app.admin()
    const turned = await app.call('PUT', '/v1/admin/switches/test.checkout.airtel', {
      token: admin.token,
      body: { state: 'off', reason: 'Airtel has maintenance.' },
    })
    assert.equal(turned.status, 200)
    await app.owner.pool.query(`update network_states set status = 'degraded' where network = 'halotel'`)
    await app.owner.pool.query(`select pg_notify('networks_changed', '')`)
    const page = await app.page(await app.student(), { title: 'Ada ya mtihani wa Kiswahili', amount: 25_000 })
    const browser = await startBrowser(t)
    const context = await browser.newContext({ ...options, locale: 'sw-TZ', timezoneId: 'Africa/Dar_es_Salaam' })
    const tab = await context.newPage()
    const problems: string[] = []
    tab.on('pageerror', (error) => problems.push(error.message))
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    const hasScripts = !('javaScriptEnabled' in options)
    const seen = async (screen: string): Promise<void> => {
      if (pictures)
        await tab.screenshot({
          path: join(pictures, `payer-${name.replaceAll(' ', '-')}-${screen}.png`),
          fullPage: true,
          caret: 'initial',
          animations: 'allow',
        })
      assert.equal(await overflows(tab), false, `${screen} is wider than the window`)
      if (hasScripts) assert.deepEqual(await accessibilityProblems(tab), [], screen)
    }
    const payment = () => tab.waitForURL(/\/pay\/[^/]+\/pay_\w{26}\?/)

    await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}`)
    await tab.getByText('Airtel Money:').waitFor()
    await tab.getByText('HaloPesa:').waitFor()
    await seen('form')
    await tab.locator('input[type=tel]').fill('0754 000 111')
    await tab.locator('input[autocomplete=name]').fill('Juma Hamisi')
    await tab.locator('form[method=post] button').last().click()
    await payment()
    await tab.getByText('Hujapata ujumbe kwenye simu?').click()
    const again = tab.getByRole('button', { name: 'Tuma ombi tena' })
    assert.equal(await again.isDisabled(), true)
    await seen('wait')

    // The minute is almost over: a script enables the button automatically, without one the reloaded page has it.
    await app.owner.pool.query(`update provider_charges set claimed_at = clock_now() - interval '57 seconds'`)
    if (!hasScripts) await app.owner.pool.query(`update provider_charges set claimed_at = clock_now() - interval '61 seconds'`)
    await tab.reload()
    await tab.getByText('Hujapata ujumbe kwenye simu?').click()
    if (hasScripts) await tab.getByText('Unaweza kutuma tena baada ya sekunde 1.').waitFor({ timeout: 5_000 })
    await again.click()
    await payment()
    await tab.getByText('Hujapata ujumbe kwenye simu?').click()
    assert.equal(await again.isDisabled(), true)
    assert.equal((await app.truth()).charges[0].prompts, 2)

    await tab.getByRole('button', { name: 'Ghairi malipo' }).click()
    await payment()
    await tab.getByRole('heading', { name: 'Tunaghairi malipo' }).waitFor()
    await seen('cancelling')
    assert.equal(await tab.getByRole('button').count(), 0)

    const [charge] = (await app.truth()).charges
    await fetch(`${app.simulatorUrl}/__control/charges/${charge.reference}/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'cancel' }),
    })
    await app.settled(/pay_\w{26}/.exec(tab.url())![0])
    if (!hasScripts) await tab.getByText('Angalia tena').first().click()
    await tab.getByRole('heading', { name: 'Umeghairi malipo' }).waitFor({ timeout: 15_000 })
    await seen('cancelled')
    assert.deepEqual(problems, [])
  })
}

test('a request that is not known to have been sent is being sent, and the page shows by itself that it was [C8]', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { title: 'Ada ya mtihani', amount: 25_000 })
  const browser = await startBrowser(t)
  const context = await browser.newContext({ viewport: { width: 360, height: 640 }, locale: 'sw-TZ' })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754 000 111' })).body.data
  // As if the provider had not answered yet.
  const [charge] = (
    await app.owner.pool.query(
      `update provider_charges set state = 'unknown', provider_reference = null
       from (select provider_reference as old_reference, state as old_state from provider_charges) before
       returning old_reference, old_state`,
    )
  ).rows
  const tab = await context.newPage()
  await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}/${reference}`)
  await tab.getByText('Tunatuma ombi la malipo kwenye namba 0754 ••• 111 (M-Pesa).').waitFor()
  assert.equal(await tab.locator('#count').count(), 0)
  await app.owner.pool.query('update provider_charges set state = $1, provider_reference = $2', [
    charge.old_state,
    charge.old_reference,
  ])
  await tab.getByText('Tumetuma ombi la malipo kwenye namba 0754 ••• 111 (M-Pesa).').waitFor({ timeout: 15_000 })
  await tab.locator('#count').waitFor()
})

test('the page of an expired payment shows by itself that the payment arrived after all', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { title: 'Ada ya mtihani', amount: 25_000 })
  const browser = await startBrowser(t)
  const context = await browser.newContext({ viewport: { width: 360, height: 640 }, locale: 'sw-TZ' })
  await app.control('PATCH', '/switches', { chargeLifetimeMs: 4 * 3_600_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754 000 111' })).body.data
  await app.owner.pool.query(`update payments set expires_at = clock_now() - interval '1 second'`)
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() - interval '1 second'`)
  await checkCharges(app.deps, 50)
  const tab = await context.newPage()
  await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}/${reference}`)
  await tab.getByRole('heading', { name: 'Muda wa kulipa umeisha' }).waitFor()
  await tab.getByText('Fungua tena ukurasa huu baadaye: utaonyesha malipo.').waitFor()
  await tab.getByRole('link', { name: 'Angalia tena' }).waitFor()
  if (pictures) await tab.screenshot({ path: join(pictures, 'payer-expired.png'), fullPage: true })
  assert.deepEqual(await accessibilityProblems(tab), [])
  // The phone has no connection for a while, so that the page need not wait for its next minute.
  await context.setOffline(true)
  await app.control('POST', `/charges/${(await app.truth()).charges[0].reference}/answer`, { action: 'pin' })
  await eventually('it is paid', async () => {
    const { rows } = await app.owner.pool.query(`select 1 from payments where status = 'completed'`)
    return rows.length === 1
  })
  await context.setOffline(false)
  await tab.getByRole('heading', { name: 'Malipo yamekamilika' }).waitFor({ timeout: 15_000 })
})
