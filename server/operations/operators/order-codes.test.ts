/** The codes of orders move to the current key, and a wrong code is reported instead of corrected. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { eventually, startTestApp } from '../../../test/app.ts'
import { loadConfig } from '../../config/config.ts'
import { verifyOrders } from '../../assurance/invariants/order-macs.ts'
import { createRecordMac } from '../../platform/crypto/record-mac.ts'
import { openDb } from '../../platform/db/db.ts'
import { readKeyStatus } from './read-key-status.ts'
import { rewrapValues } from './rewrap-values.ts'

test('after a rotation every order has a code under the new key, except one that was changed in the database', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  for (let turn = 0; turn < 2; turn += 1) await app.settled((await app.checkout(page.slug)).body.data.reference)
  const old = app.settings['INTEGRITY_KEYS']!
  const next = `next:${randomBytes(32).toString('base64url')}`
  const depsOf = (ring: string) => {
    const config = loadConfig({ ...app.settings, INTEGRITY_KEYS: ring }, {})
    return { db: app.db, sealer: app.deps.sealer, config, recordMac: createRecordMac(config.keys.integrity) }
  }
  const { rows } = await app.owner.pool.query('select id, customer_name from payments order by id limit 1')
  const [changed] = rows
  await app.owner.pool.query(`update payments set customer_name = 'Changed' where id = $1`, [changed.id])
  const results = await rewrapValues(depsOf(`${next},${old}`))
  assert.deepEqual(
    results.find(({ name }) => name === 'provider_charges.order_mac'),
    { name: 'provider_charges.order_mac', rewrapped: 1, unreadable: [changed.id] },
  )
  await app.owner.pool.query('update payments set customer_name = $2 where id = $1', [changed.id, changed.customer_name])
  const { integrity } = await readKeyStatus(depsOf(`${next},${old}`))
  assert.deepEqual(
    integrity.map(({ keyId, neededBy }) => [keyId, neededBy]),
    [
      ['next', ['1 in provider_charges.order_mac', '1 in audit_log.mac']],
      ['test', ['1 in provider_charges.order_mac']],
    ],
  )
  await rewrapValues(depsOf(`${next},${old}`))
  assert.deepEqual(await verifyOrders(app.db, { since: null }, createRecordMac(depsOf(next).config.keys.integrity)), [])
  assert.ok((await readKeyStatus(depsOf(next))).integrity.every(({ isInRing }) => isInRing))
  // Moves them back, for the check at the end.
  await rewrapValues(depsOf(`${old},${next}`))
})

test('the status of the keys counts for longer than a statement of the service may take', async (t) => {
  const app = await startTestApp(t)
  const statementTimeoutMs = 300
  const { database } = app.config
  const db = openDb({
    ...database,
    statementTimeoutMs,
    applicationName: 'short-limit',
    lockTimeoutMs: undefined,
    onError: () => undefined,
  })
  t.after(() => db.close())
  const blocking = await app.owner.pool.connect()
  async function countBehind(table: string): Promise<void> {
    await blocking.query(`begin; lock table ${table} in access exclusive mode`)
    let hasEnded = false
    const status = readKeyStatus({ ...app.deps, db }).finally(() => (hasEnded = true))
    const isLate = eventually(`the count of ${table} is over the limit`, async () => {
      const { rows } = await app.owner.pool.query(`
        select 1 from pg_stat_activity where application_name = 'short-limit' and wait_event_type = 'Lock'
          and clock_timestamp() - query_start > interval '${2 * statementTimeoutMs} milliseconds'`)
      return hasEnded || rows.length > 0
    })
    await Promise.allSettled([Promise.race([status, isLate])])
    await blocking.query('rollback')
    await isLate
    assert.ok(
      (await status).integrity.every(({ isInRing }) => isInRing),
      table,
    )
  }
  try {
    for (const table of ['api_keys', 'mails', 'provider_charges', 'provider_payouts', 'audit_log']) await countBehind(table)
  } finally {
    blocking.release()
  }
})
