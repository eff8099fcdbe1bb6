/** The second step of a checkout: a checkout that looks like a part of a flood prompts no phone before its payer has confirmed it. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eventually, startTestApp, type Answer, type TestApp, type TestAppOptions } from '../../../test/app.ts'
import { countUnknownPayments } from '../../assurance/reconciliation/break-subject.sql.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import { sql, type Tx } from '../../platform/db/db.ts'
import { fromWire, homeOfId } from '../../platform/ids.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { moveClock } from '../../../test/fixtures/reconciliation.ts'
import { checkCharges } from './check-charges.ts'
import { orderSecondStep } from './order-second-step.ts'
import { countPaid, everyone, readFloods } from './pace.sql.ts'
import { takePrompts } from './prompt.sql.ts'
import { secondStepRules } from './second-step.ts'

/** The live environment is configured as one with real phones; the simulator still serves it. */
const settings = {
  SIMULATED_PROVIDERS: 'test',
  CHECKOUT_SECOND_STEP: 'true',
  TRUSTED_PROXIES: '1',
  // The call budget has its own tests.
  SNIPPE_LIVE_REQUESTS_PER_MINUTE: '10000',
}

const startFloodedApp = (t: TestContext, options: TestAppOptions = {}): Promise<TestApp> =>
  startTestApp(t, { ...options, settings: { ...settings, ...options.settings } })

const { checkoutsPerMinute } = secondStepRules.pace
let turns = 0

/** A different phone and, unless named, a different network each time; the last digits select the payer's action. */
function pay(app: TestApp, slug: string, { ending = '000', from = '', key = '', phone = '' } = {}): Promise<Answer> {
  turns += 1
  return app.call('POST', '/v1/payments/checkout', {
    headers: { 'x-forwarded-for': from || `10.${Math.floor(turns / 200)}.${turns % 200}.9` },
    body: {
      slug,
      phone_number: phone || `+25575${String(1_000 + turns)}${ending}`,
      customer_name: 'Juma Hamisi',
      customer_email: 'juma@example.com',
      idempotency_key: key || `turn-${turns}`,
    },
  })
}

const livePage = async (app: TestApp) => app.page(await app.student(), {}, 'live')

/** Keeps the counted minute running, even on a slow machine. */
const holdMinute = (app: TestApp) => app.owner.pool.query('update checkout_paces set minute = clock_now()')

/** Sends this many checkouts, ten at once; returns those that need a confirmation. */
async function flood(app: TestApp, slugs: string[], many: number, from = ''): Promise<Answer[]> {
  const answers: Answer[] = []
  // A slow machine must not answer 503 for too many requests at once.
  while (answers.length < many) {
    const next = Array.from(
      { length: Math.min(10, many - answers.length) },
      (_, n) => slugs[(answers.length + n) % slugs.length]!,
    )
    answers.push(...(await Promise.all(next.map((slug) => pay(app, slug, { from })))))
  }
  for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body))
  return answers.filter(({ body }) => body.data.next_step !== undefined)
}

const prompted = async (app: TestApp, reference: string): Promise<boolean> =>
  (await app.truth(`?our_reference=${reference}`)).charges.length > 0

/** Waits until the provider has this many charges; it is called after the answer when it is slow. */
const charged = (app: TestApp, many: number) =>
  eventually(`${many} phones are prompted`, async () => (await app.truth()).charges.length === many)

