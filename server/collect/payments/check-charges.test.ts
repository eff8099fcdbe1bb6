/** Charges without an answer, at a provider that can be queried by our own id: its answer counts, and no payer is prompted twice. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eventually, startTestApp, type TestApp, type TestAppOptions } from '../../../test/app.ts'
import { orderReferenceOf } from '../../money/providers/clickpesa-data.ts'
import { wrapProviders, type ChargeOutcome, type Providers } from '../../money/providers/provider.ts'
import { checkCharges } from './check-charges.ts'

/** A lease is half a second, so a charge is sent again two seconds after the last send, at the earliest. */
const settings = {
  CHARGE_PROVIDER_TEST: 'clickpesa',
  PAYMENT_CHECK_DELAYS_SECONDS: '0.2',
  CHARGE_CLAIM_LEASE_SECONDS: '0.5',
  PROVIDER_TIMEOUT_MS: '400',
}

/** The provider has other keys registered for us. */
const otherAccounts = {
  test: { apiKey: 'snp_rotated_away', webhookSecret: 'x'.repeat(32) },
  live: { apiKey: 'snp_live_other', webhookSecret: 'x'.repeat(32) },
}

type ClickpesaApp = TestApp & { pay(phone: string): Promise<string>; charges(reference: string): Promise<any[]> }

async function startClickpesaApp(t: TestContext, options: TestAppOptions = {}): Promise<ClickpesaApp> {
  const app = await startTestApp(t, { worker: true, ...options, settings: { ...settings, ...options.settings } })
  const page = await app.page(await app.student())
  return {
    ...app,
    async pay(phone_number) {
      const { status, body } = await app.checkout(page.slug, { phone_number })
      assert.equal(status, 201, JSON.stringify(body))
      return body.data.reference as string
    },
    charges: async (reference) => (await app.truth(`?our_reference=${orderReferenceOf(reference)}`)).charges,
  }
}

