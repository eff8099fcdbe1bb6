import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { readConfig } from './config.ts'
import { eventsIn, startTestSimulator, until } from './test-simulator.ts'
import type { Call, TestSimulator } from './test-simulator.ts'

type Hit = { kind: string; cause: string; key: string; reference: string | null; detail: string | null }
type Faults = { counts: Record<string, number>; hits: Hit[]; settings: { rates: Record<string, number> } }

const faultsIn = (answer: Call): Faults => JSON.parse(answer.text)
const faults = async (world: TestSimulator): Promise<Faults> => faultsIn(await world.control('GET', '/faults'))

/** A simulator in which exactly these faults occur, each with its rate. */
async function startStorm(
  t: TestContext,
  rates: Record<string, number>,
  more: Record<string, unknown> = {},
): Promise<TestSimulator> {
  const world = await startTestSimulator(t)
  const changed = await world.control('PATCH', '/faults', { rates, ...more })
  assert.equal(changed.status, 200, changed.text)
  return world
}

const paying = (world: TestSimulator, attempt = 'att_1') => world.order({ phone_number: '255712345789', metadata: { attempt } })

const keyed = (key: string): Record<string, string> => ({ 'idempotency-key': key })

test('an answer lost before the charge was stored leaves only the record of the fault', async (t) => {
  const world = await startStorm(t, { createLostBefore: 1 })
  await assert.rejects(world.create(paying(world), keyed('one-key')))
  assert.equal((await world.truth()).totals.charges, 0)
  const { counts, hits } = await faults(world)
  assert.deepEqual(counts, { createLostBefore: 1 })
  assert.deepEqual(
    hits.map(({ kind, cause, key, reference }) => [kind, cause, key, reference]),
    [['createLostBefore', 'storm', 'one-key', null]],
  )
})

test('an answer lost after the charge was stored leaves a charge that the truth shows and a replay finds', async (t) => {
  const world = await startStorm(t, { createLostAfter: 1 })
  await assert.rejects(world.create(paying(world), keyed('one-key')))
  const [charge] = (await world.truth()).charges
  assert.ok(charge)
  await assert.rejects(world.create(paying(world), keyed('one-key')))
  await world.control('PATCH', '/faults', { rates: { createLostAfter: 0 } })
  assert.equal((await world.create(paying(world), keyed('one-key'))).reference, charge.reference)
  const { create_calls, faults: struck } = await world.charge(charge.reference)
  assert.equal(create_calls, 3)
  assert.deepEqual(
    struck.map(({ kind }) => kind),
    ['createLostAfter', 'createLostAfter'],
  )
})

test('a 5xx after acceptance and half a document can be drawn too', async (t) => {
  const world = await startStorm(t, { createFailsAfter: 1 })
  assert.equal((await world.create(paying(world), keyed('one-key'))).answer.status, 500)
  assert.equal((await world.truth()).totals.charges, 1)
})

test('a lost webhook is never sent, but the charge is paid', async (t) => {
  const world = await startStorm(t, { webhookLost: 1 })
  const { reference } = await world.create(paying(world))
  const charge = await world.chargeWhen(reference, 'the success', (now) => now.status === 'completed')
  assert.deepEqual(
    charge.webhooks.map(({ state }) => state),
    ['not_sent'],
  )
  assert.equal(world.receiver.received.length, 0)
})

test('a webhook is repeated under one id, or sent again under another', async (t) => {
  const world = await startStorm(t, { webhookRepeated: 1 })
  await world.create(paying(world))
  await until('the repetition', () => world.receiver.received.length > 1)
  assert.equal(new Set(eventsIn(world.receiver).map(({ id }) => id)).size, 1)
  const other = await startStorm(t, { webhookRepeatedNewId: 1 })
  await other.create(paying(other))
  await until('the second telling', () => other.receiver.received.length === 2)
  assert.equal(new Set(eventsIn(other.receiver).map(({ id }) => id)).size, 2)
})