/** A browser that shows the page of a payment and may press its button. */
async function openConfirmation(
  url: string,
): Promise<{ text: string; press(fields?: Record<string, string>): Promise<Response> }> {
  const shown = await fetch(url)
  const text = await shown.text()
  const cookie = shown.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
  const press = async (fields: Record<string, string> = {}) => {
    const sent = await fetch(`${url}/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ lang: hidden('lang'), proof: hidden('proof'), ...fields }),
    })
    const location = sent.headers.get('location') ?? ''
    if (!location.endsWith('&form=again')) return sent
    // The page that says why nothing was sent.
    const kept = sent.headers.getSetCookie().map((one) => one.split(';')[0])
    return fetch(new URL(location, url), { headers: { cookie: [cookie, ...kept].join('; ') } })
  }
  return { text, press }
}

test('a page far above its pace asks for a confirmation, no unrelated phone is prompted, and the button sends the prompt once [A69, A70]', async (t) => {
  const app = await startFloodedApp(t)
  const page = await livePage(app)
  const waiting = await flood(app, [page.slug], checkoutsPerMinute + 20)
  assert.equal(waiting.length, 20)
  await charged(app, checkoutsPerMinute)

  const { data } = (await pay(app, page.slug, { ending: '789', key: 'asha' })).body
  const { url } = data.next_step
  assert.deepEqual(data.next_step, { type: 'confirm', url: `${app.config.urls.checkout}/pay/${page.slug}/${data.reference}` })
  assert.equal(data.status, 'pending')
  turns -= 1
  const again = await pay(app, page.slug, { ending: '789', key: 'asha' })
  assert.deepEqual([again.status, again.body.data.next_step.url], [200, url])
  const status = () => app.call('GET', `/v1/payments/${data.reference}/status`).then(({ body }) => body.data)
  assert.equal((await status()).next_step.url, url)
  assert.equal(await prompted(app, data.reference), false)

  const browser = await openConfirmation(url)
  assert.match(browser.text, /Thibitisha malipo yako/)
  assert.match(browser.text, /TSh 1,500/)
  assert.ok(browser.text.includes(data.phone_masked), browser.text)
  const presses = await Promise.all(Array.from({ length: 4 }, () => browser.press()))
  assert.deepEqual(
    presses.map((answer) => answer.status),
    [303, 303, 303, 303],
  )
  assert.equal((await app.settled(data.reference)).status, 'completed')
  assert.equal((await app.truth(`?our_reference=${data.reference}`)).charges.length, 1)
  assert.equal((await status()).next_step, undefined)
})

test('the merchant of a flooded page can read since when its payers confirm', async (t) => {
  const app = await startFloodedApp(t)
  const owner = await app.student()
  const page = await app.page(owner, {}, 'live')
  const read = async () =>
    (await app.call('GET', `/v1/merchant/payment-pages/${page.id}?environment=live`, { token: owner.token })).body.data
      .confirming_since
  assert.equal(await read(), null)
  const startedAt = Date.now()
  await flood(app, [page.slug], checkoutsPerMinute + 12)
  const since = new Date(await read()).getTime()
  assert.ok(Math.abs(since - startedAt) < 60_000, `${since}`)
  assert.deepEqual(await readFloods(app.db), { unconfirmed: 12, pages: 1 })
  // Operators do not see them as unknown charges: they were not sent.
  await app.owner.pool.query(`update payments set created_at = created_at - interval '5 minutes'
    where id in (select payment_id from provider_charges where confirm_by is not null)`)
  assert.equal((await countUnknownPayments(app.db)).find(({ environment }) => environment === 'live')?.count, 0)
  // It stays the same during the flood and ends some minutes after the last checkout.
  await pay(app, page.slug)
  assert.equal(new Date(await read()).getTime(), since)
  await app.owner.pool.query(`update checkout_paces set confirming_at = confirming_at - interval '6 minutes'`)
  assert.equal(await read(), null)
})

test('another site cannot press the button of a payment', async (t) => {
  const app = await startFloodedApp(t)
  const page = await livePage(app)
  const [waiting] = await flood(app, [page.slug], checkoutsPerMinute + 1)
  const { reference, next_step } = waiting!.body.data
  const [mine, theirs] = [await openConfirmation(next_step.url), await openConfirmation(next_step.url)]
  const proof = /name="proof" value="([^"]*)"/.exec(theirs.text)![1]!
  assert.equal((await mine.press({ proof })).status, 303)
  assert.equal((await mine.press({ proof: '' })).status, 303)
  assert.equal(await prompted(app, reference), false)
  assert.equal((await mine.press()).status, 303)
  await eventually('the phone is prompted', () => prompted(app, reference))
})

test('a payment without a confirmation expires after ten minutes, is never sent, and can be cancelled before', async (t) => {
  const app = await startFloodedApp(t)
  const page = await livePage(app)
  const waiting = await flood(app, [page.slug], checkoutsPerMinute + 3)
  const [first, second, third] = waiting.map(({ body }) => body.data)
  const left = new Date(first.expires_at).getTime() - Date.now()
  assert.ok(left > 590_000 && left < 601_000, `${left}`)
  const cancelled = await app.call('POST', `/v1/payments/${second.reference}/cancel`, {
    body: { checkout_token: second.checkout_token },
  })
  assert.equal(cancelled.body.data.status, 'voided')
  // A clock that was set back makes it due too early: it is still not sent.
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() where confirm_by is not null`)
  await checkCharges(app.deps, 50)
  assert.equal((await app.call('GET', `/v1/payments/${first.reference}/status`)).body.data.status, 'pending')
  await app.owner.pool.query(`
    update provider_charges set next_attempt_at = clock_now() where confirm_by is not null`)
  const late = await openConfirmation(third.next_step.url)
  await app.owner.pool.query(`update payments set expires_at = clock_now() where status = 'pending' and id in
    (select payment_id from provider_charges where confirm_by is not null)`)
  await late.press()
  await checkCharges(app.deps, 50)
  for (const { reference, next_step } of [first, third]) {
    const { status, next_step: step } = (await app.call('GET', `/v1/payments/${reference}/status`)).body.data
    assert.deepEqual([status, step, await prompted(app, reference)], ['expired', undefined, false])
    assert.match((await openConfirmation(next_step.url)).text, /Malipo hayakuthibitishwa kwa wakati/)
  }
})

