/** A failover to a server whose clock is behind or ahead, tested through the claims: no work waits for the old time, and nothing is done twice. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setDatabaseClock } from '../../../test/database-clock.ts'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { claimUpload } from '../../merchants/documents/document.sql.ts'
import { claimMails } from '../../base/mail/mail.sql.ts'
import { claimWaitingMessages } from '../../money/providers/inbox.sql.ts'
import { claimDueCharges, claimRechecks } from '../../collect/payments/payment.sql.ts'
import { ask, balance, ended, fund, paidStudent, providersOf, silentPayout } from '../../../test/fixtures/payouts.ts'
import { claimDuePayouts } from '../../pay-out/payouts/payout.sql.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { createReconciler } from '../../assurance/reconciliation/reconcile.ts'
import { claimRuns } from '../../assurance/reconciliation/run.sql.ts'
import { claimTurns } from '../data-lifecycle/turn.sql.ts'
import { claimDeliveries } from '../../merchants/webhooks/delivery.sql.ts'
import { closeDay } from '../../assurance/invariants/close-days.ts'
import { sealSpans } from '../../assurance/invariants/sealed-span.sql.ts'
import { verify } from '../../assurance/invariants/verify.ts'
import { followClock } from './follow-clock.ts'

/** The times that are corrected after a clock was set back, by the statements named move…Times. */
const moving = [
  'check_cursors.lease_until',
  'documents.upload_until',
  'mails.lease_until',
  'mails.next_attempt_at',
  'notification_preferences.payments_told_until',
  'provider_charges.next_attempt_at',
  'provider_charges.recheck_at',
  'provider_inbox.next_attempt_at',
  'provider_payouts.next_attempt_at',
  'reconciliation_runs.due_at',
  'reconciliation_runs.lease_until',
  'reconciliation_runs.next_attempt_at',
  'retention_turns.lease_until',
  'retention_turns.next_at',
  'support_cases.next_attempt_at',
  'support_cases.next_look_at',
  'webhook_deliveries.lease_until',
  'webhook_deliveries.next_attempt_at',
]

const staying: Record<string, string> = {
  'erasures.held_until': 'years, by the law',
  'receipt_sweep.swept_until': 'each sweep sets a mark in the future back by itself',
  'webhook_attempts.next_attempt_at': 'a record of the plan of that time',
  'payouts.waits_until': 'a payout that waits longer for a new recipient does no harm',
  'second_factors.locked_until': 'a lock of a person that lasts longer does no harm',
  'second_factors.recovery_locked_until': 'a lock of a person that lasts longer does no harm',
}

test('every time that work waits for follows a clock that was set back, or is listed with a reason [T08]', async (t) => {
  const app = await startTestApp(t)
  const { rows } = await app.owner.pool.query<{ name: string }>(`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and data_type = 'timestamp with time zone'
      and column_name ~ '(_until|^next_.*_at|^next_at|^recheck_at|^due_at)$' order by name`)
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...moving, ...Object.keys(staying)].toSorted())
})

const leaseSeconds = 60

/** The number of due items of each kind that a worker can claim. */
async function claimAll({ db }: TestApp): Promise<Record<string, number>> {
  const lease = { leasedBy: randomUUID(), leaseSeconds, limit: 10, perEndpoint: 5 }
  const { rows } = await db.pool.query<{ id: string }>(`select id from documents`)
  return {
    charges: (await claimDueCharges(db, 10, { lease: leaseSeconds, unsentRetry: 60, expiry: 3600 })).length,
    rechecks: (await claimRechecks(db, 10, leaseSeconds)).length,
    payouts: (await claimDuePayouts(db, { limit: 10, leaseSeconds, lane: 'single' })).length,
    messages: Math.min((await claimWaitingMessages(db, lease.leasedBy, 10)).length, 1),
    deliveries: (await claimDeliveries(db, { ...lease, environment: 'test', perOwner: 5, inFlight: new Map() })).length,
    mails: Math.min((await claimMails(db, { limit: 10, isBulk: false, leaseSeconds })).length, 1),
    runs: Math.min((await claimRuns(db, 'recent', lease.leasedBy, leaseSeconds)).length, 1),
    turns: (await claimTurns(db, ['test/rule'], leaseSeconds)).length,
    uploads: (await claimUpload(db, rows[0]!.id, lease.leasedBy, leaseSeconds)) ? 1 : 0,
  }
}

const each = (count: number): Record<string, number> => ({
  charges: count,
  rechecks: count,
  payouts: count,
  messages: count,
  deliveries: count,
  mails: count,
  runs: count,
  turns: count,
  uploads: count,
})