const patch = (app: TestApp, path: string, body: unknown) =>
  fetch(`${app.simulatorUrl}/__control${path}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const statusOf = async (app: TestApp, reference: string): Promise<string> =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status

const lookedUp = (app: TestApp, times: number) =>
  eventually('the charge is queried', async () => {
    const { rows } = await app.owner.pool.query('select coalesce(max(attempts), 0)::integer as attempts from provider_charges')
    return rows[0].attempts >= times
  })

test('a payment goes through the second provider from prompt to credit, by its messages [P01]', async (t) => {
  const app = await startClickpesaApp(t)
  const reference = await app.pay('0754000789')
  assert.equal((await app.settled(reference)).status, 'completed')
  const [charge] = await app.charges(reference)
  assert.deepEqual([charge.create_calls, charge.prompts, charge.account], [1, 1, 'clickpesa-test'])
})

test('a charge that was accepted with a bad or lost answer is found by our own id and sent once [P08, P15, P40]', async (t) => {
  const app = await startClickpesaApp(t)
  for (const phone of ['0754000199', '0754000289', '0754000139']) {
    const reference = await app.pay(phone)
    assert.equal((await app.settled(reference)).status, 'completed', phone)
    const charges = await app.charges(reference)
    assert.deepEqual(
      charges.map(({ create_calls, prompts }) => [create_calls, prompts]),
      [[1, 1]],
      phone,
    )
  }
})

test('while the provider may still be working on the first request, "not found" sends nothing and fails nothing [P06, P16]', async (t) => {
  const app = await startClickpesaApp(t, { settings: { CHARGE_CLAIM_LEASE_SECONDS: '5' } })
  await patch(app, '/switches', { hangMs: 4_000 })
  const reference = await app.pay('0754000209')
  await lookedUp(app, 2)
  assert.equal(await statusOf(app, reference), 'processing')
  // The simulator counts a second request only after it stops hanging; our own claim shows it at once.
  const again = 'select claimed_at > p.created_at as again from provider_charges join payments p on p.id = payment_id'
  assert.equal((await app.owner.pool.query(again)).rows[0].again, false)
  assert.equal((await app.settled(reference)).status, 'completed')
  const charges = await app.charges(reference)
  assert.deepEqual(
    charges.map(({ create_calls, prompts }) => [create_calls, prompts]),
    [[1, 1]],
  )
})

test('a request that was lost is sent again under the same id, long after, only because the provider has no charge [P07]', async (t) => {
  const app = await startClickpesaApp(t)
  await patch(app, '/faults', { rates: { createLostBefore: 1 } })
  const reference = await app.pay('0754000789')
  await lookedUp(app, 2)
  assert.equal(await statusOf(app, reference), 'processing')
  await patch(app, '/faults', { rates: { createLostBefore: 0 } })
  assert.equal((await app.settled(reference)).status, 'completed')
  const charges = await app.charges(reference)
  assert.deepEqual(
    charges.map(({ create_calls, prompts }) => [create_calls, prompts]),
    [[1, 1]],
  )
  const { rows } = await app.owner.pool.query(
    "select claimed_at - p.created_at > interval '2 seconds' as late from provider_charges join payments p on p.id = payment_id",
  )
  assert.equal(rows[0].late, true)
  await assert.rejects(app.owner.pool.query('update provider_charges set attempts = 0'), { constraint: 'attempts_never_fall' })
})

test('a claim without a recorded outcome is queried and not sent after the payment expired', async (t) => {
  const app = await startClickpesaApp(t, { worker: false, settings: { PAYMENT_EXPIRY_SECONDS: '1' } })
  await patch(app, '/faults', { rates: { createLostBefore: 1 } })
  const reference = await app.pay('0754000789')
  await patch(app, '/faults', { rates: { createLostBefore: 0 } })
  await app.owner.pool.query(`update payments set expires_at = created_at, created_at = created_at - interval '1 hour'`)
  await app.owner.pool.query(
    `update provider_charges set claimed_at = claimed_at - interval '1 hour', next_attempt_at = clock_now() - interval '1 second'`,
  )
  assert.equal(await checkCharges(app.deps, 10), 1)
  assert.deepEqual([await statusOf(app, reference), await app.charges(reference)], ['processing', []])
})

for (const when of ['before it is looked up', 'while it is looked up'] as const) {
  test(`a lost charge that its payer cancelled ${when} is never started, because the provider does not know it`, async (t) => {
    let cancelDuringLookUp = async (): Promise<void> => {}
    const app = await startClickpesaApp(t, {
      worker: false,
      settings: { PROVIDER_TIMEOUT_MS: '5000' },
      wrap: (deps) => ({
        ...deps,
        providers: wrapProviders(deps.providers, (provider) => ({
          ...provider,
          async fetchCharge(key) {
            const answer = await provider.fetchCharge(key)
            await cancelDuringLookUp()
            return answer
          },
        })),
      }),
    })
    await patch(app, '/faults', { rates: { createLostBefore: 1 } })
    const { body } = await app.checkout((await app.page(await app.student())).slug, { phone_number: '0754000789' })
    const { reference, checkout_token } = body.data
    await patch(app, '/faults', { rates: { createLostBefore: 0 } })
    const cancel = async () => {
      const answer = await app.call('POST', `/v1/payments/${reference}/cancel`, { body: { checkout_token } })
      assert.deepEqual([answer.status, answer.body.data.cancel_requested], [200, true])
    }
    if (when === 'before it is looked up') await cancel()
    else cancelDuringLookUp = cancel
    await app.owner.pool.query(
      `update provider_charges set claimed_at = claimed_at - interval '1 hour', next_attempt_at = clock_now() - interval '1 second'`,
    )
    assert.equal(await checkCharges(app.deps, 10), 1)
    assert.deepEqual([await statusOf(app, reference), await app.charges(reference)], ['processing', []])
  })
}

test('a charge stays with the provider of its row: another provider is not queried, and a removed provider raises an alert', async (t) => {
  const lines: string[] = []
  const app = await startClickpesaApp(t, { worker: false, logLevel: 'info', logTo: (line) => lines.push(line) })
  const reference = await app.pay('0754000000')
  const due = () => app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() - interval '1 second'`)
  const { test: inTest, live } = app.deps.providers
  const snippe = inTest.byName.get('snippe')!

  // New charges go to the other provider now; this charge is still queried at its own provider.
  const switched: Providers = { live, test: { ...inTest, charges: snippe, payouts: snippe } }
  await due()
  assert.equal(await checkCharges({ ...app.deps, providers: switched }, 10), 1)
  const calls = (await app.charges(reference)).map(({ create_calls }) => create_calls)
  assert.deepEqual(calls, [1])

  const removed: Providers = { live, test: { charges: snippe, payouts: snippe, byName: new Map([['snippe', snippe]]) } }
  await due()
  assert.equal(await checkCharges({ ...app.deps, providers: removed }, 10), 1)
  assert.equal(lines.filter((line) => line.includes('charge.provider_missing')).length, 1)
  assert.equal(await statusOf(app, reference), 'pending')
  const { rows } = await app.owner.pool.query('select next_attempt_at is not null as waits, provider from provider_charges')
  assert.deepEqual(rows, [{ waits: true, provider: 'clickpesa' }])
})