test('a delayed webhook lets others overtake it', async (t) => {
  const world = await startStorm(t, { webhookDelayed: 1 }, { webhookDelayMs: [600, 600] })
  const slow = await world.create(paying(world, 'slow'))
  await world.chargeWhen(slow.reference, 'the success', (charge) => charge.status === 'completed')
  await world.control('PATCH', '/faults', { rates: { webhookDelayed: 0 } })
  const quick = await world.create(paying(world, 'quick'))
  await until('both', () => world.receiver.received.length === 2)
  assert.deepEqual(
    eventsIn(world.receiver).map(({ data }) => data.reference),
    [quick.reference, slow.reference],
  )
})

test('a webhook with a false amount is contradicted by GET and by the truth', async (t) => {
  const world = await startStorm(t, { webhookAmountLies: 1 })
  const { reference } = await world.create(paying(world))
  const event = await until('the lie', () => eventsIn(world.receiver)[0])
  assert.notDeepEqual(event.data.amount, { value: 5_000, currency: 'TZS' })
  const charge = await world.charge(reference)
  assert.deepEqual([charge.amount, charge.status, charge.money_moved], [5_000, 'completed', true])
  const shown = (await world.call('GET', `/v1/payments/${reference}`)).body.data
  assert.deepEqual(shown?.amount, { value: 5_000, currency: 'TZS' })
})

test('a false failure is reported before the success, or after it', async (t) => {
  const first = await startStorm(t, { webhookFailureFirst: 1 }, { webhookDelayMs: [200, 200] })
  const before = await first.create(paying(first))
  await until('both', () => first.receiver.received.length === 2)
  assert.deepEqual(
    eventsIn(first.receiver).map(({ type }) => type),
    ['payment.failed', 'payment.completed'],
  )
  const { failed_at, status } = await first.charge(before.reference)
  assert.deepEqual([failed_at, status], [null, 'completed'])

  const second = await startStorm(t, { webhookStaleFailure: 1 }, { webhookDelayMs: [200, 200] })
  const after = await second.create(paying(second))
  await until('both', () => second.receiver.received.length === 2)
  assert.deepEqual(
    eventsIn(second.receiver).map(({ type }) => type),
    ['payment.completed', 'payment.failed'],
  )
  assert.equal((await second.charge(after.reference)).money_moved, true)
})

test('reads fail in three forms, lists and single records separately', async (t) => {
  const world = await startStorm(t, { getFails: 1 })
  const { reference } = await world.create(world.order())
  const forms = new Set<string>()
  await until('each form', async () => {
    const form = await world.call('GET', `/v1/payments/${reference}`).then(
      ({ status, headers }) => `${status} ${String(headers['content-type'])}`,
      () => 'reset',
    )
    forms.add(form)
    return forms.size === 3
  })
  assert.deepEqual([...forms].toSorted(), ['500 application/json; charset=utf-8', '502 text/html; charset=utf-8', 'reset'])
  assert.equal((await world.call('GET', '/v1/payments')).status, 200)
  await world.control('PATCH', '/faults', { rates: { getFails: 0, listFails: 1 } })
  assert.equal((await world.call('GET', `/v1/payments/${reference}`)).status, 200)
  const list = await world.call('GET', '/v1/payments').then(
    ({ status }) => status,
    () => 0,
  )
  assert.notEqual(list, 200)
})

test('every answer waits within the configured range', async (t) => {
  const world = await startStorm(t, {}, { answerDelayMs: [40, 60] })
  for (const call of [() => world.call('GET', '/v1/payments'), () => world.create(world.order())]) {
    const startedAt = performance.now()
    await call()
    assert.ok(performance.now() - startedAt >= 39)
  }
})

const rates = {
  createLostBefore: 0.3,
  createLostAfter: 0.3,
  createFailsAfter: 0.2,
  createPay001: 0.2,
  createMalformed: 0.1,
  webhookLost: 0.2,
  webhookRepeated: 0.3,
  webhookRepeatedNewId: 0.3,
  webhookAmountLies: 0.2,
  webhookFailureFirst: 0.2,
  webhookStaleFailure: 0.2,
  webhookBadSignature: 0.1,
}

