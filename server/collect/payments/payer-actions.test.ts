/** The actions of a payer on an open payment, over HTTP: resend the prompt and cancel, with their races. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../../../test/fleet.ts'
import { eventually, share, startTestApp, type Answer, type TestApp } from '../../../test/app.ts'
import { fromWire, newMoneyId, toWire } from '../../platform/ids.ts'
import { wrapProviders, type Provider } from '../../money/providers/provider.ts'
import { checkCharges } from './check-charges.ts'
import { checkoutToken } from './checkout-token.ts'
import type { PromptLimit } from './limit-prompts.ts'
import { createStatusReader } from './read-status.ts'
import { resendPrompt } from './resend-prompt.ts'

const sharedApp = share((ending) => startTestApp(ending))

type Open = { reference: string; checkout_token: string }

const waiting = '0754000111'

async function checkout(app: TestApp, slug: string, fields: Record<string, unknown> = {}): Promise<Open> {
  const { status, body } = await app.checkout(slug, { phone_number: waiting, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

const act = (app: TestApp, what: 'resend' | 'cancel', { reference, checkout_token }: Open): Promise<Answer> =>
  app.call('POST', `/v1/payments/${reference}/${what}`, { body: { checkout_token } })

const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? body.data.status}`

/** As if the last prompt had been shown a minute ago. */
const aMinuteLater = (app: TestApp) =>
  app.owner.pool.query(
    `update provider_charges set claimed_at = claimed_at - interval '61 seconds', pushed_at = pushed_at - interval '61 seconds'`,
  )

