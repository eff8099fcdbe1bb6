/** A record of a provider is booked once: by a payment, a payout or a break, whichever comes first and in whatever order they come. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { rememberDatabase } from '../../../test/remember-database.ts'
import { verify } from '../invariants/verify.ts'
import { settlementOf } from '../../collect/payments/settlement.ts'
import { fromWire, homeOfId, newId } from '../../platform/ids.ts'
import { ask, balance, ended, says, short } from '../../../test/fixtures/payouts.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import type { ChargeSnapshot } from '../../money/providers/provider.ts'
import { openBreaks, resolveOnly, startStage, type Payment, type Stage } from '../../../test/fixtures/every-resolution.ts'
import { createReconciler } from './reconcile.ts'
import { insertRun } from './run.sql.ts'
import { assertClearingIsTrue, decide, reconcileRecent, reconcileToday } from '../../../test/fixtures/reconciliation.ts'

const funded = 1_000_000

async function accounts({ app }: Stage): Promise<Record<string, number>> {
  const { rows } = await app.owner.pool.query(
    `select kind, sum(balance)::integer as balance from ledger_accounts where environment = 'test' group by kind`,
  )
  return Object.fromEntries(rows.map(({ kind, balance: sum }) => [kind, sum]))
}

/** Our books have what the provider holds, and nothing is wrong. */
async function assertTrue(stage: Stage): Promise<void> {
  await assertClearingIsTrue(stage.app)
  assert.deepEqual(await verify(stage.app.db), [])
}

/** A charge of ours whose answer was lost. */
async function lostCharge(stage: Stage, amount = 9_000): Promise<Payment> {
  const payment = await stage.charge(amount)
  stage.hidden.add(payment.there)
  const { pool } = stage.app.owner
  await pool.query('delete from provider_references where reference = $1', [payment.there])
  await pool.query(
    `update provider_charges set state = 'unknown', provider_reference = null, next_attempt_at = clock_now() + interval '1 day'
      where payment_id = $1`,
    [payment.paymentId],
  )
  return payment
}

/** A charge of 9,000 that the provider has and does not name; its money lies in `unallocated`. */
async function foundCharge(stage: Stage): Promise<{ there: string; breakId: string; fee: number }> {
  const there = await stage.seed({ amount: 9_000, status: 'completed', phone: '255754000123' })
  await stage.compare()
  assert.equal((await accounts(stage))['unallocated'], 9_000)
  const charge = (await stage.app.truth()).charges.find(({ reference }: { reference: string }) => reference === there)
  return { there, breakId: (await openBreaks(stage))[0]!.id, fee: charge.fees }
}

/** The provider's message that this record is the charge of the payment. */
async function receive(stage: Stage, payment: Payment, found: { there: string; fee: number }): Promise<string> {
  const { home, paymentId } = payment
  const source = { home, paymentId, environment: 'test', provider: 'snippe', actor: 'provider:poll', requestId: 'r' } as const
  const blank = { network: null, failure: null, expiresAt: null }
  const paid = { status: 'completed', amount: 9_000, currency: 'TZS', fee: found.fee } as const
  const snapshot: ChargeSnapshot = { reference: found.there, ourReference: payment.reference, ...paid, ...blank }
  return (await stage.app.deps.settle(settlementOf(source, snapshot, 60))).verdict
}

const statusOf = async ({ app }: Stage, { reference }: Payment): Promise<string> =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status

const short2 = async (stage: Stage, breakId: string, proposed: Parameters<typeof decide>[3]): Promise<string> =>
  short(await decide(stage.app, stage.operators, breakId, proposed))

for (const decision of ['none', 'keep_unallocated'] as const) {
  test(`money that a break has booked is credited once when its payment becomes known; decision before: ${decision}`, async (t) => {
    const stage = await startStage(t)
    const payment = await lostCharge(stage)
    const found = await foundCharge(stage)
    if (decision !== 'none') assert.equal(await short2(stage, found.breakId, { resolution: decision }), '200')
    assert.equal(await receive(stage, payment, found), 'applied')
    assert.equal(await receive(stage, payment, found), 'unchanged')
    const { unallocated, wallet } = await accounts(stage)
    assert.deepEqual([unallocated, wallet, await statusOf(stage, payment)], [0, funded + 9_000, 'completed'])
    await assertTrue(stage)
    assert.deepEqual(await openBreaks(stage), [])
    assert.equal(await short2(stage, found.breakId, { resolution: 'return_to_payer' }), '409 invalid_state')
    await stage.compare()
    await assertTrue(stage)
  })
}