/** Creates a charge under each key, sending again until the answer is good, as a client does. */
async function runStorm(t: TestContext, seed: string, keys: readonly string[], atOnce: boolean): Promise<Faults> {
  const world = await startStorm(t, rates, { seed, webhookDelayMs: [0, 5] })
  const create = async (key: string): Promise<void> => {
    await until(`an answer to ${key}`, async () => {
      const answer = await world.call('POST', '/v1/payments', { body: paying(world, key), headers: keyed(key) }).catch(() => null)
      return answer?.status === 201
    })
  }
  if (atOnce) await Promise.all(keys.map(create))
  else for (const key of keys) await create(key)
  await until('the end of all', async () => {
    const { charges } = await world.truth()
    return charges.length === keys.length && charges.every(({ status }) => status === 'completed')
  })
  for (const { balance, expected_balance } of Object.values((await world.truth()).accounts)) {
    assert.equal(balance, expected_balance)
  }
  return await faults(world)
}

const fates = ({ hits }: Faults): string[] => hits.map(({ kind, key, detail }) => `${kind} ${key} ${detail}`).toSorted()

test('a storm is the same under its seed whatever the order, and different under another seed', async (t) => {
  const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`)
  const [one, again, other] = [
    await runStorm(t, 'storm-1', keys, true),
    await runStorm(t, 'storm-1', keys.toReversed(), false),
    await runStorm(t, 'storm-2', keys, true),
  ]
  assert.ok(one.hits.length > keys.length)
  assert.deepEqual(fates(again), fates(one))
  assert.deepEqual(again.counts, one.counts)
  assert.notDeepEqual(fates(other), fates(one))
})

test('the end of a storm deletes its rates and its record', async (t) => {
  const world = await startStorm(t, { createPay001: 1 })
  await world.create(paying(world))
  const ended = faultsIn(await world.control('DELETE', '/faults'))
  assert.deepEqual(ended.counts, {})
  assert.equal(ended.settings.rates.createPay001, 0)
  assert.equal((await world.create(paying(world))).answer.status, 201)
})

test('a rate outside 0 to 1, an unknown word and a reversed range are refused', async (t) => {
  const world = await startTestSimulator(t)
  for (const body of [{ rates: { webhookLost: 2 } }, { rates: { sunshine: 1 } }, { answerDelayMs: [5, 1] }]) {
    assert.equal((await world.control('PATCH', '/faults', body)).status, 400)
  }
})

test('a storm may be active from the start', async (t) => {
  const { storm } = readConfig({ SIMULATOR_STORM: '{"seed":"s","rates":{"createPay001":1}}' })
  const world = await startTestSimulator(t, { storm })
  assert.equal((await world.create(paying(world))).answer.body.error_code, 'PAY_001')
  assert.throws(() => readConfig({ SIMULATOR_STORM: '{"rates":{"rain":1}}' }), /SIMULATOR_STORM/)
  assert.throws(() => readConfig({ SIMULATOR_STORM: 'rain' }), /SIMULATOR_STORM: must be JSON/)
})

test('payouts get the same faults, except for false failures', async (t) => {
  const world = await startStorm(t, { createLostAfter: 1, webhookRepeatedNewId: 1, webhookFailureFirst: 1 })
  const body = {
    amount: 50_000,
    channel: 'mobile',
    recipient_phone: '255754345678',
    recipient_name: 'Neema Mushi',
    webhook_url: world.receiver.url,
  }
  await assert.rejects(world.call('POST', '/v1/payouts/send', { body, headers: keyed('p-1') }))
  await until('both webhooks', () => world.receiver.received.length === 2)
  const [payout] = (await world.truth()).payouts
  assert.equal(payout?.status, 'completed')
  assert.deepEqual(
    payout.faults.map(({ kind }) => kind),
    ['createLostAfter', 'webhookRepeatedNewId'],
  )
})
