import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { eventsIn, startTestSimulator, until } from './test-simulator.ts'
import type { Call, TestSimulator } from './test-simulator.ts'

type Hit = { kind: string; cause: string; key: string; reference: string | null; detail: string | null }
type Faults = { counts: Record<string, number>; hits: Hit[]; settings: { rates: Record<string, number> } }

const faultsIn = (answer: Call): Faults => JSON.parse(answer.text)
const faults = async (simulator: TestSimulator): Promise<Faults> => faultsIn(await simulator.control('GET', '/faults'))

/** A simulator in which exactly these faults occur, each with its rate. */
async function startStorm(
  t: TestContext,
  rates: Record<string, number>,
  more: Record<string, unknown> = {},
): Promise<TestSimulator> {
  const simulator = await startTestSimulator(t)
  const changed = await simulator.control('PATCH', '/faults', { rates, ...more })
  assert.equal(changed.status, 200, changed.text)
  return simulator
}

const paying = (simulator: TestSimulator, attempt = 'att_1') =>
  simulator.order({ phone_number: '255712345789', metadata: { attempt } })

const keyed = (key: string): Record<string, string> => ({ 'idempotency-key': key })

test('an answer lost before the charge was stored leaves only the record of the fault', async (t) => {
  const simulator = await startStorm(t, { createLostBefore: 1 })
  await assert.rejects(simulator.create(paying(simulator), keyed('one-key')))
  assert.equal((await simulator.truth()).totals.charges, 0)
  const { counts, hits } = await faults(simulator)
  assert.deepEqual(counts, { createLostBefore: 1 })
  assert.deepEqual(
    hits.map(({ kind, cause, key, reference }) => [kind, cause, key, reference]),
    [['createLostBefore', 'storm', 'one-key', null]],
  )
})

test('an answer lost after the charge was stored leaves a charge that the truth shows and a replay finds', async (t) => {
  const simulator = await startStorm(t, { createLostAfter: 1 })
  await assert.rejects(simulator.create(paying(simulator), keyed('one-key')))
  const [charge] = (await simulator.truth()).charges
  assert.ok(charge)
  await assert.rejects(simulator.create(paying(simulator), keyed('one-key')))
  await simulator.control('PATCH', '/faults', { rates: { createLostAfter: 0 } })
  assert.equal((await simulator.create(paying(simulator), keyed('one-key'))).reference, charge.reference)
  const { create_calls, faults: struck } = await simulator.charge(charge.reference)
  assert.equal(create_calls, 3)
  assert.deepEqual(
    struck.map(({ kind }) => kind),
    ['createLostAfter', 'createLostAfter'],
  )
})

test('a 5xx after acceptance and half a document can be drawn too', async (t) => {
  const simulator = await startStorm(t, { createFailsAfter: 1 })
  assert.equal((await simulator.create(paying(simulator), keyed('one-key'))).answer.status, 500)
  assert.equal((await simulator.truth()).totals.charges, 1)
})

test('a lost webhook is never sent, but the charge is paid', async (t) => {
  const simulator = await startStorm(t, { webhookLost: 1 })
  const { reference } = await simulator.create(paying(simulator))
  const charge = await simulator.chargeWhen(reference, 'the success', (now) => now.status === 'completed')
  assert.deepEqual(
    charge.webhooks.map(({ state }) => state),
    ['not_sent'],
  )
  assert.equal(simulator.receiver.received.length, 0)
})

test('a webhook is repeated under one id, or sent again under another', async (t) => {
  const simulator = await startStorm(t, { webhookRepeated: 1 })
  await simulator.create(paying(simulator))
  await until('the repetition', () => simulator.receiver.received.length > 1)
  assert.equal(new Set(eventsIn(simulator.receiver).map(({ id }) => id)).size, 1)
  const other = await startStorm(t, { webhookRepeatedNewId: 1 })
  await other.create(paying(other))
  await until('the second telling', () => other.receiver.received.length === 2)
  assert.equal(new Set(eventsIn(other.receiver).map(({ id }) => id)).size, 2)
})

test('a delayed webhook lets others overtake it', async (t) => {
  const simulator = await startStorm(t, { webhookDelayed: 1 }, { webhookDelayMs: [600, 600] })
  const slow = await simulator.create(paying(simulator, 'slow'))
  await simulator.chargeWhen(slow.reference, 'the success', (charge) => charge.status === 'completed')
  await simulator.control('PATCH', '/faults', { rates: { webhookDelayed: 0 } })
  const quick = await simulator.create(paying(simulator, 'quick'))
  await until('both', () => simulator.receiver.received.length === 2)
  assert.deepEqual(
    eventsIn(simulator.receiver).map(({ data }) => data.reference),
    [quick.reference, slow.reference],
  )
})

