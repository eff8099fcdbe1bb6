/**
 * The database is restored to an earlier moment and the provider is not: a charge that waited to be sent is looked up at the provider;
 * its state is not guessed.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { rememberDatabase } from '../../test/remember-database.ts'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { byCommandLine } from '../audit/audit.ts'
import { wrapProviders } from '../providers/provider.ts'
import { createReconciler } from '../reconciliation/reconcile.ts'
import { drive } from '../reconciliation/reconciliation-fixture.ts'
import { markRestored } from '../controls/mark-restored.ts'
import { checkCharges } from './check-charges.ts'

const statusOf = async (world: TestApp, reference: string): Promise<string> =>
  (await world.call('GET', `/v1/payments/${reference}/status`)).body.data.status

async function checkAll(world: TestApp): Promise<void> {
  await world.owner.pool.query('update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkCharges(world.deps, 10)
}

async function compareAll(world: TestApp): Promise<void> {
  const reconciler = createReconciler(world.deps)
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
    const world = await startTestApp(t, {
      settings: { CHARGE_PROVIDER_TEST: provider },
      wrap: (deps) => ({
        ...deps,
        providers: wrapProviders(deps.providers, (real) => ({
          ...real,
          charge: (request) => (isAway ? Promise.resolve({ kind: 'not_sent', reason: 'ECONNREFUSED' }) : real.charge(request)),
        })),
      }),
    })
    const page = await world.page(await world.student())
    const pay = async (phone_number: string) => (await world.checkout(page.slug, { phone_number })).body.data
    const { reference: paid } = await pay('0754000789')
    const { reference: unpaid } = await pay('0754001789')
    const { reference: cancelled, checkout_token } = await pay('0754002789')
    await world.deps.backgroundDone()
    const putBack = await rememberDatabase(world)
    const moment = new Date()
    isAway = false
    // One of the charges is sent during the time that will be lost. The provider has no record of the others.
    await world.owner.pool.query(
      `update provider_charges c set next_attempt_at = null from payments p where p.id = c.payment_id and p.phone_number <> '+255754000789'`,
    )
    await checkAll(world)
    await world.settled(paid)
    const charges = async (): Promise<number> => (await world.truth()).charges.length
    assert.equal(await charges(), 1)

    await putBack()
    await markRestored(world.db, { id: randomUUID(), restoredTo: moment }, byCommandLine)
    await world.deps.switches.read()
    // Longer than the service keeps trying an unsent charge.
    await world.owner.pool.query(
      `update payments set created_at = created_at - interval '5 minutes', expires_at = expires_at - interval '5 minutes'`,
    )
    assert.equal((await world.call('POST', `/v1/payments/${cancelled}/cancel`, { body: { checkout_token } })).status, 200)
    assert.equal(await statusOf(world, cancelled), 'pending')
    await checkAll(world)
    assert.deepEqual(await Promise.all([paid, unpaid].map((reference) => statusOf(world, reference))), [
      looksUp ? 'completed' : 'pending',
      'pending',
    ])
    assert.equal(await charges(), 1)

    await compareAll(world)
    await checkAll(world)
    await checkAll(world)
    assert.equal(await statusOf(world, paid), 'completed')
    assert.equal(await statusOf(world, unpaid), 'failed')
    assert.ok(['failed', 'voided'].includes(await statusOf(world, cancelled)))
    assert.equal(await charges(), 1)
  })
}