const answerPrompt = (app: TestApp, reference: string, answer: Record<string, unknown>) =>
  fetch(`${app.simulatorUrl}/__control/charges/${reference}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(answer),
  })

const status = async (app: TestApp, { reference }: Open) => (await app.call('GET', `/v1/payments/${reference}/status`)).body.data

const checkNow = async (app: TestApp) => {
  await app.owner.pool.query(
    `update provider_charges set next_attempt_at = clock_now() - interval '1 second' where next_attempt_at is not null`,
  )
  await checkCharges(app.deps, 50)
}

test('no request without the token of a payment finds it', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const [one, other] = [await checkout(app, page.slug), await checkout(app, page.slug, { phone_number: '0754000112' })]
  for (const what of ['resend', 'cancel'] as const) {
    const token = one.checkout_token
    for (const checkout_token of ['', 'x', other.checkout_token, token.slice(0, -1), `${token}x`, `${token.slice(0, -1)}_`]) {
      const answer = await act(app, what, { reference: one.reference, checkout_token })
      assert.equal(codeOf(answer), '404 not_found', checkout_token)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    }
    assert.equal(codeOf(await act(app, what, { ...one, reference: toWire('pay', newMoneyId(3)) })), '404 not_found')
    assert.equal(codeOf(await act(app, what, { ...one, reference: 'pay_x' })), '404 not_found')
    const bare = await app.call('POST', `/v1/payments/${one.reference}/${what}?checkout_token=${token}`, { body: {} })
    assert.equal(codeOf(bare), '400 validation_error')
  }
  const { charges } = await app.truth()
  assert.deepEqual(
    charges.map((charge: any) => charge.prompts),
    [1, 1],
  )
  assert.deepEqual([(await status(app, one)).cancel_requested, (await status(app, other)).cancel_requested], [false, false])
})

test('a prompt that was not shown is sent again: the same charge and phone, a minute apart, three times [P30]', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live' } })
  const page = await app.page(await app.student())
  const open = await checkout(app, page.slug)
  const fresh = await status(app, open)
  assert.equal(fresh.can_resend, false)
  assert.ok(Date.parse(fresh.resend_at) > Date.now() + 50_000)
  const early = await act(app, 'resend', open)
  assert.equal(codeOf(early), '429 rate_limited')
  assert.ok(Number(early.headers.get('retry-after')) > 50 && Number(early.headers.get('retry-after')) <= 60)
  assert.match(early.body.error.message_sw, /sasa hivi/)

  for (let time = 1; time <= 3; time += 1) {
    await aMinuteLater(app)
    assert.equal((await status(app, open)).can_resend, true)
    const again = await act(app, 'resend', open)
    assert.equal(codeOf(again), '200 pending')
    assert.equal(again.body.data.can_resend, false)
    assert.equal(codeOf(await act(app, 'resend', open)), '429 rate_limited')
  }
  await aMinuteLater(app)
  const spent = await act(app, 'resend', open)
  assert.equal(codeOf(spent), '429 rate_limited')
  assert.ok(Number(spent.headers.get('retry-after')) > 3_000, 'only the end of the payment is left to wait for')
  const last = await status(app, open)
  assert.deepEqual([last.can_resend, last.resend_at], [false, null])
  const { charges } = await app.truth()
  assert.deepEqual(
    charges.map(({ prompts, create_calls, phone }: any) => [prompts, create_calls, phone]),
    [[4, 1, '255754000111']],
  )
  // The database enforces this too.
  await assert.rejects(() => app.owner.pool.query('update provider_charges set pushes = 4'), /provider_charges_pushes_at_most_3/)
})

test('a prompt that would outlive the payment is not sent: the status does not offer it, and the answer says why', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live', PROMPT_SECONDS: '90' } })
  const page = await app.page(await app.student())
  const open = await checkout(app, page.slug)
  await aMinuteLater(app)
  const left = async (seconds: number) =>
    app.owner.pool.query(`update payments set expires_at = clock_now() + make_interval(secs => $1)`, [seconds])
  await left(60)
  assert.deepEqual([(await status(app, open)).can_resend, (await status(app, open)).resend_at], [false, null])
  const refused = await act(app, 'resend', open)
  assert.equal(codeOf(refused), '409 invalid_state')
  assert.match(refused.body.error.message, /about to expire/)
  assert.match(refused.body.error.message_sw, /unakaribia kuisha/)
  await left(120)
  assert.equal((await status(app, open)).can_resend, true)
  assert.equal(codeOf(await act(app, 'resend', open)), '200 pending')
  const { charges } = await app.truth()
  assert.deepEqual(
    charges.map(({ prompts }: any) => prompts),
    [2],
  )
})

test('fifty simultaneous resend requests to two processes send one prompt; a push that races the PIN credits once [P31]', async (t) => {
  const fleet = await startFleet(t)
  const { app } = fleet
  const apis = [await fleet.api(), await fleet.api()]
  const page = await app.page(await app.student())
  const made = await fetch(`${apis[0]!.url}/v1/payments/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      slug: page.slug,
      phone_number: waiting,
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
      idempotency_key: 'k',
    }),
  })
  const open = ((await made.json()) as any).data as Open
  const wish = (index: number) =>
    fetch(`${apis[index % 2]!.url}/v1/payments/${open.reference}/resend`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ checkout_token: open.checkout_token }),
    }).then((response) => response.status)
  await aMinuteLater(app)
  const said = await Promise.all(Array.from({ length: 50 }, (_, index) => wish(index)))
  assert.equal(said.filter((code) => code === 200).length, 1)
  assert.ok(
    said.every((code) => code === 200 || code === 429),
    said.join(),
  )
  assert.equal((await app.truth()).charges[0].prompts, 2)

  await aMinuteLater(app)
  const [charge] = (await app.truth()).charges
  await Promise.all([wish(0), answerPrompt(app, charge.reference, { action: 'pin' }), wish(1)])
  await eventually('it is paid', async () => {
    const answer = await fetch(`${apis[1]!.url}/v1/payments/${open.reference}/status`)
    return ((await answer.json()) as any).data.status === 'completed'
  })
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as credits, sum(amount)::integer as total from ledger_transfers where kind = 'payment'`,
  )
  assert.deepEqual(rows[0], { credits: 1, total: 1500 })
  assert.equal((await app.truth()).charges.length, 1)
})

test('a resend for a payment that is no longer open finds out how it ended, and credits it [P30, P31]', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const open = await checkout(app, page.slug)
  const [charge] = (await app.truth()).charges
  // Paid, and the message about it is lost.
  await answerPrompt(app, charge.reference, { action: 'complete', copies: 0 })
  await aMinuteLater(app)
  assert.equal((await status(app, open)).status, 'pending')
  assert.equal(codeOf(await act(app, 'resend', open)), '200 completed')
  assert.equal(codeOf(await act(app, 'resend', open)), '200 completed')
  assert.equal((await app.truth()).charges[0].prompts, 1)
})

test('a resend is refused with a reason if the provider cannot send a prompt again', async (t) => {
  const cannot = (provider: Provider): Provider => ({
    ...provider,
    capabilities: { ...provider.capabilities, pushes: false },
    pushCharge: () => assert.fail('a provider that cannot push is never asked to'),
  })
  const app = await startTestApp(t, {
    wrap(deps) {
      const providers = wrapProviders(deps.providers, cannot)
      return { ...deps, providers, statuses: createStatusReader(deps.db, providers, deps.config) }
    },
  })
  const open = await checkout(app, (await app.page(await app.student())).slug)
  await aMinuteLater(app)
  const shown = await status(app, open)
  assert.deepEqual([shown.can_resend, shown.resend_at], [false, null])
  assert.equal(codeOf(await act(app, 'resend', open)), '409 invalid_state')
})

test('while it is unknown whether there is a prompt, no second one is sent', async (t) => {
  const never = (provider: Provider): Provider => ({
    ...provider,
    pushCharge: () => assert.fail('there may be no charge to push'),
  })
  const app = await startTestApp(t, { wrap: (deps) => ({ ...deps, providers: wrapProviders(deps.providers, never) }) })
  const open = await checkout(app, (await app.page(await app.student())).slug)
  await app.owner.pool.query(`update provider_charges set state = 'unknown', provider_reference = null`)
  await aMinuteLater(app)
  assert.equal(codeOf(await act(app, 'resend', open)), '200 pending')
})

test('a push without an answer may have shown the prompt: it counts, and the answer does not say that it was shown', async (t) => {
  let isAway = false
  const away = (provider: Provider): Provider => ({
    ...provider,
    pushCharge: async (key) => (isAway ? { kind: 'indeterminate', reason: 'timeout' } : provider.pushCharge(key)),
  })
  const app = await startTestApp(t, { wrap: (deps) => ({ ...deps, providers: wrapProviders(deps.providers, away) }) })
  const open = await checkout(app, (await app.page(await app.student())).slug)
  await aMinuteLater(app)
  isAway = true
  const unknown = await act(app, 'resend', open)
  assert.deepEqual([codeOf(unknown), unknown.headers.get('retry-after')], ['503 provider_unavailable', '60'])
  isAway = false
  assert.equal(codeOf(await act(app, 'resend', open)), '429 rate_limited')
})

/** How many prompts are counted for a phone, and how many resends of its payment. */
const countedOf = async (app: TestApp): Promise<[prompts: number, pushes: number]> => {
  const { rows } = await app.owner.pool.query(
    'select (select count(*)::integer from prompts) as prompts, pushes, pushed_at from provider_charges',
  )
  assert.equal(rows[0].pushed_at === null, rows[0].pushes === 0)
  return [rows[0].prompts, rows[0].pushes]
}

function assertNothingSent(answer: Answer): void {
  assert.equal(codeOf(answer), '503 provider_unavailable', JSON.stringify(answer.body))
  assert.match(answer.body.error.message, /Nothing was sent/)
  assert.match(answer.body.error.message_sw, /Hakuna ombi lililotumwa/)
}

test('a resend while the provider is not called sends nothing, says so and counts nothing', async (t) => {
  const app = await startTestApp(t, {
    settings: {
      SIMULATED_PROVIDERS: 'live',
      PROVIDER_CIRCUIT_FAILURES: '1',
      PROVIDER_CIRCUIT_OPEN_SECONDS: '3',
      RATE_LIMIT_QUOTAS: 'status=1000/60',
    },
  })
  const open = await checkout(app, (await app.page(await app.student())).slug)
  await aMinuteLater(app)
  await app.control('PATCH', '/faults', { rates: { getFails: 1 } })
  await checkNow(app)
  await app.control('PATCH', '/faults', { rates: { getFails: 0 } })
  assertNothingSent(await act(app, 'resend', open))
  assert.deepEqual(await countedOf(app), [1, 0])
  const again = await eventually('the provider is called again', async () => {
    const answer = await act(app, 'resend', open)
    if (answer.status === 200) return answer
    assertNothingSent(answer)
    return undefined
  })
  assert.equal(codeOf(again), '200 pending')
  assert.deepEqual([await countedOf(app), (await app.truth()).charges[0].prompts], [[2, 1], 2])
})

test('a resend for which no call of the minute is left sends nothing, says so and counts nothing', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live', SNIPPE_TEST_REQUESTS_PER_MINUTE: '10' } })
  const open = await checkout(app, (await app.page(await app.student())).slug)
  await aMinuteLater(app)
  const spend = () => app.deps.providers.test.payouts.quotePayout(5_000, '+255754000123')
  await eventually('no call is left', async () => JSON.stringify(await spend()).includes('budget_spent'))
  assertNothingSent(await act(app, 'resend', open))
  assert.deepEqual([await countedOf(app), (await app.truth()).charges[0].prompts], [[1, 0], 1])
  assert.equal((await status(app, open)).can_resend, true)
})

test('prompts that are sent again count for the phone, and none is sent while the network is switched off', async (t) => {
  const app = await startTestApp(t, {
    settings: { SIMULATED_PROVIDERS: 'live', RATE_LIMIT_QUOTAS: 'prompts-burst=2/600' },
  })
  const page = await app.page(await app.student())
  const open = await checkout(app, page.slug)
  await aMinuteLater(app)
  const admin = await app.admin()
  const turn = (state: string) =>
    app.call('PUT', '/v1/admin/switches/test.checkout.mpesa', { token: admin.token, body: { state, reason: 'An outage.' } })
  await turn('off')
  assert.equal(codeOf(await act(app, 'resend', open)), '503 network_unavailable')
  await turn('on')
  assert.equal(codeOf(await act(app, 'resend', open)), '200 pending')
  await aMinuteLater(app)
  const busy = await act(app, 'resend', open)
  assert.deepEqual([codeOf(busy), busy.body.error.details.reason], ['429 phone_busy', 'too_many_prompts'])
  assert.equal((await app.truth()).charges[0].prompts, 2)
})

test('of two resends of one prompt, the one that counted it and did not send it leaves it counted', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live' } })
  const { reference } = await checkout(app, (await app.page(await app.student())).slug)
  await aMinuteLater(app)
  const paymentId = fromWire('pay', reference)!
  const promptLimit: PromptLimit = {
    async take(prompt) {
      const taken = await app.deps.promptLimit.take(prompt)
      // The other one goes from its beginning to its end between this count and its claim.
      await resendPrompt(app.deps, paymentId)
      return taken
    },
  }
  await assert.rejects(resendPrompt({ ...app.deps, promptLimit }, paymentId), { code: 'rate_limited' })
  const { rows } = await app.owner.pool.query('select count(*)::integer as counted from prompts')
  assert.deepEqual([rows[0].counted, (await app.truth()).charges[0].prompts], [2, 2])
})

test('after a prompt was sent again, the end of its payment frees the phone for the next prompt', async (t) => {
  const app = await startTestApp(t, { settings: { SIMULATED_PROVIDERS: 'live' } })
  const page = await app.page(await app.student())
  const open = await checkout(app, page.slug)
  await aMinuteLater(app)
  assert.equal(codeOf(await act(app, 'resend', open)), '200 pending')
  assert.equal(codeOf(await app.checkout(page.slug, { phone_number: waiting })), '429 phone_busy')
  await answerPrompt(app, (await app.truth()).charges[0].reference, { action: 'cancel' })
  await app.settled(open.reference)
  await checkout(app, page.slug)
})

test('a payment that was never sent is voided at once, releases its place and is never sent', async (t) => {
  const dead = 'http://127.0.0.1:9'
  const app = await startTestApp(t, { settings: { SNIPPE_TEST_BASE_URL: dead } })
  const page = await app.page(await app.student(), { type: 'event', max_payments: 1 })
  const open = await checkout(app, page.slug)
  await app.deps.backgroundDone()
  assert.equal((await app.checkout(page.slug)).status, 409)
  const cancelled = await act(app, 'cancel', open)
  assert.equal(codeOf(cancelled), '200 voided')
  assert.equal(cancelled.body.data.cancel_requested, true)
  const { rows } = await app.owner.pool.query('select state, next_attempt_at from provider_charges')
  assert.deepEqual(rows, [{ state: 'rejected', next_attempt_at: null }])
  assert.equal(codeOf(await act(app, 'cancel', open)), '409 invalid_state')
  assert.equal(codeOf(await act(app, 'resend', open)), '200 voided')
  assert.equal((await app.checkout(page.slug)).status, 201)
})

test('a limit that a page gets later does not count the payments that have begun', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  for (const phone_number of ['0754001111', '0754002111']) await checkout(app, page.slug, { phone_number })
  const { key } = await app.key(student)
  const limited = await app.call('PATCH', `/v1/payment-pages/${page.id}`, { key, body: { max_payments: 1 } })
  assert.equal(limited.status, 200, JSON.stringify(limited.body))
  await checkout(app, page.slug, { phone_number: '0754003111' })
  assert.equal((await app.checkout(page.slug, { phone_number: '0754004111' })).body.error.code, 'page_sold_out')
})

for (const [end, action] of [
  ['failed', 'fail'],
  ['voided', 'void'],
  ['expired', 'expire'],
] as const) {
  test(`a payment that was sent waits for the provider: ${end} there voids it here`, async (t) => {
    const app = await startTestApp(t)
    const page = await app.page(await app.student())
    const open = await checkout(app, page.slug)
    for (let time = 0; time < 2; time += 1) {
      const asked = await act(app, 'cancel', open)
      assert.deepEqual([codeOf(asked), asked.body.data.cancel_requested], ['200 pending', true])
    }
    const waits = await status(app, open)
    assert.deepEqual([waits.can_resend, waits.resend_at], [false, null])
    assert.equal(codeOf(await act(app, 'resend', open)), '409 invalid_state')
    await answerPrompt(app, (await app.truth()).charges[0].reference, { action })
    const ended = await app.settled(open.reference)
    assert.deepEqual([ended.status, ended.failure], ['voided', null])
    assert.equal(codeOf(await act(app, 'cancel', open)), '409 invalid_state')
  })
}

test('a payment that the payer cancels and then confirms with the PIN is paid', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const open = await checkout(app, (await app.page(student)).slug)
  await act(app, 'cancel', open)
  await answerPrompt(app, (await app.truth()).charges[0].reference, { action: 'pin' })
  const ended = await app.settled(open.reference)
  assert.deepEqual([ended.status, ended.late], ['completed', false])
  assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.total, 1500)
})

test('our expiry is not the provider’s end: a cancelled payment that is still open at the provider expires, and its text claims nothing about money', async () => {
  const app = await sharedApp()
  const open = await checkout(app, (await app.page(await app.student())).slug)
  await act(app, 'cancel', open)
  await app.owner.pool.query(`update payments set expires_at = clock_now() - interval '1 second'`)
  await checkNow(app)
  assert.equal((await status(app, open)).status, 'expired')
})

test('a cancel during the first call voids the payment when the call turns out not to have been sent', async (t) => {
  let release = (): void => undefined
  let reached = (): void => undefined
  const atCall = new Promise<void>((resolve) => (reached = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  const held = (provider: Provider): Provider => ({
    ...provider,
    async charge(request) {
      reached()
      await released
      return provider.charge(request)
    },
  })
  const app = await startTestApp(t, {
    settings: { SNIPPE_TEST_BASE_URL: 'http://127.0.0.1:9' },
    wrap: (deps) => ({ ...deps, providers: wrapProviders(deps.providers, held) }),
  })
  const page = await app.page(await app.student())
  const answering = checkout(app, page.slug)
  await atCall
  const { rows } = await app.owner.pool.query('select id from payments')
  const reference = toWire('pay', rows[0].id)
  // While the call hangs, the charge may have been sent.
  const early = await act(app, 'cancel', { reference, checkout_token: checkoutToken(app, rows[0].id) })
  assert.deepEqual([codeOf(early), early.body.data.cancel_requested], ['200 pending', true])
  release()
  const open = await answering
  assert.equal(open.reference, reference)
  await app.deps.backgroundDone()
  await checkNow(app)
  assert.equal((await status(app, open)).status, 'voided')
  const { rows: charges } = await app.owner.pool.query('select state from provider_charges')
  assert.equal(charges[0].state, 'rejected')
})

test('cancels and sends that race over two workers: no payment is voided here and paid at the provider without a credit', async (t) => {
  const fleet = await startFleet(t, { PAYMENT_CHECK_DELAYS_SECONDS: '0.2' })
  const { app } = fleet
  const apis = [await fleet.api(), await fleet.api()]
  await fleet.worker()
  await fleet.worker()
  const page = await app.page(await app.student())
  const post = async (path: string, body: unknown, index: number) => {
    const response = await fetch(`${apis[index % 2]!.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  const opened = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      post(
        '/v1/payments/checkout',
        {
          slug: page.slug,
          // Half of the payers pay automatically, half wait for a person.
          phone_number: index % 2 === 0 ? '0754123789' : `07540001${10 + index}`,
          customer_name: 'Juma',
          customer_email: 'juma@example.com',
          idempotency_key: `k-${index}`,
        },
        index,
      ),
    ),
  )
  const cancelled = await Promise.all(
    opened.flatMap(({ body }, index) => [
      post(`/v1/payments/${body.data.reference}/cancel`, { checkout_token: body.data.checkout_token }, index),
      post(`/v1/payments/${body.data.reference}/cancel`, { checkout_token: body.data.checkout_token }, index + 1),
    ]),
  )
  assert.ok(cancelled.every((answer) => answer.status === 200 || answer.status === 409))
  for (const charge of (await app.truth()).charges) {
    if (charge.status === 'pending') await answerPrompt(app, charge.reference, { action: 'cancel' })
  }
  await eventually('every payment has ended', async () => {
    const { rows } = await app.owner.pool.query(
      `select count(*)::integer as open from payments where status in ('pending', 'processing')`,
    )
    return rows[0].open === 0
  })
  const { charges } = await app.truth()
  const { rows } = await app.owner.pool.query(
    'select p.status, c.provider_reference from payments p join provider_charges c on c.payment_id = p.id',
  )
  for (const { status: here, provider_reference } of rows) {
    const there = charges.find((charge: any) => charge.reference === provider_reference)
    assert.equal(here, there.status === 'completed' ? 'completed' : 'voided')
  }
  assert.equal(
    rows.filter((row) => row.status === 'completed').length,
    charges.filter((charge: any) => charge.status === 'completed').length,
  )
})

