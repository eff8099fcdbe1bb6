/**
 * The forms in which public integrations have seen the same facts: what only informs is read in each of them, through both providers, and
 * a signature in the configured form alone.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { providerNames, snippeSignatures, type ProviderName } from '../../domain/provider.ts'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { checkAll } from '../../../test/fixtures/books.ts'
import { addMoney, ask } from '../../../test/fixtures/payouts.ts'
import { reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { wrapProviders } from '../../money/providers/provider.ts'

/** A service that asks no provider, unless a test says so: what it learns, it learns from messages and lists. */
async function openApp(t: TestContext, name: ProviderName, settings: Record<string, string> = {}) {
  const lines: string[] = []
  const asked = { count: 0 }
  const app = await startTestApp(t, {
    settings: { CHARGE_PROVIDER_TEST: name, PAYOUT_PROVIDER_TEST: name, ...settings },
    logLevel: 'warn',
    logTo: (line) => lines.push(line),
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        fetchCharge(key, priority) {
          asked.count += 1
          return provider.fetchCharge(key, priority)
        },
      })),
    }),
  })
  return { app, lines, asked }
}

async function pay(app: TestApp, phone: string): Promise<string> {
  const page = await app.page(await app.student(), { amount: 2_500 })
  return (await app.checkout(page.slug, { phone_number: phone })).body.data.reference
}

const drifts = [
  ['text-amounts', 'lower-case-currency', 'masked-payers', 'named-lists', 'event-type'],
  ['text-amounts', 'lower-case-currency', 'masked-payers', 'bare-lists', 'event-type'],
]

for (const name of providerNames) {
  for (const drift of drifts) {
    test(`${name}: messages, answers and lists in other forms (${drift[3]}) are read, and the right amount is booked`, async (t) => {
      const { app, asked } = await openApp(t, name)
      await app.control('PATCH', '/switches', { drift, getDetail: 'full' })
      assert.equal((await app.settled(await pay(app, '0754000789'))).status, 'completed')
      assert.equal((await app.settled(await pay(app, '0754000049'))).status, 'failed')
      assert.equal(asked.count, 0, 'the messages alone say it')
      const student = await app.student()
      const { key } = await app.key(student)
      await addMoney(app, student, 100_000)
      const payout = (await ask(app, key)).body.data
      await eventually('the payout has ended', async () => {
        const { body } = await app.call('GET', `/v1/payouts/${payout.id}`, { key })
        return body.data.status === 'completed'
      })
      for (const [subject, count] of [
        ['charges', 3],
        ['payouts', 1],
      ] as const) {
        const { phase, seen, matched, breaks, unreadable } = await reconcileToday(app, subject, 0, name)
        assert.deepEqual([phase, seen, matched, breaks, unreadable], ['ended', count, count, 0, 0], subject)
      }
      assert.deepEqual((await app.call('GET', '/v1/admin/breaks', { token: (await app.admin()).token })).body.data, [])
      assert.deepEqual(await checkAll(app), [])
    })
  }
}

const circuitOf = async (app: TestApp) => {
  const { body } = await app.call('GET', '/v1/admin/overview', { token: (await app.admin()).token })
  return body.data.providers.find(
    (one: Record<string, string>) => one['environment'] === 'test' && one['direction'] === 'charges',
  )
}

for (const configured of snippeSignatures) {
  test(`only the configured form of a signature is accepted: ${configured}`, async (t) => {
    const { app, lines } = await openApp(t, 'snippe', {
      SNIPPE_TEST_WEBHOOK_SIGNATURE: configured,
      PAYMENT_CHECK_DELAYS_SECONDS: '600',
    })
    for (const sent of snippeSignatures.filter((form) => form !== configured)) {
      await app.control('PATCH', '/switches', { webhookSignature: sent, webhookDelaysMs: [0] })
      const reference = await pay(app, '0754000789')
      const refused = await eventually('the message is refused', async () => lines.find((line) => line.includes(`"${sent}"`)))
      assert.match(refused, /"reason":"signature"/)
      assert.equal((await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status, 'pending')
    }
    await eventually('the console names the form', async () => (await circuitOf(app)).other_signature !== null, 15_000)
    await app.control('PATCH', '/switches', { webhookSignature: configured })
    assert.equal((await app.settled(await pay(app, '0754000789'))).status, 'completed')
    assert.deepEqual(await checkAll(app), [])
  })
}