test('a payment that is confirmed minutes after its checkout is sent again like any other while the provider is unavailable', async (t) => {
  let isAway = true
  const app = await startFloodedApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        charge: async (request, callers) => (isAway ? { kind: 'not_sent', reason: 'away' } : provider.charge(request, callers)),
      })),
    }),
  })
  const page = await livePage(app)
  const order = { subject: everyone, name: 'all', mode: 'on', reason: 'Strangers are prompted' } as const
  await orderSecondStep(app.db, order, byCommandLine)
  const { reference, next_step } = (await pay(app, page.slug)).body.data
  const browser = await openConfirmation(next_step.url)
  await moveClock(app, '2 minutes')
  await browser.press()
  const due = () => app.owner.pool.query('update provider_charges set next_attempt_at = clock_now()')
  for (const away of [true, false]) {
    isAway = away
    await eventually('its send was recorded', async () => {
      const { rows } = await app.owner.pool.query('select state from provider_charges')
      return rows[0].state !== 'claimed'
    })
    await due()
    await checkCharges(app.deps, 10)
  }
  await eventually('the phone is prompted', () => prompted(app, reference))
  assert.equal((await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status, 'pending')
})

test('a payer without a confirmation reserves no place of a limited page; the places go to the payers who confirm first', async (t) => {
  const app = await startFloodedApp(t)
  const page = await app.page(await app.student(), { type: 'event', max_payments: 2 }, 'live')
  const order = { subject: everyone, name: 'all', mode: 'on', reason: 'Strangers are prompted' } as const
  await orderSecondStep(app.db, order, byCommandLine)
  const answers: Answer[] = []
  for (const _ of [1, 2, 3, 4]) answers.push(await pay(app, page.slug, { ending: '111' }))
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.data?.next_step?.type]),
    Array(4).fill([201, 'confirm']),
  )
  const browsers = await Promise.all(answers.map(({ body }) => openConfirmation(body.data.next_step.url)))
  const presses = await Promise.all(browsers.map((browser) => browser.press()))
  assert.deepEqual(
    presses.map(({ status }) => status).toSorted((one, other) => one - other),
    [303, 303, 409, 409],
  )
  assert.match(await presses.find(({ status }) => status === 409)!.text(), /Nafasi zimekwisha/)
  await charged(app, 2)
  const { rows } = await app.owner.pool.query('select held_count from payment_pages where slug = $1', [page.slug])
  assert.deepEqual(rows, [{ held_count: 2 }])
  // Its phone was not prompted, and no prompt is counted for it.
  const { rows: counted } = await app.owner.pool.query('select count(*)::integer as sent from prompts where is_sent')
  assert.deepEqual(counted, [{ sent: 2 }])
  const [first] = answers.filter((_, index) => presses[index]!.status === 303).map(({ body }) => body.data)
  await app.call('POST', `/v1/payments/${first.reference}/cancel`, { body: { checkout_token: first.checkout_token } })
})