test('the waiting page resends and cancels without JavaScript, only in the browser that started the payment', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const form = new URLSearchParams({
    idempotency_key: 'k',
    lang: 'en',
    amount: '1500',
    phone_number: waiting,
    customer_name: 'Juma Hamisi',
    customer_email: 'juma@example.com',
  })
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = (url: string, cookie?: string, payload = 'lang=en') =>
    app.api.checkout.inject({ method: 'POST', url, headers: { ...type, ...(cookie && { cookie }) }, payload })
  const look = (cookie?: string) => app.api.checkout.inject({ url: `${path}?lang=en`, headers: cookie ? { cookie } : {} })

  const sent = await send(`/pay/${page.slug}`, undefined, form.toString())
  assert.equal(sent.statusCode, 303)
  const path = String(sent.headers['location']).split('?')[0]!
  const cookie = [sent.headers['set-cookie']]
    .flat()
    .find((one) => one!.startsWith('checkout_token='))!
    .split(';')[0]!

  const strange = (await look()).payload
  assert.ok(!strange.includes('/resend') && !strange.includes('/cancel'))
  assert.equal((await send(`${path}/cancel`)).statusCode, 404)
  assert.equal((await send(`${path}/resend`, `checkout_token=ct_${'a'.repeat(43)}`)).statusCode, 404)
  assert.equal((await send(`${path.replace(page.slug, 'another')}/cancel`, cookie)).statusCode, 404)

  const waits = (await look(cookie)).payload
  assert.match(waits, /<button class="second" id="again" data-in="(5\d|60)" disabled>Send the request again/)
  assert.match(waits, /send it again in (5\d|60) seconds/)
  const early = await send(`${path}/resend`, cookie)
  assert.deepEqual([early.statusCode, early.headers['location']], [303, `${path}?lang=en`])
  await aMinuteLater(app)
  assert.match((await look(cookie)).payload, /<button class="second"\s*>Send the request again/)
  assert.equal((await send(`${path}/resend`, cookie)).statusCode, 303)
  assert.equal((await app.truth()).charges[0].prompts, 2)

  assert.equal((await send(`${path}/cancel`, cookie)).statusCode, 303)
  const cancelling = (await look(cookie)).payload
  assert.match(cancelling, /Cancelling the payment/)
  assert.match(cancelling, /do not enter your PIN/)
  assert.ok(!cancelling.includes('/resend') && !cancelling.includes('/cancel'))
  await answerPrompt(app, (await app.truth()).charges[0].reference, { action: 'cancel' })
  await app.settled(/pay_\w{26}/.exec(path)![0])
  assert.match((await look(cookie)).payload, /You cancelled the payment/)
  assert.equal((await send(`${path}/cancel`, cookie)).statusCode, 303)
})

test('a payer who resends many times is limited like one who polls too often, and few guesses of tokens are possible', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'status=3/60,unknown-reference=2/60' } })
  const open = await checkout(app, (await app.page(await app.student())).slug)
  for (let time = 0; time < 3; time += 1) assert.equal((await act(app, 'cancel', open)).status, 200)
  assert.equal(codeOf(await act(app, 'cancel', open)), '429 rate_limited')
  const guess = { reference: open.reference, checkout_token: 'ct_guess' }
  assert.deepEqual(
    [codeOf(await act(app, 'cancel', guess)), codeOf(await act(app, 'cancel', guess)), codeOf(await act(app, 'cancel', guess))],
    ['404 not_found', '404 not_found', '429 rate_limited'],
  )
})