test('money that operators return to the payer is not credited when the message comes late: the payment ends voided', async (t) => {
  const stage = await startStage(t)
  const payment = await lostCharge(stage)
  const found = await foundCharge(stage)
  assert.equal(await short2(stage, found.breakId, { resolution: 'return_to_payer' }), '200')
  // The money is on its way: nothing moves.
  assert.equal(await receive(stage, payment, found), 'found')
  assert.equal(await statusOf(stage, payment), 'pending')
  await stage.payAll()
  await checkPayouts(stage.app.deps, 10)
  await stage.compare()
  assert.equal(await receive(stage, payment, found), 'found')
  const { unallocated, returns_reserved: reserved, wallet } = await accounts(stage)
  assert.deepEqual([unallocated, reserved, wallet, await statusOf(stage, payment)], [0, 0, funded, 'voided'])
  await stage.compare()
  assert.deepEqual(await openBreaks(stage), [])
  await assertTrue(stage)
})

for (const order of ['decision, message', 'message, decision', 'both at once'] as const) {
  test(`one of two payments gets the money of one charge, by a decision or by a message: ${order}`, async (t) => {
    const stage = await startStage(t)
    const [named, meant] = [await lostCharge(stage), await lostCharge(stage)]
    const found = await foundCharge(stage)
    const proposal = { resolution: 'credit_to_payment', parameters: { payment_reference: named.reference } }
    const credit = () => short2(stage, found.breakId, proposal)
    const message = () => receive(stage, meant, found)
    if (order === 'decision, message') {
      assert.equal(await credit(), '200')
      assert.equal(await message(), 'reference_conflict')
    } else if (order === 'message, decision') {
      assert.equal(await message(), 'applied')
      assert.equal(await credit(), '409 invalid_state')
    } else await Promise.all([credit(), message()])
    const statuses = [await statusOf(stage, named), await statusOf(stage, meant)]
    assert.equal(statuses.filter((status) => status === 'completed').length, 1, statuses.join())
    const { unallocated, wallet } = await accounts(stage)
    assert.deepEqual([unallocated, wallet], [0, funded + 9_000])
    await assertTrue(stage)
  })
}

const total = 21_500

/** A payout that the provider has paid and that a restore has lost: its money lies in `unallocated`, as money that left. */
async function lostPayout(stage: Stage): Promise<{ id: string; breakId: string }> {
  const { app, payer } = stage
  await stage.compare()
  const putBack = await rememberDatabase(app)
  const { id } = (await ask(app, payer.key, {}, 'K')).body.data
  await app.deps.backgroundDone()
  await stage.payAll()
  await putBack()
  await reconcileToday(app, 'payouts')
  assert.equal((await accounts(stage))['unallocated'], -total)
  await assertClearingIsTrue(app)
  return { id, breakId: (await openBreaks(stage))[0]!.id }
}

/** The merchant asks for it again under the same key. */
async function askAgain({ app, payer }: Stage, id: string): Promise<void> {
  assert.equal((await ask(app, payer.key, {}, 'K')).body.data.id, id)
  await checkPayouts(app.deps, 10)
  await app.deps.backgroundDone()
}