test('all pages of a merchant count as one flood, from any addresses; payers of another merchant are not affected [A70]', async (t) => {
  const app = await startFloodedApp(t)
  const owner = await app.student()
  const pages = await Promise.all(Array.from({ length: 20 }, () => app.page(owner, {}, 'live')))
  const other = await livePage(app)
  const waiting = await flood(
    app,
    pages.map(({ slug }) => slug),
    checkoutsPerMinute + 10,
  )
  assert.equal(waiting.length, 10)
  assert.equal((await pay(app, other.slug)).body.data.next_step, undefined)
})

/** A payment that a merchant's server makes with its key, all from one address. */
function payByKey(app: TestApp, key: string): Promise<Answer> {
  turns += 1
  return app.call('POST', '/v1/payments', {
    key,
    headers: { 'x-forwarded-for': '203.0.113.9', 'idempotency-key': `turn-${turns}` },
    body: { amount: 1_500, phone_number: `+25575${String(1_000 + turns)}000`, description: 'Order 1001' },
  })
}

test('the payments of a merchant’s server prompt their phones at any pace, and its pages stay below theirs [A69]', async (t) => {
  const app = await startFloodedApp(t)
  const owner = await app.student()
  const { key } = await app.key(owner, 'live')
  const page = await app.page(owner, {}, 'live')
  const many = Math.max(checkoutsPerMinute, secondStepRules.network.unpaid) + 10
  const answers: Answer[] = []
  while (answers.length < many) answers.push(...(await Promise.all(Array.from({ length: 10 }, () => payByKey(app, key)))))
  assert.deepEqual(
    new Set(answers.map(({ status, body }) => `${status} ${body.data?.next_step?.type}`)),
    new Set(['201 undefined']),
  )
  await charged(app, many)
  assert.equal((await pay(app, page.slug, { from: '203.0.113.9' })).body.data.next_step, undefined)
  assert.deepEqual(await readFloods(app.db), { unconfirmed: 0, pages: 0 })
})

test('an order for a merchant holds back the payments of its server, too, until the payer confirms; an order for all does not', async (t) => {
  const app = await startFloodedApp(t)
  const owner = await app.student()
  const { key } = await app.key(owner, 'live')
  const page = await app.page(owner, {}, 'live')
  const order = (name: string, subject: string, mode: 'on' | 'auto') =>
    orderSecondStep(app.db, { subject, name, mode, reason: 'A stolen key' }, byCommandLine)
  await order('all', everyone, 'on')
  assert.notEqual((await pay(app, page.slug)).body.data.next_step, undefined)
  assert.equal((await payByKey(app, key)).body.data.next_step, undefined)
  await order('all', everyone, 'auto')
  await order(owner.userId, fromWire('usr', owner.userId)!, 'on')
  const { reference, next_step } = (await payByKey(app, key)).body.data
  assert.equal(await prompted(app, reference), false)
  assert.equal((await (await openConfirmation(next_step.url)).press()).status, 303)
  await eventually('its phone is prompted', () => prompted(app, reference))

  // The page behind it cannot be opened, so the refusal is a page of its own.
  const held = (await payByKey(app, key)).body.data
  const confirmation = await openConfirmation(held.next_step.url)
  const suspend = (at: string, why: string) =>
    app.owner.pool.query(`update payment_pages set suspended_at = ${at}, suspension_reason = ${why} where kind = 'direct'`)
  await suspend('clock_now()', `'For this test'`)
  const refused = await confirmation.press()
  assert.equal(refused.status, 409)
  assert.match(await refused.text(), /Ukurasa huu haupokei malipo kwa sasa/)
  assert.equal(await prompted(app, held.reference), false)
  await suspend('null', 'null')
})

