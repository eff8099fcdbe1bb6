/** The database is put back to an earlier moment and the provider is not: whatever is asked again under its key is paid once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberDatabase } from '../../test/turn-back.ts'
import { eventually, startWorld, type World } from '../../test/world.ts'
import { ask, balance, ended, paidStudent, providersOf, read } from './payouts-world.ts'
import { checkPayouts } from './send-payout.ts'

async function checkAll(world: World): Promise<void> {
  await world.owner.pool.query('update provider_payouts set next_check_at = clock_now() where next_check_at is not null')
  await checkPayouts(world.deps, 10)
}

test('a payout that a restored database has lost is the same payout when its key is asked again, and is paid once [T03]', async (t) => {
  const world = await startWorld(t)
  const { key } = await paidStudent(world)
  const putBack = await rememberDatabase(world)
  const first = (await ask(world, key, {}, 'K')).body.data
  await ended(world, key, first.id, 'completed')
  const after = await balance(world, key)

  await putBack()
  assert.deepEqual(await balance(world, key), [100_000, 0])
  const again = await ask(world, key, {}, 'K')
  assert.equal(again.status, 201)
  assert.equal(again.body.data.id, first.id)
  // It told of the payout long ago, and does not tell again: it is asked.
  await world.deps.backgroundDone()
  await checkAll(world)
  await ended(world, key, first.id, 'completed')
  const there = await providersOf(world)
  assert.deepEqual(
    there.map(({ amount, status }) => [amount, status]),
    [[20_000, 'completed']],
  )
  assert.deepEqual(await balance(world, key), after)

  // Another wallet, another environment, another key: another payout.
  const other = await paidStudent(world)
  assert.notEqual((await ask(world, other.key, {}, 'K')).body.data.id, first.id)
  assert.notEqual((await ask(world, key, {}, 'L')).body.data.id, first.id)
})

for (const provider of ['snippe', 'clickpesa']) {
  test(`a lost payout asked for again with another body is neither paid again nor taken for failed (${provider})`, async (t) => {
    const world = await startWorld(t, { settings: { PAYOUT_PROVIDER_TEST: provider } })
    const { key } = await paidStudent(world)
    const putBack = await rememberDatabase(world)
    const first = (await ask(world, key, {}, 'K')).body.data
    await ended(world, key, first.id, 'completed')

    await putBack()
    const again = (await ask(world, key, { amount: 30_000 }, 'K')).body.data
    assert.equal(again.id, first.id)
    const [available, reserved] = await eventually('the order was tried', async () => {
      const { rows } = await world.owner.pool.query('select state, held from provider_payouts join payouts on id = payout_id')
      return rows[0].state !== 'claimed' && rows[0].state !== 'queued' && balance(world, key)
    })
    await checkAll(world)
    assert.equal((await read(world, key, first.id)).status, 'processing')
    assert.deepEqual([available + reserved, reserved > 30_000], [100_000, true])
    assert.deepEqual(
      (await providersOf(world)).map(({ amount }) => amount),
      [20_000],
    )
  })
}
