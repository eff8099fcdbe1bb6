/** The primary's machine is lost under load; its replica, which confirmed every commit, takes its place. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toWire } from '../../server/platform/ids.ts'
import { connectionTo, onlyStandby, urlsOf } from '../../server/platform/db/primary.ts'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { startReplicatedDatabase } from './replicated-database.ts'
import { assertPaidOnce, insistToPay, readBooks, startReceiver, type Asked } from './shop.ts'

const payers = 24

test('the primary is killed under load and the replica promoted: nothing that was answered is lost', async (t) => {
  const database = await startReplicatedDatabase()
  for (let look = 0; look < 20; look += 1) {
    const { connectionString, Client } = connectionTo(database.url, 5_000)
    const client = new Client({ connectionString })
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as "isReplica"')
    await client.end()
    assert.deepEqual(rows, [{ isReplica: false }])
  }
  // One address, behind which a proxy has put the replica.
  const [, replica] = urlsOf(database.url)
  const toReplica = connectionTo(replica!, 5_000)
  await assert.rejects(new toReplica.Client({ connectionString: replica! }).connect(), { message: onlyStandby })
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' }, { database })
  const { app } = fleet
  const members = [await fleet.api(), await fleet.api(), await fleet.worker(), await fleet.worker()]
  const ended: (number | null)[] = []
  for (const { gone } of members) void gone.then((code) => ended.push(code))
  const student = await app.student()
  const page = await app.page(student, {}, 'live')
  const shop = await startReceiver(t)
  const shopApp = await app.call('POST', '/developers/apps', {
    token: student.token,
    body: { name: 'Duka', environment: 'live' },
  })
  const hook = await app.call('POST', `/developers/apps/${shopApp.body.data.id}/webhook`, {
    token: student.token,
    body: { url: shop.url },
  })
  assert.ok(hook.status < 300, JSON.stringify(hook.body))

  const answers: Asked[] = []
  /** The results that payers saw on their screens, with their times. */
  const seen = new Map<string, number>()
  let isOver = false

  async function seeCompleted(url: string, reference: string): Promise<void> {
    while (!isOver) {
      const answer = await fetch(`${url}/v1/payments/${reference}/status?wait=5`).catch(() => undefined)
      if (answer?.status === 200) {
        const { data } = (await answer.json()) as { data: { status: string } }
        if (data.status === 'completed') {
          seen.set(reference, performance.now())
          return
        }
      } else await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  const paying = Promise.all(
    Array.from({ length: payers }, async (_, payer) => {
      for (let count = 0; !isOver; count += 1) {
        const { url } = members[payer % 2]!
        const asked = await insistToPay(() => url, page.slug, `${payer}-${count}`)
        answers.push(...asked)
        await seeCompleted(url, asked.at(-1)!.reference!)
      }
    }),
  )
  await eventually('payments are made and reported', () => seen.size > 100 && shop.received.size > 50, 60_000)

  assert.equal(await database.syncState(), 'sync')
  await database.killPrimary()
  const killedAt = performance.now()
  const seenBefore = new Set(seen.keys())
  const receivedBefore = new Set([...shop.received.values()].flatMap((ids) => [...ids]))
  await database.promote()
  const promotedAt = performance.now()
  await eventually('both APIs are ready', async () => {
    const answered = await Promise.all(members.slice(0, 2).map(({ url }) => fetch(`${url}/readyz`)))
    return answered.every(({ status }) => status === 200)
  })
  const readyAt = performance.now()
  await eventually('payments are completed again', () => [...seen.values()].some((at) => at > promotedAt), 60_000)
  const creditedAt = Math.min(...[...seen.values()].filter((at) => at > promotedAt))
  await eventually('and again', () => seen.size > seenBefore.size + 50, 60_000)
  isOver = true
  await paying

  for (const reference of seenBefore) {
    const status = await app.call('GET', `/v1/payments/${reference}/status`)
    assert.equal(status.body.data?.status, 'completed', `${reference} was shown as completed before the primary was lost`)
  }
  const { rows } = await app.owner.pool.query<{ id: string }>(`select id from events where type = 'payment.completed'`)
  const events = new Set(rows.map(({ id }) => toWire('evt', id)))
  assert.deepEqual(
    [...receivedBefore].filter((id) => !events.has(id)),
    [],
    'every event that the merchant received exists',
  )
  const { payments } = await readBooks(app)
  await eventually('every payment is completed', async () => (await readBooks(app)).completed === payments, 90_000)
  await assertPaidOnce(app, payments)
  const promised = new Set(answers.flatMap(({ reference }) => reference ?? []))
  for (const reference of promised) {
    assert.equal((await app.call('GET', `/v1/payments/${reference}/status`)).status, 200, reference)
  }
  assert.deepEqual(ended, [])

  const ms = (from: number, to: number) => `${Math.round(to - from)} ms`
  t.diagnostic(
    `${seenBefore.size} payments were seen completed and ${receivedBefore.size} events received before the kill; promotion took ${ms(killedAt, promotedAt)}, ` +
      `both APIs were ready ${ms(promotedAt, readyAt)} later, the first credit was seen ${ms(killedAt, creditedAt)} after the kill; ${payments} payments in the end`,
  )
})