test('an error that names a reference binds it, and the charge is queried by it', async (t) => {
  let sends = 0
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async charge(request) {
          sends += 1
          const outcome = await provider.charge(request)
          if (outcome.kind !== 'accepted') return outcome
          return { kind: 'unknown', reason: 'payment_failed', reference: outcome.snapshot.reference }
        },
      })),
    }),
  })
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data
  const { rows } = await app.owner.pool.query('select state, provider_reference from provider_charges')
  const [charge] = (await app.truth()).charges
  assert.deepEqual(rows, [{ state: 'accepted', provider_reference: charge.reference }])
  assert.equal(await statusOf(app, reference), 'processing')
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete', copies: 0 })
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() - interval '1 second'`)
  await checkCharges(app.deps, 1)
  assert.deepEqual([await statusOf(app, reference), sends], ['completed', 1])
})

for (const late of [
  { kind: 'rejected', failure: 'payer_limit', text: 'limit' },
  { kind: 'not_sent', reason: 'UND_ERR_CONNECT_TIMEOUT' },
  { kind: 'retry_later', afterMs: 1_000 },
] as const satisfies ChargeOutcome[]) {
  test(`a late answer to one process (${late.kind}) proves nothing about what another process has sent meanwhile [P06]`, async (t) => {
    let calls = 0
    let end = (_outcome: ChargeOutcome): void => {}
    const slow = new Promise<ChargeOutcome>((resolve) => (end = resolve))
    const app = await startTestApp(t, {
      wrap: (deps) => ({
        ...deps,
        providers: wrapProviders(deps.providers, (provider) => ({
          ...provider,
          async charge(request) {
            calls += 1
            if (calls === 1) return slow
            await provider.charge(request)
            return { kind: 'unknown', reason: 'ECONNRESET' }
          },
        })),
      }),
    })
    const page = await app.page(await app.student())
    const checkout = app.checkout(page.slug, { phone_number: '0754000111' })
    await eventually('the first call is in flight', async () => calls === 1)
    // Its lease expires: another process claims the charge, and its answer is lost.
    await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() - interval '1 second'`)
    await checkCharges(app.deps, 1)
    end(late)
    const { reference } = (await checkout).body.data
    const { rows } = await app.owner.pool.query('select state from provider_charges')
    assert.deepEqual([rows[0].state, await statusOf(app, reference)], ['unknown', 'processing'])
  })
}

test('a charge that was changed in the database is not sent again and is escalated to operators', async (t) => {
  let isAway = true
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        charge: async (request): Promise<ChargeOutcome> =>
          isAway ? { kind: 'not_sent', reason: 'ECONNREFUSED' } : provider.charge(request),
      })),
    }),
  })
  const page = await app.page(await app.student())
  assert.equal((await app.checkout(page.slug, { phone_number: '0754000129' })).status, 201)
  await app.deps.backgroundDone()
  isAway = false
  const change = (from: string, to: string) =>
    app.owner.pool.query(
      "update provider_charges set request_body = replace(request_body, $1, $2), next_attempt_at = now() - interval '1 second'",
      [from, to],
    )
  await change('255754000129', '255754000123')
  assert.equal(await checkCharges(app.deps, 1), 1)
  assert.deepEqual((await app.truth()).charges, [])
  const { rows } = await app.owner.pool.query('select kind from breaks')
  assert.deepEqual(rows, [{ kind: 'charge_unknown' }])
  await change('255754000123', '255754000129')
  assert.equal(await checkCharges(app.deps, 1), 1)
  assert.equal((await app.truth()).charges.length, 1)
})

