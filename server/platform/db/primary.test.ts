/** Several hosts in one DATABASE_URL. test/faults/failover.test.ts tests what happens when they swap roles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../../test/databases.ts'
import { startDatabaseProxy } from '../../../test/faults/tcp-proxy.ts'
import { freePorts } from '../../../test/app.ts'
import { isUnavailable, openDb, sql } from './db.ts'
import { urlsOf } from './primary.ts'

function open(url: string) {
  return openDb({
    url,
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    applicationName: 'test',
    onError: () => undefined,
  })
}

test('commas separate the hosts, and the rest of the URL applies to all of them', () => {
  assert.deepEqual(urlsOf('postgresql://malipo:p%2C%40@a:5432,b,[::1]:5433/malipo?sslmode=require'), [
    'postgresql://malipo:p%2C%40@a:5432/malipo?sslmode=require',
    'postgresql://malipo:p%2C%40@b/malipo?sslmode=require',
    'postgresql://malipo:p%2C%40@[::1]:5433/malipo?sslmode=require',
  ])
  const socket = 'postgresql:///malipo?host=/a,b/run'
  assert.deepEqual(urlsOf(socket), [socket])
})

test('an unreachable host and a host that never answers do not prevent a connection to the primary', async (t) => {
  const database = await createTestDatabase()
  const [deaf, well] = [await startDatabaseProxy(t, database.url), await startDatabaseProxy(t, database.url)]
  deaf.partition('to_server')
  const [unusedPort] = await freePorts(1)
  const { pathname, username } = new URL(well.url)
  const db = open(
    `postgresql://${username}@127.0.0.1:${unusedPort},127.0.0.1:${deaf.port},127.0.0.1:${well.port}${pathname}?sslmode=disable`,
  )
  const startedAt = performance.now()
  assert.deepEqual(await db.rows(sql`select 1 as one`), [{ one: 1 }])
  assert.ok(performance.now() - startedAt < 2_000)
  await db.close()
  await database.drop()
})

test('without a host that accepts writes, the database counts as unavailable', async () => {
  const database = await createTestDatabase()
  const ports = await freePorts(2)
  const db = open(`postgresql://malipo@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/malipo`)
  await assert.rejects(
    db.rows(sql`select 1`),
    (error) => isUnavailable(error) && /takes writes .*ECONNREFUSED/.test(String(error)),
  )
  await db.close()
  await database.drop()
})