test('the merchant can read why payers confirm: the pace of the page, their network, or an order of operators', async (t) => {
  const app = await startFloodedApp(t)
  const owner = await app.student()
  const page = await app.page(owner, {}, 'live')
  const read = async () => {
    const path = `/v1/merchant/payment-pages/${page.id}?environment=live`
    const { confirming_since: since, confirming_reason: reason } = (await app.call('GET', path, { token: owner.token })).body.data
    assert.equal(since === null, reason === null)
    return reason
  }
  const order = (name: string, subject: string, mode: 'on' | 'off' | 'auto') =>
    orderSecondStep(app.db, { subject, name, mode, reason: 'Strangers are prompted' }, byCommandLine)
  assert.equal(await read(), null)
  const others = await Promise.all(Array.from({ length: 4 }, () => livePage(app)))
  const slugs = others.map(({ slug }) => slug)
  await flood(app, slugs, secondStepRules.network.unpaid + 4, '198.51.100.7')
  assert.equal(await read(), null, 'no payer of the page must confirm')
  await pay(app, page.slug, { from: '198.51.100.7' })
  assert.equal(await read(), 'network')
  await flood(app, [page.slug], checkoutsPerMinute + 1)
  assert.equal(await read(), 'pace')
  await order('all', everyone, 'on')
  assert.equal(await read(), 'ordered')
  await order(page.slug, fromWire('page', page.id)!, 'off')
  assert.equal(await read(), null)
})

test('a network whose new phones do not pay asks for confirmations; one whose payers pay does not', async (t) => {
  const app = await startFloodedApp(t)
  const pages = await Promise.all(Array.from({ length: 6 }, () => livePage(app)))
  const slugs = pages.map(({ slug }) => slug)
  const { unpaid } = secondStepRules.network
  assert.equal((await flood(app, slugs, unpaid + 4, '198.51.100.7')).length, 4)
  // The whole network and not only the one address; and no other network.
  assert.notEqual((await pay(app, slugs[0]!, { from: '198.51.100.200' })).body.data.next_step, undefined)
  assert.equal((await pay(app, slugs[0]!, { from: '198.51.101.7' })).body.data.next_step, undefined)
  // After a flood of any length, other payers of the network pay as usual some minutes later, at any merchant.
  await flood(app, slugs, 60, '198.51.100.7')
  await app.owner.pool.query(`update network_paces set counted_at = counted_at - interval '5 minutes'`)
  assert.equal((await pay(app, (await livePage(app)).slug, { from: '198.51.100.200' })).body.data.next_step, undefined)

  const carrier = '203.0.113.5'
  const payers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => pay(app, slugs[n % 6]!, { ending: '789', from: carrier })),
  )
  for (const { body } of payers) await app.settled(body.data.reference)
  assert.equal(await countPaid(app.db, 100), 12)
  assert.equal(await countPaid(app.db, 100), 0)
  assert.equal((await flood(app, slugs, unpaid + 20, carrier)).length, 0)
})

test('a quarter of sixty simultaneous payers behind one address, on a page without earlier payments, must confirm', async (t) => {
  const app = await startFloodedApp(t)
  assert.equal((await flood(app, [(await livePage(app)).slug], 60, '198.51.100.7')).length, 15)
})