/** A charge at the provider with keys, of which every call fails with PAY_001. */
async function startFailingApp(t: TestContext, changes: Record<string, string> = {}) {
  const app = await startTestApp(t, {
    settings: { PAYMENT_CHECK_DELAYS_SECONDS: '20,30,60,120,300', PROVIDER_CIRCUIT_FAILURES: '1000', ...changes },
  })
  const page = await app.page(await app.student())
  assert.equal((await app.checkout(page.slug, { phone_number: '0754000229' })).status, 201)
  return {
    ...app,
    slug: page.slug,
    async nextInSeconds(): Promise<number> {
      const { rows } = await app.owner.pool.query(
        'select round(extract(epoch from next_attempt_at - updated_at))::integer as seconds from provider_charges',
      )
      return rows[0].seconds
    },
    async checkNow() {
      await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() - interval '1 second'`)
      assert.equal(await checkCharges(app.deps, 10), 1)
    },
  }
}

test('a charge with an unknown outcome is sent again at growing intervals, and seldom after its expiry [P12]', async (t) => {
  const app = await startFailingApp(t)
  const delays = [await app.nextInSeconds()]
  for (let check = 1; check <= 5; check += 1) {
    await app.checkNow()
    delays.push(await app.nextInSeconds())
  }
  assert.deepEqual(delays, [20, 30, 60, 120, 300, 300])
  await app.owner.pool.query(`update payments set expires_at = clock_now() - interval '1 second'`)
  await app.checkNow()
  assert.equal(await app.nextInSeconds(), 1800)
})

test('charges that are sent again leave a third of the calls to new payers [P12, P14]', async (t) => {
  const app = await startFailingApp(t, { SNIPPE_TEST_REQUESTS_PER_MINUTE: '12' })
  for (let check = 1; check <= 12; check += 1) await app.checkNow()
  const { body } = await app.checkout(app.slug, { phone_number: '0754000111' })
  assert.equal(body.data.status, 'pending', JSON.stringify(body))
  assert.deepEqual(
    (await app.truth()).charges.map(({ prompts }: { prompts: number }) => prompts),
    [1],
  )
})

test('a charge that the provider refused for our key was never started: its payer cancels it at once, and it is not sent after its expiry [P39]', async (t) => {
  const app = await startTestApp(t, { simulator: { accounts: otherAccounts }, settings: { PROVIDER_CIRCUIT_OPEN_SECONDS: '1' } })
  const page = await app.page(await app.student())
  const first = (await app.checkout(page.slug, { phone_number: '0754000789' })).body.data
  const { reference, checkout_token } = first
  const cancelled = await app.call('POST', `/v1/payments/${reference}/cancel`, { body: { checkout_token } })
  assert.equal(cancelled.body.data.status, 'voided')

  // The circuit is closed to new checkouts for four seconds.
  await eventually('a checkout is tried', async () => {
    const { status } = await app.checkout(page.slug, { phone_number: '0754000789', idempotency_key: 'second' })
    return status === 201
  })
  await app.owner.pool.query(
    `update payments set expires_at = created_at, created_at = created_at - interval '1 hour' where status = 'pending'`,
  )
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null`)
  assert.equal(await checkCharges(app.deps, 10), 1)
  const { rows } = await app.owner.pool.query('select status from payments order by status')
  assert.deepEqual(rows, [{ status: 'failed' }, { status: 'voided' }])
})

for (const state of ['unknown', 'claimed'] as const) {
  test(`a charge (${state}) at a provider without keys that cannot be asked by our id is never sent twice`, async (t) => {
    let calls = 0
    const app = await startTestApp(t, {
      wrap: (deps) => ({
        ...deps,
        providers: wrapProviders(deps.providers, (provider) => ({
          ...provider,
          capabilities: { ...provider.capabilities, looksUpOurReference: false, replaySeconds: 0 },
          async charge(): Promise<ChargeOutcome> {
            calls += 1
            return { kind: 'unknown', reason: 'ECONNRESET' }
          },
        })),
      }),
    })
    assert.equal((await app.checkout((await app.page(await app.student())).slug)).status, 201)
    await app.owner.pool.query(`update provider_charges set state = $1, next_attempt_at = clock_now() - interval '1 second'`, [
      state,
    ])
    assert.equal(await checkCharges(app.deps, 10), 1)
    const { rows } = await app.owner.pool.query('select kind from breaks')
    assert.deepEqual([calls, rows], [1, [{ kind: 'charge_unknown' }]])
  })
}