for (const resolution of ['debit_wallet', 'write_off'] as const) {
  test(`a payout that is asked for again before ${resolution} is confirmed is booked once`, async (t) => {
    const stage = await startStage(t)
    const { app, payer, operators } = stage
    const { id, breakId } = await lostPayout(stage)
    const parameters = resolution === 'debit_wallet' ? { merchant_id: payer.merchantId } : undefined
    const path = `/v1/admin/breaks/${breakId}`
    const body = { note: 'Letter of 12 May.', resolution, parameters }
    const { proposal } = (await app.call('POST', `${path}/propose`, { token: operators[0].token, body })).body.data
    await askAgain(stage, id)
    await ended(app, payer.key, id, 'completed')
    const confirmed = { resolution, proposed_at: proposal.proposed_at }
    const refused = await app.call('POST', `${path}/confirm`, { token: operators[1].token, body: confirmed })
    assert.equal(short(refused), '409 invalid_state')
    assert.equal(await short2(stage, breakId, { resolution, ...(parameters && { parameters }) }), '409 invalid_state')
    assert.deepEqual(await balance(app, payer.key), [funded - total, 0])
    await assertTrue(stage)
    await reconcileRecent(app)
    await stage.compare()
    const { unallocated, loss = 0 } = await accounts(stage)
    assert.deepEqual([unallocated, loss, await openBreaks(stage)], [0, 0, []])
    await assertTrue(stage)
  })

  test(`a payout that is asked for again after ${resolution} cannot be paid a second time`, async (t) => {
    const stage = await startStage(t)
    const { app, payer } = stage
    const { id, breakId } = await lostPayout(stage)
    const parameters = resolution === 'debit_wallet' ? { merchant_id: payer.merchantId } : undefined
    assert.equal(await short2(stage, breakId, { resolution, ...(parameters && { parameters }) }), '200')
    await askAgain(stage, id)
    assert.equal(await resolveOnly(stage, 'payout_paid'), '409 invalid_state')
    assert.equal(await resolveOnly(stage, 'payout_not_paid'), '200')
    await stage.compare()
    const { loss = 0 } = await accounts(stage)
    assert.deepEqual(
      [await balance(app, payer.key), loss],
      resolution === 'write_off' ? [[funded, 0], -total] : [[funded - total, 0], 0],
    )
    await assertTrue(stage)
  })
}

test('an order without money that became a payout again cannot be decided: the next run closes its break', async (t) => {
  const stage = await startStage(t)
  const { app, payer, operators } = stage
  await stage.compare()
  const putBack = await rememberDatabase(app)
  const { id } = (await ask(app, payer.key, {}, 'K')).body.data
  await app.deps.backgroundDone()
  await putBack()
  await reconcileToday(app, 'payouts')
  const [found] = await openBreaks(stage)
  await askAgain(stage, id)
  const body = { note: 'Letter of 12 May.', resolution: 'write_off' }
  const refused = await app.call('POST', `/v1/admin/breaks/${found!.id}/propose`, { token: operators[0].token, body })
  assert.equal(short(refused), '409 invalid_state')
  assert.match(refused.body.error.message, /already booked elsewhere/)
  await stage.payAll()
  await stage.compare()
  assert.deepEqual([await balance(app, payer.key), await openBreaks(stage)], [[funded - total, 0], []])
  await assertTrue(stage)
})

test('a message about a payout whose record operators have decided on books nothing: they decide about the payout', async (t) => {
  const stage = await startStage(t)
  const { app, payer } = stage
  const { id, breakId } = await lostPayout(stage)
  assert.equal(await short2(stage, breakId, { resolution: 'debit_wallet', parameters: { merchant_id: payer.merchantId } }), '200')
  await askAgain(stage, id)
  const before = await accounts(stage)
  const { rows } = await app.owner.pool.query('select reference from provider_references where break_id is not null')
  const [payoutId, source] = [fromWire('po', id)!, { provider: 'snippe', actor: 'provider:webhook', requestId: 'r' }]
  const key = { home: homeOfId(payoutId), id: payoutId, environment: 'test' } as const
  assert.equal((await settlePayout(app.deps, key, source, says(rows[0].reference, 'completed'))).verdict, 'set_aside')
  assert.deepEqual(await accounts(stage), before)
  assert.deepEqual(await verify(app.db), [])
})

