/** The world of the orders: one database, a provider that does nothing by itself, and two services, one for each side of an order. */
import assert from 'node:assert/strict'
import { loadConfig } from '../../server/config/config.ts'
import { createLog } from '../../server/platform/process/log.ts'
import { quoteFees } from '../../server/pay-out/payout-batches/quote-fees.ts'
import { checkPayouts } from '../../server/pay-out/payouts/send-payout.ts'
import { fromWire } from '../../server/platform/ids.ts'
import { createApi } from '../../server/start/api.ts'
import { openDependencies, type Dependencies } from '../../server/start/dependencies.ts'
import { freePorts, type Ending, type Student, type TestApp } from '../app.ts'
import { openShop as openBusiness, type Shop as ApprovalShop } from '../fixtures/approvals.ts'
import { startStage, type Stage } from '../fixtures/every-resolution.ts'
import { balance, fund, payIn } from '../fixtures/payouts.ts'
import { openShop, type Shop } from '../fixtures/payments.ts'
import { newMember } from '../members.ts'
import { Session } from './gates.ts'
import { payoutsOf } from './facts.ts'
import type { Met } from './pair.ts'
import type { FindBlocked } from './schedule.ts'

export type Call = { token?: string; key?: string; body?: unknown; idempotencyKey?: string }

/** A side of an order. A call answers with the status and, for a refusal, its code. */
export type Side = {
  name: '1' | '2'
  deps: Dependencies
  call(method: string, path: string, call?: Call): Promise<string>
  /** Calls a route of the business, in test. */
  as(
    business: Pick<Business, 'businessId'>,
    person: { token: string },
    method: string,
    path: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<string>
}

/** A merchant with money in the test wallet; `round` differs in each order. */
export type Rich = Student & { key: string; keyId: string; merchantId: string; round: number }

type Member = Student & { memberId: string }

/** A business with 200,000 in its test wallet, and two members who may request and approve. */
export type Business = {
  shop: ApprovalShop
  businessId: string
  merchantId: string
  owner: Student
  approver: Member
  second: Member
}

export type World = {
  app: TestApp
  /** The provider, which does nothing by itself. */
  stage: Stage
  /** The merchant of the payments of the stage. */
  stageMerchantId: string
  shop: Shop
  sessions: readonly [Session, Session]
  sides: readonly [Side, Side]
  findBlocked: FindBlocked
  /** Three operators: the first proposes. */
  operators(): Promise<readonly string[]>
  /** A new merchant. */
  rich(amount: number): Promise<Rich>
  /** A merchant of the pair that has at least this much. */
  funded(least: number): Promise<Rich>
  /** A new business. */
  business(rule?: { above: number; approvers: number }): Promise<Business>
  /** A business of the pair that has money for its next order. */
  fundedBusiness(rule?: { above: number; approvers: number }): Promise<Business>
  /** Made once for the orders of a pair. */
  kept<Value>(name: string, make: () => Promise<Value>): Promise<Value>
  /** One of several that are made together. */
  pooled<Value>(name: string, make: () => Promise<Value[]>): Promise<Value>
  /** What happens some time later: a freeze is lifted, and a worker sends and queries the payouts that are due, and asks for fees. */
  work(met: Met, since: Date): Promise<void>
  /** The next pair begins: sessions of people do not last for hours. */
  forget(): void
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
    as: ({ businessId }, { token }, method, path, body, idempotencyKey) =>
      side.call(method, `/v1/merchant${path}?environment=test&business_id=${businessId}`, {
        token,
        ...(body !== undefined && { body }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      }),
  }
  return { session, side }
}

/** What is made for the orders of one pair. */
function createStore() {
  const kept = new Map<string, Promise<unknown>>()
  const pools = new Map<string, unknown[]>()
  return {
    kept: <Value>(name: string, make: () => Promise<Value>): Promise<Value> => {
      if (!kept.has(name)) kept.set(name, make())
      return kept.get(name) as Promise<Value>
    },
    async pooled<Value>(name: string, make: () => Promise<Value[]>): Promise<Value> {
      if (!pools.get(name)?.length) pools.set(name, await make())
      return pools.get(name)!.shift() as Value
    },
    forget(): void {
      kept.clear()
      pools.clear()
    },
  }
}

export async function startWorld(t: Ending): Promise<World> {
  const stage = await startStage(t, 'payout', { RATE_LIMITS: 'off', SNIPPE_TEST_REQUESTS_PER_MINUTE: 'off' })
  const { app } = stage
  const [one, other] = [await startSide(t, app, '1'), await startSide(t, app, '2')]
  const store = createStore()
  let round = 0

  async function rich(amount: number): Promise<Rich> {
    const student = await app.student()
    const { key, keyId } = await app.key(student)
    await fund(app, student, amount)
    const { rows } = await app.owner.pool.query('select id from merchants where user_id = $1', [fromWire('usr', student.userId)])
    assert.equal(rows.length, 1)
    return { ...student, key, keyId, merchantId: rows[0].id, round: (round += 1) }
  }

  async function business(rule?: { above: number; approvers: number }): Promise<Business> {
    const shop = await openBusiness(app)
    const { businessId, owner } = shop
    const approver = await newMember(app, owner, businessId, 'admin')
    const second = await newMember(app, owner, businessId, 'admin')
    if (rule) assert.equal((await shop.setRule(rule)).status, 200)
    return { shop, businessId, merchantId: fromWire('biz', businessId)!, owner, approver, second }
  }

  const stageMerchantId = fromWire('usr', stage.payer.merchantId)
  assert.ok(stageMerchantId)
  return {
    ...store,
    app,
    stage,
    stageMerchantId,
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
    operators: () => store.kept('operators', async () => Promise.all([1, 2, 3].map(async () => (await app.admin()).token))),
    rich,
    async funded(least) {
      const merchant = await store.kept('a merchant', () => rich(2 * least))
      const [available] = await balance(app, merchant.key)
      if (available < least) await fund(app, merchant, least)
      return { ...merchant, round: (round += 1) }
    },
    async work(met, since) {
      await app.owner.pool.query('delete from payout_freezes where merchant_id = $1', [met.merchantId])
      const { rows } = await app.owner.pool.query<{ id: string; home: number }>(
        `update provider_payouts c set next_attempt_at = clock_now() from (${payoutsOf}) p
         where p.home = c.home and p.id = c.payout_id and next_attempt_at is not null and p.status in ('pending', 'processing')
         returning p.home, p.id`,
        [met.merchantId, met.breakId ?? null, since],
      )
      for (const one of rows) await checkPayouts(app.deps, 1, one)
      await quoteFees(app.deps, 10)
    },
    business,
    async fundedBusiness(rule) {
      const { made, slug } = await store.kept(`a business ${JSON.stringify(rule)}`, async () => {
        const made = await business(rule)
        const fields = { type: 'payment', title: 'Duka', amount: 3_000_000 }
        const { body } = await made.shop.as(made.owner, 'POST', '/payment-pages', fields)
        return { made, slug: body.data.slug as string }
      })
      const { rows } = await app.owner.pool.query<{ balance: number }>(
        `select balance::integer from ledger_accounts where holder = $1 and kind = 'wallet' and environment = 'test'`,
        [made.merchantId],
      )
      if ((rows[0]?.balance ?? 0) < 200_000) await payIn(app, slug, 3_000_000)
      return made
    },
  }
}
