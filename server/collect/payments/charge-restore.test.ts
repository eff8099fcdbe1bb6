/**
 * The database is restored to an earlier moment and the provider is not: a charge that waited to be sent is looked up at the provider;
 * its state is not guessed.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { rememberDatabase } from '../../../test/remember-database.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { createReconciler } from '../../assurance/reconciliation/reconcile.ts'
import { drive } from '../../../test/fixtures/reconciliation.ts'
import { markRestored } from '../../money/controls/mark-restored.ts'
import { checkCharges } from './check-charges.ts'

const statusOf = async (app: TestApp, reference: string): Promise<string> =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status

async function checkAll(app: TestApp): Promise<void> {
  await app.owner.pool.query('update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkCharges(app.deps, 10)
}

async function compareAll(app: TestApp): Promise<void> {
  const reconciler = createReconciler(app.deps)
  await reconciler.plan()
  await drive(reconciler, 'daily')
  await reconciler.plan()
}

for (const [provider, looksUp] of [
  ['snippe', false],
  ['clickpesa', true],
] as const) {
  test(`charges that waited in a restored database are looked up at the provider; none is assumed failed or sent without a lookup (${provider}) [T04]`, async (t) => {
    let isAway = true
    const app = await startTestApp(t, {
      settings: { CHARGE_PROVIDER_TEST: provider },
      wrap: (deps) => ({
        ...deps,
        providers: wrapProviders(deps.providers, (real) => ({
          ...real,
          charge: (request) => (isAway ? Promise.resolve({ kind: 'not_sent', reason: 'ECONNREFUSED' }) : real.charge(request)),
        })),
      }),
    })
    const page = await app.page(await app.student())
    const pay = async (phone_number: string) => (await app.checkout(page.slug, { phone_number })).body.data
    const { reference: paid } = await pay('0754000789')
    const { reference: unpaid } = await pay('0754001789')
    const { reference: cancelled, checkout_token } = await pay('0754002789')
    await app.deps.backgroundDone()
    const putBack = await rememberDatabase(app)
    const moment = new Date()
    isAway = false
    // One of the charges is sent during the time that will be lost. The provider has no record of the others.
    await app.owner.pool.query(
      `update provider_charges c set next_attempt_at = null from payments p where p.id = c.payment_id and p.phone_number <> '+255754000789'`,
    )
    await checkAll(app)
    await app.settled(paid)
    const charges = async (): Promise<number> => (await app.truth()).charges.length
    assert.equal(await charges(), 1)

    await putBack()
    await markRestored(app.db, { id: randomUUID(), restoredTo: moment }, byCommandLine)
    await app.deps.switches.read()
    // Longer than the service keeps trying an unsent charge.
    await app.owner.pool.query(
      `update payments set created_at = created_at - interval '5 minutes', expires_at = expires_at - interval '5 minutes'`,
    )
    assert.equal((await app.call('POST', `/v1/payments/${cancelled}/cancel`, { body: { checkout_token } })).status, 200)
    assert.equal(await statusOf(app, cancelled), 'pending')
    await checkAll(app)
    assert.deepEqual(await Promise.all([paid, unpaid].map((reference) => statusOf(app, reference))), [
      looksUp ? 'completed' : 'pending',
      'pending',
    ])
    assert.equal(await charges(), 1)

    await compareAll(app)
    await checkAll(app)
    await checkAll(app)
    assert.equal(await statusOf(app, paid), 'completed')
    assert.equal(await statusOf(app, unpaid), 'failed')
    assert.ok(['failed', 'voided'].includes(await statusOf(app, cancelled)))
    assert.equal(await charges(), 1)
  })
}
