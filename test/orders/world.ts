/** The world of the orders: one database, a provider that does nothing by itself, and two services, one for each side of an order. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { loadConfig } from '../../server/config/config.ts'
import { createLog } from '../../server/platform/process/log.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { createApi } from '../../server/start/api.ts'
import { openDependencies, type Dependencies } from '../../server/start/dependencies.ts'
import { freePorts, startTestApp, type Ending, type Student, type TestApp } from '../app.ts'
import { fund } from '../fixtures/payouts.ts'
import { openShop, type Shop } from '../fixtures/payments.ts'
import { Session } from './gates.ts'
import type { FindBlocked } from './schedule.ts'

export type Call = { token?: string; key?: string; body?: unknown; idempotencyKey?: string }

/** A side of an order. `call` answers with the status and, for a refusal, its code. */
export type Side = { name: '1' | '2'; deps: Dependencies; call(method: string, path: string, call?: Call): Promise<string> }

/** A merchant with money in its test wallet. */
export type Rich = Student & { key: string; keyId: string; merchantId: string }

export type World = {
  app: TestApp
  shop: Shop
  sessions: readonly [Session, Session]
  sides: readonly [Side, Side]
  findBlocked: FindBlocked
  rich(amount: number): Promise<Rich>
}

async function startSide(t: Ending, app: TestApp, name: '1' | '2'): Promise<{ session: Session; side: Side }> {
  const [api, checkout, storage] = await freePorts(3)
  const ports = { PORT: String(api), CHECKOUT_PORT: String(checkout), STORAGE_PORT: String(storage) }
  // Tokens of the app name its address.
  const config = { ...loadConfig({ ...app.settings, ...ports }, {}), urls: app.config.urls }
  const log = createLog({ level: 'silent', role: 'test' })
  const opened = await openDependencies(config, log, 'test')
  const deps: Dependencies = { ...opened, clocks: 'unchecked' }
  const session = new Session(
    name,
    deps,
    async (pid) => void (await app.owner.pool.query('select pg_terminate_backend($1)', [pid])),
  )
  const service = await createApi(deps)
  await service.listen()
  app.beforeClose(async () => {
    await service.drain()
    await deps.close()
  })
  const side: Side = {
    name,
    deps,
    async call(method, path, { token, key, body, idempotencyKey } = {}) {
      const response = await fetch(`http://127.0.0.1:${api}${path}`, {
        method,
        headers: {
          connection: 'close',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = (await response.json()) as { error?: { code: string } }
      assert.notEqual(answer.error?.code, 'invalid_token')
      return `${response.status}${answer.error ? ` ${answer.error.code}` : ''}`
    },
  }
  return { session, side }
}

export async function startWorld(t: Ending): Promise<World> {
  const hour = 3_600_000
  const app = await startTestApp(t, { simulator: { delayMs: hour, promptMs: hour } })
  await app.control('POST', '/hold', { webhooks: true })
  const [one, other] = [await startSide(t, app, '1'), await startSide(t, app, '2')]
  return {
    app,
    shop: await openShop(app),
    sessions: [one.session, other.session],
    sides: [one.side, other.side],
    async findBlocked(pids) {
      const { rows } = await app.owner.pool.query<{ pid: number }>(
        'select pid from unnest($1::integer[]) pid where cardinality(pg_blocking_pids(pid)) > 0',
        [pids],
      )
      return rows.map(({ pid }) => pid)
    },
    async rich(amount) {
      const student = await app.student()
      const { key, keyId } = await app.key(student)
      await fund(app, student, amount)
      const { rows } = await app.owner.pool.query('select id from merchants where user_id = $1', [
        fromWire('usr', student.userId),
      ])
      assert.equal(rows.length, 1)
      return { ...student, key, keyId, merchantId: rows[0].id }
    },
  }
}

export const newKey = (): string => randomUUID()
