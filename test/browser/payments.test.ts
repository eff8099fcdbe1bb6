/** The payments of a merchant in a real Chromium: found, filtered, exported, updated live, and one of them with its whole history. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually, startTestApp } from '../app.ts'
import { settlementOf } from '../../server/collect/payments/settlement.ts'
import { fromWire, homeOfId } from '../../server/platform/ids.ts'
import { startBrowser } from './browser.ts'
import { looksRightEverywhere, signedInTab } from './dashboard.ts'

/** A merchant's server that accepts every webhook. */
async function startReceiver(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
}

/** The references of the rows, in their order. */
async function shown(tab: Page): Promise<string[]> {
  const ways = await tab
    .locator('main a[href*="/payments/pay_"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  return ways.map((way) => way!.split('/').at(-1)!)
}

test('a merchant reads payments', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const browser = await startBrowser(t)
  const student = await app.student()
  const { appId } = await app.key(student)
  const hook = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: await startReceiver(t) },
  })
  assert.equal(hook.status, 201, JSON.stringify(hook.body))
  const chai = await app.page(student, { title: 'Chai ya asubuhi' })
  const ada = await app.page(student, { title: 'Ada ya muhula wa pili 2026', amount: 350_000 })
  const pay = async (slug: string, phone: string, name: string): Promise<string> => {
    const { reference } = (await app.checkout(slug, { phone_number: phone, customer_name: name })).body.data
    await app.settled(reference)
    return reference
  }
  const asha = await pay(chai.slug, '+255754123789', 'Asha Mushi')
  const baraka = await pay(chai.slug, '+255784123049', 'Baraka Juma')
  const neema = await pay(ada.slug, '+255714123789', 'Neema Asha Kimaro')
  const list = '/dashboard/me/test/payments'
  const everyone = { browser, app }

  await t.test('[D5] payments are filtered by typed and selected values, and the address contains the filter', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(list)
    const comes = (what: string, references: string[]) =>
      eventually(what, async () => JSON.stringify(await shown(tab)) === JSON.stringify(references))
    await comes('all of them', [neema, baraka, asha])

    await tab.getByRole('searchbox').fill('asha')
    await comes('by a part of a name', [neema, asha])
    assert.match(tab.url(), /q=asha/)
    await tab.getByRole('searchbox').fill('0754 123 789')
    await comes('by a number', [asha])
    await tab.getByRole('searchbox').fill(neema)
    await comes('by a reference', [neema])
    await tab.getByRole('searchbox').fill('')
    await comes('all again', [neema, baraka, asha])

    await tab.getByRole('button', { name: 'Filters', exact: true }).click()
    await tab.getByLabel('Status').selectOption('failed')
    await comes('by status', [baraka])
    assert.match(tab.url(), /status=failed/)
    await tab.getByLabel('Status').selectOption('')
    await tab.getByLabel('Network').selectOption('mixx')
    await comes('by network', [neema])
    await tab.getByLabel('Network').selectOption('')
    await tab.getByLabel('Page', { exact: true }).selectOption({ label: 'Chai ya asubuhi' })
    await comes('by page', [baraka, asha])
    await tab.getByLabel('Status').selectOption('completed')
    await comes('by both', [asha])

    const address = tab.url()
    const other = await tab.context().newPage()
    await other.goto(address)
    await eventually('a link shows the same', async () => JSON.stringify(await shown(other)) === JSON.stringify([asha]))
    assert.equal(await other.getByLabel('Status').inputValue(), 'completed')
    await other.close()

    await tab.getByRole('button', { name: 'Clear filters' }).click()
    await comes('all after clearing', [neema, baraka, asha])
    await tab.getByLabel('From amount').fill('2000')
    await comes('by amount', [neema])
    assert.equal(await tab.getByLabel('From amount').inputValue(), '2,000')
    await tab.getByLabel('From amount').fill('')
    await tab.getByLabel('To amount').fill('2000')
    await comes('by the most', [baraka, asha])
    await tab.getByLabel('To amount').fill('')
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Dar_es_Salaam' }).format(Date.now())
    await tab.getByLabel('To day').fill(day)
    await comes('until today', [neema, baraka, asha])
    await tab.getByLabel('From day').fill('2020-01-01')
    await tab.getByLabel('To day').fill('2020-01-31')
    await tab.getByText('No matching payment').waitFor()
    assert.deepEqual(tab.problems, [])
    await tab.context().close()
  })

  await t.test('[D5] the file contains exactly the filtered rows', async () => {
    const tab = await signedInTab(everyone, student)
    await tab.goto(`${list}?q=asha&status=completed`)
    await eventually('the rows', async () => (await shown(tab)).length === 2)
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.getByRole('button', { name: 'Export CSV' }).click()])
    assert.match(download.suggestedFilename(), /^payments-test-start-\d{4}-\d{2}-\d{2}\.csv$/)
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    assert.deepEqual(
      lines.slice(1).map((line) => /pay_[0-9a-z]{26}/.exec(line)?.[0]),
      await shown(tab),
    )
    await tab.context().close()
  })

  await t.test('[D5] a long list continues by its cursor and returns to the newest', async () => {
    const shopper = await app.student()
    const page = await app.page(shopper)
    for (let made = 0; made < 27; made += 1) {
      const phone = `+2557541${String(10_000 + made)}`
      assert.equal((await app.checkout(page.slug, { phone_number: phone })).status, 201)
    }
    const tab = await signedInTab(everyone, shopper)
    await tab.goto(list)
    await eventually('a full screen', async () => (await shown(tab)).length === 25)
    const newest = await shown(tab)
    await tab.getByRole('button', { name: 'Older' }).click()
    await eventually('the rest', async () => (await shown(tab)).length === 2)
    assert.match(tab.url(), /cursor=/)
    assert.ok((await shown(tab)).every((reference) => !newest.includes(reference)))
    await tab.getByRole('button', { name: 'Back to the newest' }).click()
    await eventually('the newest', async () => JSON.stringify(await shown(tab)) === JSON.stringify(newest))
    await tab.goBack()
    await eventually('the way back', async () => (await shown(tab)).length === 2)
    await tab.context().close()
  })

  await t.test('[D5] a new payment is on screen within two seconds, without a touch', async () => {
    const shopper = await app.student()
    const page = await app.page(shopper)
    const tab = await signedInTab(everyone, shopper)
    await tab.goto(list)
    await tab.getByText('No payments yet').waitFor()
    const waits: number[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      const { reference } = (await app.checkout(page.slug, { phone_number: `+25575412370${turn}` })).body.data
      const startedAt = performance.now()
      await tab.locator(`a[href$="${reference}"]`).waitFor({ timeout: 10_000 })
      waits.push(performance.now() - startedAt)
    }
    t.diagnostic(`seen after ${waits.map((ms) => ms.toFixed(0)).join(', ')} ms`)
    assert.ok(waits.toSorted((a, b) => a - b)[1]! <= 2_000, String(waits))
    await tab.context().close()
  })

  await t.test('[D5] the screen shows that rows are loading, that there are none, or that they failed to load', async () => {
    const tab = await signedInTab(everyone, student)
    // As the API answers: each of its refusals has a sentence in both languages.
    const overloaded = {
      code: 'overloaded',
      message: 'The service is overloaded. Try again shortly.',
      message_sw: 'Shughuli ni nyingi kwa sasa. Jaribu tena baada ya muda mfupi.',
      request_id: 'req_1',
    }
    let answer: 'hold' | 'fail' | 'go' = 'hold'
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await tab.route('**/v1/merchant/payments?*', async (route) => {
      if (answer === 'hold') await held
      if (answer === 'fail') return route.fulfill({ status: 503, json: { error: overloaded } })
      return route.continue()
    })
    await tab.goto(list)
    await tab.getByRole('status', { name: 'Loading …' }).waitFor()
    answer = 'fail'
    release()
    await tab.getByRole('alert').getByText(overloaded.message).waitFor({ timeout: 15_000 })
    await tab.getByText('req_1').waitFor()
    answer = 'go'
    await tab.getByRole('button', { name: 'Try again' }).click()
    await eventually('the rows', async () => (await shown(tab)).length === 3)
    await tab.context().close()
  })

  await t.test(
    '[D6] one payment shows its states, the provider’s words, its money and its deliveries in the order of time',
    async () => {
      const tab = await signedInTab(everyone, student)
      await tab.goto(list)
      // The whole row is a link, not only the name.
      await tab.locator('main tr', { hasText: 'Asha Mushi' }).getByText('Chai ya asubuhi').click({ force: true })
      await tab.waitForURL(`**/payments/${asha}`)
      await tab.getByRole('heading', { name: 'Payment of TSh 1,500' }).waitFor()
      const { data } = (await app.call('GET', `/v1/merchant/payments/${asha}?environment=test`, { token: student.token })).body
      assert.ok(data.network_receipt)
      const facts = await tab.getByRole('region', { name: 'Details' }).innerText()
      for (const fact of [
        asha,
        data.short_code,
        data.network_receipt,
        'Asha Mushi',
        data.customer.phone_masked,
        'juma@example.com',
        'M-Pesa',
        'Chai ya asubuhi',
      ]) {
        assert.ok(facts.includes(fact), `${fact} in ${facts}`)
      }
      const money = (amount: number) => `TSh\u00a0${amount.toLocaleString('en')}`
      assert.ok(facts.includes(money(data.fee)) && facts.includes(money(data.net)))

      await eventually('the delivery', async () => (await tab.locator('[data-entry=webhook_attempt]').count()) > 0)
      const entries = await tab
        .locator('[data-entry]')
        .evaluateAll((items) => items.map((item) => item.getAttribute('data-entry')))
      for (const kind of ['status', 'provider_message', 'transaction', 'event', 'webhook_attempt'])
        assert.ok(entries.includes(kind), kind)
      const times = await tab.locator('[data-entry] time').evaluateAll((all) => all.map((time) => time.getAttribute('datetime')!))
      assert.equal(times.length, entries.length)
      assert.deepEqual(
        times,
        times.toSorted((one, other) => Date.parse(one) - Date.parse(other)),
      )
      await tab.getByText(`${money(data.net)} credited to your wallet`).waitFor()
      await tab.getByRole('region', { name: 'Webhook deliveries' }).getByText('Delivered').waitFor()

      await tab.getByRole('button', { name: 'Copy: Network receipt number' }).click()
      assert.equal(await tab.evaluate<string>('navigator.clipboard.readText()'), data.network_receipt)
      const receipt = await tab.getByRole('link', { name: 'Open the receipt' }).getAttribute('href')
      assert.ok(receipt!.endsWith(`/r/${asha}`), receipt!)
      await tab.getByRole('button', { name: 'Send again' }).click()
      await tab.getByText('1 delivery is being sent.').waitFor()
      await eventually('the second delivery', async () => (await tab.locator('[data-entry=webhook_attempt]').count()) === 2)

      await tab.getByRole('link', { name: 'Chai ya asubuhi' }).waitFor()
      // From a delivery to its request.
      await tab.getByRole('region', { name: 'Webhook deliveries' }).getByRole('link').first().click()
      const body = await tab.getByLabel('Body, byte for byte', { exact: true }).textContent()
      assert.equal(JSON.parse(body!).data.reference, asha)
      assert.deepEqual(tab.problems, [])
      await tab.context().close()
    },
  )

  await t.test('[D6] a failed payment shows the reason, in both languages, and a stranger’s is not found', async () => {
    for (const [language, reason] of [
      ['en', /balance|PIN|declined|network|phone/i],
      ['sw', /Salio|PIN|simu|mtandao/i],
    ] as const) {
      const tab = await signedInTab(everyone, student, { language })
      await tab.goto(`/dashboard/me/test/payments/${baraka}`)
      assert.match(await tab.getByRole('alert').first().innerText(), reason)
      await tab.context().close()
    }
    const stranger = await signedInTab(everyone, await app.student())
    await stranger.goto(`/dashboard/me/test/payments/${asha}`)
    await stranger.getByText('This does not exist, or it is not yours.').waitFor()
    await stranger.context().close()
  })

  await t.test('[D15] payments and one payment fit at every width, in light and dark', async () => {
    const tab = await signedInTab(everyone, student, { language: 'sw' })
    await tab.goto(`${list}?status=completed`)
    await looksRightEverywhere(tab, 'payments', () => tab.getByText('Asha Mushi').waitFor())
    await tab.goto(`${list}?q=hakuna-mtu`)
    await looksRightEverywhere(tab, 'payments-none', () => tab.getByText('Hakuna malipo yanayolingana').waitFor())
    await tab.goto(`/dashboard/me/test/payments/${asha}`)
    await looksRightEverywhere(tab, 'payment', () => tab.locator('[data-entry=webhook_attempt]').first().waitFor())
    // A number that people compare with an SMS is on one line, also on a phone.
    await tab.setViewportSize({ width: 360, height: 740 })
    const receipt = tab.locator('dd .code').nth(2)
    assert.match(await receipt.innerText(), /^S\d+$/)
    assert.equal(await receipt.evaluate((span) => span.getClientRects().length), 1)
    await tab.goto(`/dashboard/me/test/payments/${baraka}`)
    await looksRightEverywhere(tab, 'payment-failed', () => tab.getByRole('alert').first().waitFor())
    await tab.context().close()
  })

  await t.test('[D6] a failed payment for which another amount has arrived does not say that no money has moved', async () => {
    const paymentId = fromWire('pay', baraka)!
    const [charge] = (await app.truth(`?our_reference=${baraka}`)).charges
    const source = {
      home: homeOfId(paymentId),
      paymentId,
      environment: 'test',
      provider: 'snippe',
      actor: 'test',
      requestId: 'r',
    } as const
    const success = {
      reference: charge.reference,
      ourReference: null,
      status: 'completed',
      amount: 900,
      currency: 'TZS',
    } as const
    const record = { ...success, fee: null, network: null, failure: null, expiresAt: null }
    const tab = await signedInTab(everyone, student)
    await tab.goto(`/dashboard/me/test/payments/${baraka}`)
    await tab.getByText('No money has moved.').waitFor()
    await app.deps.settle(settlementOf(source, record, 60))
    await tab.reload()
    await tab.getByText('The network names another amount for this payment').waitFor()
    assert.equal(await tab.getByText('No money has moved.').count(), 0)
    await tab.context().close()
  })
})