test('a record that is booked twice is found by verify', async (t) => {
  const stage = await startStage(t)
  const { app, payer } = stage
  const { id } = await lostPayout(stage)
  const { pool } = app.owner
  const references = (await pool.query('select reference from provider_references where break_id is not null')).rows
  await pool.query('delete from provider_references where break_id is not null')
  await askAgain(stage, id)
  await ended(app, payer.key, id, 'completed')
  const twice = (await verify(app.db)).map(({ what }) => what)
  assert.match(
    twice.join(),
    new RegExp(`the record ${references[0].reference} of snippe is booked with break .* and with payout`),
  )
  // Money that is only found leaves `unallocated` with the next run.
  await reconcileToday(app, 'payouts')
  await assertTrue(stage)
})

test('money of the provider is booked only with its record: without the right to take records no balance changes', async (t) => {
  const stage = await startStage(t)
  const { app } = stage
  const { pool } = app.owner
  const [bound, differing, lost] = [await stage.charge(), await stage.charge(), await lostCharge(stage)]
  const payouts = [await stage.payout(), await stage.payout()] as const
  await stage.moveCharge(bound, 'complete')
  const unknownCharge = await stage.seed({ amount: 7_000, status: 'completed' })
  const unknownOrder = await stage.sendUnknownOrder()
  await stage.movePayout(unknownOrder, 'complete')
  const before = (await pool.query('select count(*) from ledger_transfers')).rows
  await pool.query('revoke insert on provider_references from malipo_service')
  const paths: Record<string, () => Promise<unknown>> = {
    'a success of a bound charge': () => stage.settleCredit(bound, {}),
    'a success of an unbound charge': () => stage.settleCredit(lost, { amount: 9_000 }),
    'a success with another amount': () => stage.settleCredit(differing, { amount: 9_999 }),
    'a second charge': () => stage.settleCredit(bound, { reference: unknownCharge }),
    'a paid payout': () => stage.receive(payouts[0], 'completed'),
    'a reversed payout': () => stage.receive(payouts[1], 'reversed'),
  }
  for (const [path, run] of Object.entries(paths)) await assert.rejects(run, /permission denied/, path)
  // A run logs what fails, and tries it again in its next step.
  const reconciler = createReconciler(app.deps)
  const day = new Date().toISOString().slice(0, 10)
  for (const subject of ['charges', 'payouts'] as const) {
    const run = {
      id: newId(),
      kind: 'daily',
      subject,
      environment: 'test',
      provider: 'snippe',
      day,
      requestedBy: 'system',
    } as const
    assert.ok(await insertRun(app.db, run))
    for (let step = 0; step < 4; step += 1) await reconciler.step('daily')
  }
  assert.deepEqual((await pool.query('select count(*) from ledger_transfers')).rows, before)
  await pool.query('grant insert on provider_references to malipo_service')
})

/**
 * Every place that books money of the provider, and how it takes the record first. `break`: the decision on a break locks its record,
 * see test/fixtures/every-resolution.ts. `payout`: the trigger on provider_payouts. `release`: it takes a booking back.
 */
const places: Record<string, 'settle' | 'found' | 'break' | 'payout'> = {
  'collect/payments/book-payment.sql.ts': 'settle',
  'collect/payments/hold-money.sql.ts': 'settle',
  'collect/payments/credit-received.sql.ts': 'break',
  'collect/payments/found-money.ts': 'found',
  'pay-out/payouts/post-payout.ts': 'payout',
  'pay-out/payouts/return-to-payer.ts': 'payout',
  'assurance/reconciliation/book-fee.ts': 'break',
  'assurance/reconciliation/follow-provider.ts': 'break',
  'assurance/reconciliation/resolve-found-money.ts': 'break',
  'assurance/reconciliation/unallocated-payout.ts': 'found',
}

test('the list of places that book money of the provider is complete', () => {
  const root = join(import.meta.dirname, '../..')
  const booking = globSync('**/*.ts', { cwd: root }).filter((file) => {
    // The comparison of balances reads what the others booked; a rehearsal says what they would book.
    if (/\.test\.ts$|fixture|^domain\/|reconciliation\/(balance\.sql|rehearse-resolution)/.test(file)) return false
    return readFileSync(join(root, file), 'utf8').includes("'provider_clearing'")
  })
  assert.deepEqual(booking.toSorted(), Object.keys(places).toSorted())
})
