/** A message that no process can handle: it is tried a few times, quarantined with an alarm, and blocks no other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromWire } from '../../server/platform/ids.ts'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import type { Poison } from './start-with-faults.ts'
import { askToPay, readBooks } from './shop.ts'

const kinds: [does: Poison['does'], sentence: string, dies: boolean][] = [
  ['throw', 'throws each time', false],
  ['loop', 'never comes back from', true],
  ['eat', 'takes all memory for', true],
]

for (const [does, sentence, dies] of kinds) {
  test(`a message that a worker ${sentence}: five tries at most, then it is escalated to operators, and all others are credited [F45]`, async (t) => {
    const fleet = await startFleet(t, { RATE_LIMITS: 'off', PAYMENT_CHECK_DELAYS_SECONDS: '300', STUCK_AFTER_SECONDS: '3' })
    const { app } = fleet
    const sql = (text: string) => app.owner.pool.query(text)
    const page = await app.page(await app.student())
    // The messages are stored there and not processed further.
    const taking = await fleet.api('before C4')
    const names = ['a', 'b', 'poison', 'c', 'd']
    const references: string[] = []
    for (const name of names) references.push((await askToPay(taking.url, page.slug, name)).reference!)
    await eventually(
      'all messages are stored',
      async () => (await sql(`select from provider_inbox where state = 'received'`)).rows.length === 5,
    )
    await taking.kill()
    const poison: Poison = { paymentId: fromWire('pay', references[2]!)!, does }

    let deaths = 0
    const state = async () =>
      (
        await sql(
          `select state, attempts, deaths from provider_inbox where state <> 'settled' order by deaths desc, attempts desc`,
        )
      ).rows
    let worker = await fleet.worker({ poison, execArgv: ['--max-old-space-size=160'] })
    let isGone = false
    const watch = () => {
      isGone = false
      void worker.gone.then(() => void (isGone = true))
    }
    watch()
    await eventually(
      'it is escalated to operators',
      async () => {
        await sql(`update provider_inbox set next_attempt_at = clock_now() where state = 'received' and leased_by is null`)
        if (isGone) {
          deaths += 1
          assert.ok(deaths <= 6, 'it crashes one process after the other')
          worker = await fleet.worker({ poison, execArgv: ['--max-old-space-size=160'] })
          watch()
          await sql(`update provider_inbox set next_attempt_at = clock_now() where state = 'received'`)
        }
        return (await state())[0]?.state === 'orphan'
      },
      90_000,
    )
    assert.equal(deaths > 0, dies)
    await eventually('all others are credited', async () => (await readBooks(app)).completed === 4)
    const left = await state()
    assert.equal(left.length, 1)
    assert.ok(left[0].attempts <= 7, `${left[0].attempts} tries`)
    assert.equal(isGone, false)
    // The payer's money is not forgotten: a query to the provider reports that it was paid.
    await sql(`update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null`)
    await eventually('it is credited after a query', async () => (await readBooks(app)).completed === 5)
  })
}