test('a webhook with a false amount is contradicted by GET and by the truth', async (t) => {
  const simulator = await startStorm(t, { webhookAmountLies: 1 })
  const { reference } = await simulator.create(paying(simulator))
  const event = await until('the lie', () => eventsIn(simulator.receiver)[0])
  assert.notDeepEqual(event.data.amount, { value: 5_000, currency: 'TZS' })
  const charge = await simulator.charge(reference)
  assert.deepEqual([charge.amount, charge.status, charge.money_moved], [5_000, 'completed', true])
  const shown = (await simulator.call('GET', `/v1/payments/${reference}`)).body.data
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
  const simulator = await startStorm(t, { getFails: 1 })
  const { reference } = await simulator.create(simulator.order())
  const forms = new Set<string>()
  await until('each form', async () => {
    const form = await simulator.call('GET', `/v1/payments/${reference}`).then(
      ({ status, headers }) => `${status} ${String(headers['content-type'])}`,
      () => 'reset',
    )
    forms.add(form)
    return forms.size === 3
  })
  assert.deepEqual([...forms].toSorted(), ['500 application/json; charset=utf-8', '502 text/html; charset=utf-8', 'reset'])
  assert.equal((await simulator.call('GET', '/v1/payments')).status, 200)
  await simulator.control('PATCH', '/faults', { rates: { getFails: 0, listFails: 1 } })
  assert.equal((await simulator.call('GET', `/v1/payments/${reference}`)).status, 200)
  const list = await simulator.call('GET', '/v1/payments').then(
    ({ status }) => status,
    () => 0,
  )
  assert.notEqual(list, 200)
})

test('every answer waits within the configured range', async (t) => {
  const simulator = await startStorm(t, {}, { answerDelayMs: [40, 60] })
  for (const call of [() => simulator.call('GET', '/v1/payments'), () => simulator.create(simulator.order())]) {
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
  const simulator = await startStorm(t, rates, { seed, webhookDelayMs: [0, 5] })
  const create = async (key: string): Promise<void> => {
    await until(`an answer to ${key}`, async () => {
      const answer = await simulator
        .call('POST', '/v1/payments', { body: paying(simulator, key), headers: keyed(key) })
        .catch(() => null)
      return answer?.status === 201
    })
  }
  if (atOnce) await Promise.all(keys.map(create))
  else for (const key of keys) await create(key)
  await until('the end of all', async () => {
    const { charges } = await simulator.truth()
    return charges.length === keys.length && charges.every(({ status }) => status === 'completed')
  })
  for (const { balance, expected_balance } of Object.values((await simulator.truth()).accounts)) {
    assert.equal(balance, expected_balance)
  }
  return await faults(simulator)
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
  const simulator = await startStorm(t, { createPay001: 1 })
  await simulator.create(paying(simulator))
  const ended = faultsIn(await simulator.control('DELETE', '/faults'))
  assert.deepEqual(ended.counts, {})
  assert.equal(ended.settings.rates.createPay001, 0)
  assert.equal((await simulator.create(paying(simulator))).answer.status, 201)
})

test('a rate outside 0 to 1, an unknown word and a reversed range are refused', async (t) => {
  const simulator = await startTestSimulator(t)
  for (const body of [{ rates: { webhookLost: 2 } }, { rates: { sunshine: 1 } }, { answerDelayMs: [5, 1] }]) {
    assert.equal((await simulator.control('PATCH', '/faults', body)).status, 400)
  }
})

test('payouts get the same faults, except for false failures', async (t) => {
  const simulator = await startStorm(t, { createLostAfter: 1, webhookRepeatedNewId: 1, webhookFailureFirst: 1 })
  const body = {
    amount: 50_000,
    channel: 'mobile',
    recipient_phone: '255754345678',
    recipient_name: 'Neema Mushi',
    webhook_url: simulator.receiver.url,
  }
  await assert.rejects(simulator.call('POST', '/v1/payouts/send', { body, headers: keyed('p-1') }))
  await until('both webhooks', () => simulator.receiver.received.length === 2)
  const [payout] = (await simulator.truth()).payouts
  assert.equal(payout?.status, 'completed')
  assert.deepEqual(
    payout.faults.map(({ kind }) => kind),
    ['createLostAfter', 'webhookRepeatedNewId'],
  )
})