/** One item of each kind of work, due now. */
async function makeWork(app: TestApp): Promise<void> {
  const student = await app.student()
  const { key, appId } = await app.key(student)
  const configured = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:20999/' },
  })
  assert.equal(configured.status, 201, JSON.stringify(configured.body))
  await fund(app, student, 100_000)
  await silentPayout(app, key)
  const page = await app.page(student)
  for (const phone_number of ['+255754000789', '+255754000789']) {
    assert.equal((await app.checkout(page.slug, { phone_number })).status, 201)
  }
  await createReconciler(app.deps).plan()
  const past = `clock_now() - interval '1 second'`
  for (const statement of [
    `update provider_charges set next_attempt_at = null`,
    `update provider_charges c set next_attempt_at = ${past} from (select payment_id from provider_charges c join payments p on p.id = c.payment_id
       where p.status = 'pending' order by p.id limit 1) one where c.payment_id = one.payment_id`,
    `update provider_charges c set ended_at = ${past}, recheck_at = ${past} from (select payment_id from provider_charges c join payments p on p.id = c.payment_id
       where p.status = 'pending' order by p.id desc limit 1) one where c.payment_id = one.payment_id`,
    `update provider_payouts set next_attempt_at = ${past}`,
    `insert into provider_inbox (provider, environment, event_id, body_hash, body, next_attempt_at, request_id)
       values ('snippe', 'test', 'evt_waiting', '', '{}', ${past}, 'req_test')`,
    `insert into retention_turns (rule, next_at) values ('test/rule', ${past})`,
    `insert into documents (id, merchant_id, purpose, content_type, address_expires_at)
       select gen_random_uuid(), id, 'selfie', 'image/png', clock_now() + interval '1 day' from merchants limit 1`,
  ]) {
    await app.owner.pool.query(statement)
  }
}

test('work claimed before a failover to a clock 90 minutes behind is free when its lease is over, and not before [T08]', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 } })
  await setDatabaseClock(app, '90 minutes')
  await followClock(app.deps)
  await makeWork(app)
  assert.deepEqual(await claimAll(app), each(1))
  await setDatabaseClock(app, '0')
  await followClock(app.deps)
  assert.deepEqual(await claimAll(app), each(0), 'another holder may still be at it')
  await setDatabaseClock(app, `${leaseSeconds + 5} seconds`)
  await followClock(app.deps)
  assert.deepEqual(await claimAll(app), each(1))
  assert.deepEqual(await claimAll(app), each(0))
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now(), recheck_at = null, ended_at = null`)
})

test('an order that was sent before the clock was set back does not look younger: it is not sent again beyond the provider’s memory [T08]', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 } })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  await silentPayout(app, key)
  await app.owner.pool.query(
    `update provider_payouts set first_sent_at = clock_now() - interval '23 hours', next_attempt_at = clock_now() - interval '2 hours'`,
  )
  await followClock(app.deps)
  await setDatabaseClock(app, '-90 minutes')
  const claim = () => claimDuePayouts(app.db, { limit: 10, leaseSeconds: 0.001, lane: 'single' })
  assert.deepEqual(await claim(), [], 'nothing is claimed while its age is unknown')
  await followClock(app.deps)
  const [order] = await claim()
  assert.ok(order!.sentSeconds! >= 23 * 3600 - 10, String(order!.sentSeconds))
})

test('two holders of one order, as after a failover to a clock 90 minutes ahead, pay it once [T08]', async (t) => {
  let calls = 0
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => (letGo = resolve))
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async sendPayout(request) {
          calls += 1
          if (calls === 1) await gate
          return provider.sendPayout(request)
        },
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await eventually('the first holder is sending', () => calls === 1)
  await setDatabaseClock(app, '90 minutes')
  await followClock(app.deps)
  assert.equal(await checkPayouts(app.deps, 10), 1)
  letGo()
  const { fee } = await ended(app, key, id, 'completed')
  await checkPayouts(app.deps, 10)
  assert.deepEqual(await balance(app, key), [80_000 - fee, 0])
  assert.equal((await providersOf(app)).length, 1)
})

test('a clock that runs on moves nothing, and one that was set back moves everything once', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 } })
  const page = await app.page(await app.student())
  await app.checkout(page.slug)
  const due = async (): Promise<number> =>
    (await app.owner.pool.query(`select extract(epoch from next_attempt_at - now())::float8 as seconds from provider_charges`))
      .rows[0].seconds
  await followClock(app.deps)
  const before = await due()
  await setDatabaseClock(app, '-1 hour')
  await Promise.all([followClock(app.deps), followClock(app.deps)])
  await followClock(app.deps)
  assert.ok(Math.abs((await due()) - (before - 3600)) < 20, `${before} ${await due()}`)
  await setDatabaseClock(app, '1 hour')
  await followClock(app.deps)
  assert.ok(Math.abs((await due()) - (before - 3600)) < 20, `${before} ${await due()}`)
})

test('a clock that was days ahead leaves no stretch sealed before its end, and closes no day of the future', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const pay = async (): Promise<void> =>
    assert.equal((await app.settled((await app.checkout(page.slug)).body.data.reference)).status, 'completed')
  await pay()
  await followClock(app.deps)
  await setDatabaseClock(app, '3 days')
  await followClock(app.deps)
  await sealSpans(app.db, { lagSeconds: 0, steps: 8 })
  assert.equal(await closeDay({ ...app.deps, clocks: 'own' }), false)
  await setDatabaseClock(app, '0')
  // Also before a process has noticed it.
  await pay()
  assert.deepEqual(await verify(app.owner, { since: null }, ['seals']), [])
  await followClock(app.deps)
  await pay()
  await sealSpans(app.db, { lagSeconds: 0, steps: 8 })
  assert.deepEqual(await verify(app.owner), [])
})