test('while a mobile network is unavailable, its phones do not count against their shared address', async (t) => {
  const app = await startFloodedApp(t)
  const slugs = (await Promise.all(Array.from({ length: 6 }, () => livePage(app)))).map(({ slug }) => slug)
  const set = (status: string) =>
    app.owner.pool.query(`update network_states set status = $1 where environment = 'live' and network = 'mpesa'`, [status])
  const isSeen = (status: string) =>
    eventually(`M-Pesa is seen ${status}`, async () =>
      app.deps.networks.view('live').some((one) => one.network === 'mpesa' && one.status === status),
    )
  await set('degraded')
  await isSeen('degraded')
  const { unpaid } = secondStepRules.network
  assert.equal((await flood(app, slugs, unpaid + 4, '198.51.100.7')).length, 0)
  await set('operational')
  await isSeen('operational')
  assert.equal((await pay(app, (await livePage(app)).slug, { from: '198.51.100.200' })).body.data.next_step, undefined)
})

test('a page that is paid frequently may be opened frequently', async (t) => {
  const app = await startFloodedApp(t)
  const page = await livePage(app)
  const paying = await Promise.all(Array.from({ length: 12 }, () => pay(app, page.slug, { ending: '789' })))
  for (const { body } of paying) await app.settled(body.data.reference)
  await countPaid(app.db, 100)
  const { rows } = await app.owner.pool.query<{ best: number }>('select best from checkout_paces')
  assert.deepEqual([rows.length, rows.every(({ best }) => best >= 6 && best <= 12)], [2, true], 'in one minute, or in two')
  await app.owner.pool.query(`update checkout_paces set best = 16, minute = minute - interval '1 minute'`)
  assert.equal((await flood(app, [page.slug], 52)).length, 52 - 16 * secondStepRules.pace.timesBest)
  // Old payments do not count as usual.
  await app.owner.pool.query(
    `update checkout_paces set minute = minute - interval '1 minute', best_at = clock_now() - interval '121 days'`,
  )
  assert.equal((await flood(app, [page.slug], checkoutsPerMinute + 1)).length, 1)
})

test('a batch that began before the minute counts in it; a clock that was set back by more opens a new one', async (t) => {
  const app = await startFloodedApp(t)
  const pageId = fromWire('page', (await livePage(app)).id)!
  const { rows } = await app.owner.pool.query('select merchant_id from payment_pages where id = $1', [pageId])
  let phones = 0
  const take = (tx: Tx, many: number) => {
    const items = Array.from({ length: many }, () => {
      phones += 1
      const of = { home: homeOfId(pageId), pageId, merchantId: rows[0].merchant_id as string }
      return { ...of, idempotencyHash: Buffer.from(`key ${phones}`), phoneKey: Buffer.alloc(32, phones) }
    })
    return takePrompts(tx, items, app.config.limits.prompts)
  }
  const [late] = await app.owner.tx(async (early) => {
    // The time of a transaction is that of its first statement: as of a batch that waits while another process counts.
    await early.rows(sql`select pg_sleep(0.01)`)
    await app.db.tx((tx) => take(tx, checkoutsPerMinute))
    return take(early, 1)
  })
  assert.equal(late!.needsConfirmation, true)
  await app.owner.pool.query(`update checkout_paces set minute = clock_now() + interval '2 minutes'`)
  const [next] = await app.db.tx((tx) => take(tx, 1))
  assert.equal(next!.needsConfirmation, false)
})

test('payments of one minute are its best together, also when those of an earlier minute are found between them', async (t) => {
  const app = await startFloodedApp(t)
  const page = await livePage(app)
  const payMany = async (many: number) => {
    const paying = await Promise.all(Array.from({ length: many }, () => pay(app, page.slug, { ending: '789' })))
    for (const { body } of paying) await app.settled(body.data.reference)
  }
  const toNextMinute = 65 - new Date().getSeconds()
  await moveClock(app, `${toNextMinute} seconds`)
  await payMany(1)
  await moveClock(app, `${toNextMinute + 60} seconds`)
  await payMany(5)
  const { rows: minutes } = await app.owner.pool.query(
    `select count(*)::integer as paid from payments group by date_trunc('minute', completed_at) order by min(completed_at)`,
  )
  assert.deepEqual(minutes, [{ paid: 1 }, { paid: 5 }])
  await app.owner.pool.query('update prompts set is_paid = true')
  for (const [after, many] of [
    [1, 3],
    [0, 1],
    [4, 2],
  ]) {
    await app.owner.pool.query(
      `update prompts r set is_paid = false
       from (select home, page_id, idempotency_hash from payments order by completed_at, id offset $1 limit $2) p
       where r.home = p.home and r.page_id = p.page_id and r.idempotency_hash = p.idempotency_hash`,
      [after, many],
    )
    assert.equal(await countPaid(app.db, 100), many)
  }
  const { rows } = await app.owner.pool.query<{ best: number }>('select best from checkout_paces')
  assert.deepEqual(rows, [{ best: 5 }, { best: 5 }])
})

