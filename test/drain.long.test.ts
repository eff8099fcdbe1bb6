/** SIGTERM under load: accepted requests are answered, later ones are refused at the connection, and the process exits normally. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from './fleet.ts'
import { eventually } from './app.ts'

test('an API that gets SIGTERM answers every request that it has accepted, and another process takes over', async (t) => {
  const fleet = await startFleet(t)
  const [leaving, staying] = [await fleet.api(), await fleet.api()]
  const worker = await fleet.worker()
  const page = await fleet.app.page(await fleet.app.student())
  const outcomes = { made: 0, turnedAway: 0 }
  let isOver = false
  const payer = async (name: number): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const body = JSON.stringify({
        slug: page.slug,
        phone_number: '0754123789',
        customer_name: 'Juma',
        customer_email: 'juma@example.com',
        idempotency_key: `${name}-${count}`,
      })
      const send = (url: string) =>
        fetch(`${url}/v1/payments/checkout`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      // A refused connection has made no promise: the same request goes to the other process, as from a balancer.
      const first = await send(leaving.url).catch(() => undefined)
      if (!first) outcomes.turnedAway += 1
      const response = first ?? (await send(staying.url))
      assert.equal(response.status, 201, await response.text())
      outcomes.made += 1
    }
  }
  const payers = Promise.all(Array.from({ length: 8 }, (_, name) => payer(name)))
  await eventually('payments are made', () => outcomes.made > 30)
  assert.equal(await leaving.stop(), 0)
  await eventually('the other one is paid through', () => outcomes.turnedAway > 20)
  isOver = true
  await payers
  const made = outcomes.made
  await eventually(
    'every payment is completed',
    async () => {
      const { rows } = await fleet.app.owner.pool.query(
        `select count(*)::integer as all, (count(*) filter (where status = 'completed'))::integer as completed from payments`,
      )
      return rows[0].all === made && rows[0].completed === made
    },
    60_000,
  )
  assert.equal((await fleet.app.truth()).charges.length, made)
  assert.equal(await worker.stop(), 0)
})
