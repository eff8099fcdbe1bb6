/** The end of a cancelled or silent prompt: the provider is asked at once and again, and only its own word ends the payment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { checkCharges } from './check-charges.ts'
import { endChecksSeconds } from './end-checks.sql.ts'

type Open = { reference: string; checkout_token: string; slug: string }

async function openPayment(app: TestApp, phone = '0754000111'): Promise<Open> {
  const { slug } = await app.page(await app.student())
  const { body } = await app.checkout(slug, { phone_number: phone })
  await eventually('the provider has it', async () => (await app.truth()).charges.length === 1)
  return { ...body.data, slug }
}

const cancel = (app: TestApp, { reference, checkout_token }: Open) =>
  app.call('POST', `/v1/payments/${reference}/cancel`, { body: { checkout_token } })

/** The payer dismisses the prompt, and the provider's message about it is lost. */
const failSilently = async (app: TestApp) =>
  app.control('POST', `/charges/${(await app.truth()).charges[0].reference}/answer`, { action: 'fail', copies: 0 })

const statusOf = async (app: TestApp, { reference }: Open) =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data

const pageOf = async (app: TestApp, { slug, reference }: Open): Promise<string> =>
  (await app.api.checkout.inject(`/pay/${slug}/${reference}?lang=en`)).payload

/** Moves everything of the one payment into the past, as if this time had gone by. */
const wait = (app: TestApp, seconds: number) =>
  app.owner.pool.query(
    `with p as (update payments set cancel_requested_at = cancel_requested_at - make_interval(secs => ${seconds}))
     update provider_charges set claimed_at = claimed_at - make_interval(secs => ${seconds}),
       pushed_at = pushed_at - make_interval(secs => ${seconds}), next_attempt_at = next_attempt_at - make_interval(secs => ${seconds})`,
  )

/** Whole seconds until the next question; zero or less: it is due. */
async function nextIn(app: TestApp): Promise<number> {
  const { rows } = await app.owner.pool.query(
    'select round(extract(epoch from next_attempt_at - clock_now()))::integer as seconds from provider_charges',
  )
  return rows[0].seconds
}

for (const provider of ['snippe', 'clickpesa'] as const) {
  const settings = { CHARGE_PROVIDER_TEST: provider, PROMPT_SECONDS: '90', PAYMENT_CHECK_DELAYS_SECONDS: '600' }

  test(`${provider}: a cancel and the end of a prompt ask the provider at once, and after 30 s, 2 and 5 minutes [R19]`, async (t) => {
    const app = await startTestApp(t, { settings })
    const open = await openPayment(app)
    await eventually('its acceptance is recorded', async () => (await statusOf(app, open)).status === 'pending')
    await app.owner.pool.query(`update provider_charges set claimed_at = clock_now() - interval '1 minute'`)
    await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now()`)
    assert.equal(await checkCharges(app.deps, 50), 1)
    // The prompt ends in 30 seconds; without this rule the next question would come after ten minutes.
    for (const [index, at] of endChecksSeconds.entries()) {
      const before = index === 0 ? -30 : endChecksSeconds[index - 1]!
      assert.ok(Math.abs((await nextIn(app)) - (at - before)) <= 2, `question ${index}: in ${await nextIn(app)} s`)
      await wait(app, at - before + 0.2)
      assert.equal(await checkCharges(app.deps, 50), 1)
    }
    assert.ok((await nextIn(app)) > 300, 'the usual questions follow')
    assert.equal((await statusOf(app, open)).status, 'pending', 'no answer is guessed')

    await cancel(app, open)
    for (const [index, at] of endChecksSeconds.entries()) {
      if (index > 0) await wait(app, at - endChecksSeconds[index - 1]! + 0.2)
      assert.ok((await nextIn(app)) <= 0, `question ${index} after the cancel is due`)
      assert.equal(await checkCharges(app.deps, 50), 1)
    }
    assert.ok((await nextIn(app)) > 300)
    assert.equal((await statusOf(app, open)).status, 'pending')
  })

  test(`${provider}: a proven end without money is found without any message, and the page says that paying again is safe [R19]`, async (t) => {
    for (const isCancelled of [true, false]) {
      const app = await startTestApp(t, { settings, worker: true })
      const open = await openPayment(app, isCancelled ? '0754000111' : '0754000112')
      if (isCancelled) {
        await failSilently(app)
        await cancel(app, open)
      } else {
        await failSilently(app)
        await app.owner.pool.query(
          `update provider_charges set claimed_at = clock_now() - interval '90 seconds', next_attempt_at = clock_now()`,
        )
      }
      const ended = await app.settled(open.reference)
      assert.equal(ended.status, isCancelled ? 'voided' : 'failed')
      const page = await pageOf(app, open)
      assert.match(page, /No money was taken/)
      assert.match(page, /closed.*safe to try again/s)
    }
  })
}

test('without proof a cancelled payment stays open; its page says when the network is asked again, and offers no other number [R19]', async (t) => {
  const app = await startTestApp(t)
  const open = await openPayment(app)
  await cancel(app, open)
  await checkCharges(app.deps, 50)
  const status = await statusOf(app, open)
  assert.deepEqual([status.status, status.cancel_requested], ['pending', true])
  const page = await pageOf(app, open)
  const until = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Africa/Dar_es_Salaam',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(status.expires_at))
  assert.ok(page.includes(`We ask the network again at ${until}.`), page)
  assert.doesNotMatch(page, /Use another number|Send the request again/)
})

test('a prompt that is sent again has its own end, and a cancel of a charge without a known reference sends nothing early', async (t) => {
  const app = await startTestApp(t, { settings: { PROMPT_SECONDS: '90', PAYMENT_CHECK_DELAYS_SECONDS: '600' } })
  const open = await openPayment(app)
  await eventually('its acceptance is recorded', async () => (await statusOf(app, open)).resend_at !== null)
  await app.owner.pool.query(`update provider_charges set claimed_at = clock_now() - interval '6 minutes'`)
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() + interval '10 minutes'`)
  const { reference, checkout_token } = open
  const again = await app.call('POST', `/v1/payments/${reference}/resend`, { body: { checkout_token } })
  assert.equal(again.status, 200, JSON.stringify(again.body))
  assert.ok(Math.abs((await nextIn(app)) - 90) <= 3, String(await nextIn(app)))

  await app.owner.pool.query(
    `update provider_charges set provider_reference = null, state = 'claimed', next_attempt_at = clock_now() + interval '30 seconds'`,
  )
  await cancel(app, open)
  assert.ok((await nextIn(app)) > 20, 'its first call may still be in flight')
  await app.owner.pool.query(
    `update provider_charges set provider_reference = (select reference from provider_references), state = 'accepted'`,
  )
})
