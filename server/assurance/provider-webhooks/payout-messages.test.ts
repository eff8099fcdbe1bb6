/** Messages about payouts that have ended: the provider is asked until its own answer agrees, and only that answer moves money. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { setDatabaseClock } from '../../../test/database-clock.ts'
import { ask, balance, ended, paidStudent, providersOf, read, says } from '../../../test/fixtures/payouts.ts'
import { wrapProviders, type PayoutAnswer } from '../../money/providers/provider.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { settlePayoutMessage } from './receive-payout-message.ts'

type Lie = (truth: PayoutAnswer) => PayoutAnswer

const makeDue = (app: TestApp) =>
  app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null')

const isScheduled = async (app: TestApp): Promise<boolean> =>
  (await app.owner.pool.query('select from provider_payouts where next_attempt_at is not null')).rows.length > 0

const late: Lie = (answer) =>
  answer.kind === 'found' ? { kind: 'found', snapshot: { ...answer.snapshot, status: 'completed' } } : answer

/** A completed payout that is reversed at the provider, whose answers to the next queries are these instead of the truth. */
async function reversedBehind(t: TestContext, answers: Lie[]) {
  const state = { answers: [] as Lie[], fetched: 0 }
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async fetchPayout(key) {
          const truth = await provider.fetchPayout(key)
          state.fetched += 1
          return state.answers.length > 0 ? state.answers.shift()!(truth) : truth
        },
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await ended(app, key, id, 'completed')
  const [there] = await providersOf(app)
  state.answers = [...answers]
  const fetched = () => eventually('the provider was asked about the message', () => state.fetched > 0)
  const report = (eventId: string) =>
    settlePayoutMessage(
      app.deps,
      { provider: 'snippe', environment: 'test', eventId, requestId: 'r' },
      says(there.reference, 'reversed', { fee: null, network: null }).snapshot,
    )
  return { app, key, id, there, state, fetched, report }
}

for (const [name, answers] of [
  ['still says "completed" once', [late]],
  ['answers 404 twice', [() => ({ kind: 'not_found' }), () => ({ kind: 'not_found' })]],
] satisfies [string, Lie[]][]) {
  test(`a reversal that a message reports returns the money although the provider ${name}`, async (t) => {
    const { app, key, id, there, fetched } = await reversedBehind(t, answers)
    await app.control('POST', `/payouts/${there.reference}/answer`, { action: 'reverse' })
    await fetched()
    await app.deps.backgroundDone()
    assert.equal((await read(app, key, id)).status, 'completed')
    for (let round = 0; round < 2 && (await isScheduled(app)); round += 1) {
      await makeDue(app)
      await checkPayouts(app.deps, 1)
    }
    assert.equal((await read(app, key, id)).status, 'reversed')
    assert.deepEqual(await balance(app, key), [100_000, 0])
    assert.equal(await isScheduled(app), false)
  })
}

test('a reversal that the provider never confirms is asked about for hours, then no more, however often it is reported', async (t) => {
  const { app, key, id, state, report } = await reversedBehind(t, Array(20).fill(late))
  const minutes: number[] = []
  let ahead = 0
  await report('evt_0')
  while (await isScheduled(app)) {
    assert.ok(minutes.length < 10, minutes.join())
    const { rows } = await app.owner.pool.query<{ seconds: number }>(
      'select extract(epoch from next_attempt_at - clock_now())::integer as seconds from provider_payouts',
    )
    ahead += rows[0]!.seconds + 1
    minutes.push(Math.round(ahead / 60))
    await report(`evt_${minutes.length}`)
    await setDatabaseClock(app, `${ahead} seconds`)
    assert.equal(await checkPayouts(app.deps, 1), 1)
  }
  assert.deepEqual(minutes, [1, 6, 36, 396])
  assert.equal(await isScheduled(app), false)
  assert.equal((await read(app, key, id)).status, 'completed')
  // One more report after that begins once more.
  await report('evt_last')
  assert.equal(await isScheduled(app), true)
  assert.ok(state.fetched < 12)
})