test('one phone through thirty pages is prompted five times at most, by checkouts and confirmations together [A71]', async (t) => {
  const app = await startFloodedApp(t)
  const owner = await app.student()
  const pages = await Promise.all(Array.from({ length: 15 }, () => app.page(owner, {}, 'live')))
  const phone = '+255754000000'
  await flood(
    app,
    pages.map(({ slug }) => slug),
    checkoutsPerMinute,
  )
  // They were not sent, so they count for no phone: an attacker must not use up the limit of a phone.
  await holdMinute(app)
  const waiting: Answer[] = []
  for (const { slug } of pages) waiting.push(await pay(app, slug, { phone }))
  assert.ok(waiting.every(({ status, body }) => status === 201 && body.data.next_step !== undefined))
  const others = await Promise.all(Array.from({ length: 15 }, () => livePage(app)))
  const sent = await Promise.all(others.slice(0, 3).map(({ slug }) => pay(app, slug, { phone })))
  assert.deepEqual(
    sent.map(({ status, body }) => [status, body.data?.next_step]),
    Array(3).fill([201, undefined]),
  )

  const pressed = []
  for (const { body } of waiting) pressed.push(await (await openConfirmation(body.data.next_step.url)).press())
  assert.deepEqual(
    pressed.map(({ status }) => status),
    [303, 303, ...Array(13).fill(200)],
  )
  assert.match(await pressed.at(-1)!.text(), /role="alert"[^>]*><p>Umejaribu mara nyingi/)
  for (const { slug } of others.slice(3)) assert.equal((await pay(app, slug, { phone })).body.error.code, 'phone_busy')
  await charged(app, checkoutsPerMinute + 5)
})

test('operators order confirmations on or off for a page, a merchant or all, and each order is in the audit log', async (t) => {
  const app = await startFloodedApp(t)
  const owner = await app.student()
  const [page, sibling] = [await app.page(owner, {}, 'live'), await app.page(owner, {}, 'live')]
  const other = await livePage(app)
  const order = async (name: string, subject: string, mode: 'on' | 'off' | 'auto') =>
    orderSecondStep(app.db, { subject, name, mode, reason: 'Strangers are prompted' }, byCommandLine)
  const asks = async () =>
    Promise.all([page, sibling, other].map(async ({ slug }) => (await pay(app, slug)).body.data.next_step !== undefined))
  const [pageId, merchantId] = [fromWire('page', page.id)!, fromWire('usr', owner.userId)!]
  await order(page.slug, pageId, 'on')
  assert.deepEqual(await asks(), [true, false, false])
  await order(owner.userId, merchantId, 'on')
  assert.deepEqual(await asks(), [true, true, false])
  await order('all', everyone, 'on')
  await order(page.slug, pageId, 'off')
  assert.deepEqual(await asks(), [false, true, true])
  await flood(app, [page.slug], checkoutsPerMinute + 5)
  assert.deepEqual(await asks(), [false, true, true])
  for (const [name, subject] of [
    [page.slug, pageId],
    [owner.userId, merchantId],
    ['all', everyone],
  ] as const)
    await order(name, subject, 'auto')
  await holdMinute(app)
  assert.deepEqual(await asks(), [true, true, false])
  const { rows } = await app.owner.pool.query(`select object from audit_log where action = 'second_step.ordered'`)
  assert.equal(rows.length, 7)
})
