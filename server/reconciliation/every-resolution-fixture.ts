/**
 * For tests of every way to resolve a break, one by one. Afterwards our books equal the provider's balance, also when the provider corrects
 * itself later, and nothing stays open. A resolution that does not fit the facts is refused.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { breakKinds, payoutBreakKindSchema, type BreakKind } from '../domain/break.ts'
import { startTestApp, type Admin, type TestApp } from '../../test/app.ts'
import { resolutionsFor, type Resolution } from '../breaks/break.ts'
import { verify } from '../invariants/verify.ts'
import { checkCharges } from '../payments/check-charges.ts'
import { settlementOf } from '../payments/settlement.ts'
import { balance, says, short, silentPayout, silentRefund, type SilentPayout } from '../payouts/payouts-fixture.ts'
import { checkPayouts } from '../payouts/send-payout.ts'
import { settlePayout } from '../payouts/settle-payout.ts'
import { fromWire, homeOfId, toWire } from '../platform/ids.ts'
import { wrapProviders, type ChargeSnapshot, type ListedPage, type PayoutSnapshot } from '../providers/provider.ts'
import { assertClearingIsTrue, control, decide, reconcileToday } from './reconciliation-fixture.ts'

export type Payment = { reference: string; paymentId: string; home: number; there: string; slug: string }
type Payer = { token: string; key: string; merchantId: string }

/** A provider that does nothing by itself and sends no messages: the test moves its records and decides which answers arrive. */
export type Stage = {
  app: TestApp
  operators: [Admin, Admin]
  /** References that the provider never shows, neither in its list nor in an answer. */
  hidden: Set<string>
  /** What the provider shows of a record in place of the truth, by reference. */
  lies: Map<string, Partial<Pick<ChargeSnapshot, 'amount' | 'ourReference'>> & { status?: 'completed' | 'failed' | 'reversed' }>
  /** The fee that the provider quotes for a payout, when it differs from the fee that it takes. */
  quote: { fee?: number }
  payer: Payer
  /** The payment of 1,000,000 that filled the wallet. */
  fundedBy: Payment
  charge(amount?: number): Promise<Payment>
  /** Moves the provider's record of a charge. */
  moveCharge(payment: Pick<Payment, 'there'>, action: 'complete' | 'fail', amount?: number): Promise<void>
  /** Queries the provider about a charge and settles the answer. */
  ask(payment: Payment): Promise<void>
  /** Settles a success that is not in the provider's books. */
  settleCredit(payment: Payment, changes: Partial<ChargeSnapshot>): Promise<void>
  seed(order: Record<string, unknown>): Promise<string>
  payout(): Promise<SilentPayout>
  movePayout(reference: string, action: 'complete' | 'fail' | 'reverse' | 'pay_after_all'): Promise<void>
  receive(payout: SilentPayout, status: PayoutSnapshot['status'], changes?: Partial<PayoutSnapshot>): Promise<void>
  /** Sends an order to the provider with our key, outside the service. */
  sendUnknownOrder(payout?: SilentPayout): Promise<string>
  /** Sends and queries everything that is due, and compares both books of the day. */
  compare(): Promise<void>
  /** The provider carries out all its payouts that have not ended. */
  payAll(): Promise<void>
}

/** `pays`: whether its payouts are payouts to anybody or refunds. */
export async function startStage(t: TestContext, pays: 'payout' | 'refund' = 'payout'): Promise<Stage> {
  const hidden = new Set<string>()
  const lies: Stage['lies'] = new Map()
  const shown = <Snapshot extends { reference: string }>(listed: ListedPage<Snapshot>): ListedPage<Snapshot> => {
    if (listed.kind !== 'page') return listed
    const items = listed.items.filter(({ reference }) => !hidden.has(reference))
    return { ...listed, items: items.map((item) => ({ ...item, ...lies.get(item.reference) })) }
  }
  const quote: { fee?: number } = {}
  const app = await startTestApp(t, {
    simulator: { delayMs: 3_600_000, promptMs: 3_600_000 },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        listCharges: async (page) => shown(await provider.listCharges(page)),
        listPayouts: async (page) => shown(await provider.listPayouts(page)),
        fetchCharge: async (key, priority) =>
          hidden.has(key.reference ?? '') ? { kind: 'not_found' } : provider.fetchCharge(key, priority),
        fetchPayout: async (key) => (hidden.has(key.reference ?? '') ? { kind: 'not_found' } : provider.fetchPayout(key)),
        quotePayout: async (amount, phone) =>
          quote.fee === undefined ? provider.quotePayout(amount, phone) : { kind: 'quoted', fee: quote.fee },
      })),
    }),
  })
  await control(app, 'hold', { webhooks: true })
  const operators: [Admin, Admin] = [await app.admin(), await app.admin()]
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { allow_custom_amount: true, amount: 10_000 })
  const { rows } = await app.owner.pool.query('select merchant_id from payment_pages')
  const payer: Payer = { token: student.token, key, merchantId: toWire('usr', rows[0].merchant_id) }
  const stage: Omit<Stage, 'fundedBy'> = {
    app,
    operators,
    hidden,
    lies,
    quote,
    payer,
    async charge(amount = 10_000) {
      const { body } = await app.checkout(page.slug, { amount, phone_number: '0754000123', idempotency_key: randomUUID() })
      const { reference } = body.data
      const [charge] = (await app.truth(`?our_reference=${reference}`)).charges
      const paymentId = fromWire('pay', reference)!
      return { reference, paymentId, home: homeOfId(paymentId), there: charge.reference, slug: page.slug }
    },
    async moveCharge({ there }, action, amount) {
      await control(app, `charges/${there}/answer`, { action, ...(amount !== undefined && { amount }) })
    },
    async ask({ reference }) {
      const { token } = await app.admin()
      assert.equal(short(await app.call('POST', `/v1/admin/payments/${reference}/query`, { token })), '200')
    },
    async settleCredit({ home, paymentId, there }, changes) {
      const source = { home, paymentId, environment: 'test', provider: 'snippe', actor: 'test', requestId: 'r' } as const
      const success = { reference: there, ourReference: null, status: 'completed', amount: 10_000, currency: 'TZS' } as const
      const blank = { fee: null, network: null, failure: null, expiresAt: null }
      await app.deps.settle(settlementOf(source, { ...success, ...blank, ...changes }, 60))
    },
    async seed(order) {
      const seeded = (await control(app, 'seed', { account: 'test', orders: [order] })) as { references: [string] }
      return seeded.references[0]
    },
    payout: () => (pays === 'refund' ? silentRefund(app, key, money.reference) : silentPayout(app, key)),
    async movePayout(reference, action) {
      await control(app, `payouts/${reference}/answer`, { action })
    },
    async receive(payout, status, changes = {}) {
      await settlePayout(app.deps, payout.at, payout.source, says(payout.reference, status, changes))
    },
    async sendUnknownOrder(payout) {
      const response = await fetch(`${app.simulatorUrl}/v1/payouts/send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${app.settings['SNIPPE_TEST_API_KEY']}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID().slice(0, 18),
        },
        body: JSON.stringify({
          amount: 5_000,
          channel: 'mobile',
          recipient_phone: '255754000123',
          recipient_name: 'X',
          narration: 'x',
          ...(payout && { metadata: { malipo_payout: payout.id } }),
        }),
      })
      const { data, message } = (await response.json()) as { data: { reference: string }; message?: string }
      assert.equal(response.status, 201, message)
      return data.reference
    },
    async compare() {
      await app.deps.backgroundDone()
      await checkCharges(app.deps, 10)
      await checkPayouts(app.deps, 10)
      await reconcileToday(app)
      await reconcileToday(app, 'payouts')
    },
    async payAll() {
      await checkPayouts(app.deps, 10)
      await app.deps.backgroundDone()
      for (const { reference, status } of (await app.truth()).payouts)
        if (status === 'pending') await stage.movePayout(reference, 'complete')
    },
  }
  const money = await stage.charge(1_000_000)
  await stage.moveCharge(money, 'complete')
  await stage.ask(money)
  assert.deepEqual(await balance(app, key), [1_000_000, 0])
  return { ...stage, fundedBy: money }
}

export type Row = {
  kind: BreakKind
  resolution: Resolution
  /** The first resolution is refused with 409; then the break is resolved with this one. */
  refusedBut?: Resolution
  /** An additional condition, for the name of the test. */
  where?: string
  arrange(stage: Stage): Promise<Arranged | void>
}

export type Arranged = {
  parameters?: Record<string, string>
  /** Runs after two operators have decided, before the books are compared. */
  afterwards?(): Promise<void>
  /** The provider changes its record at the end. Our books follow, with the resolution that is returned. */
  later?(): Promise<Resolution | void>
}

export async function openBreaks({
  app,
  operators,
}: Stage): Promise<{ id: string; kind: BreakKind; resolutions: Resolution[] }[]> {
  const { status, body } = await app.call('GET', '/v1/admin/breaks?status=open', { token: operators[0].token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

export async function assertBooksAreTrue(stage: Stage): Promise<void> {
  assert.deepEqual(
    (await openBreaks(stage)).map(({ kind }) => kind),
    [],
    'a break is left',
  )
  await assertClearingIsTrue(stage.app)
  assert.deepEqual(await verify(stage.app.db), [])
}

export async function resolveOnly(stage: Stage, resolution: Resolution, parameters?: Record<string, string>): Promise<string> {
  const [found, ...others] = await openBreaks(stage)
  assert.ok(found, 'a break is open')
  assert.deepEqual(others, [])
  return short(await decide(stage.app, stage.operators, found.id, { resolution, ...(parameters && { parameters }) }))
}

/** Without the right to take a provider's record, a decision is not carried out. */
async function assertNothingIsBooked({ app }: Stage, decideOnIt: () => Promise<string>): Promise<void> {
  await app.owner.pool.query('revoke insert on provider_references from malipo_service')
  assert.equal(await decideOnIt(), '500 internal_error')
  await app.owner.pool.query('grant insert on provider_references to malipo_service')
}

async function play(stage: Stage, row: Row): Promise<void> {
  const arranged = (await row.arrange(stage)) ?? {}
  const [found] = await openBreaks(stage)
  assert.equal(found?.kind, row.kind)
  assert.ok(found.resolutions.includes(row.resolution), `${row.resolution} is offered among ${found.resolutions.join(', ')}`)
  await assertNothingIsBooked(stage, () => resolveOnly(stage, row.resolution, arranged.parameters))
  const answer = await resolveOnly(stage, row.resolution, arranged.parameters)
  assert.equal(answer, row.refusedBut === undefined ? '200' : '409 invalid_state')
  if (row.refusedBut !== undefined) assert.equal(await resolveOnly(stage, row.refusedBut), '200')
  await arranged.afterwards?.()
  await stage.compare()
  await assertBooksAreTrue(stage)
  if (!arranged.later) return
  const next = await arranged.later()
  await stage.compare()
  if (next) {
    assert.equal(await resolveOnly(stage, next), '200')
    await stage.compare()
  }
  await assertBooksAreTrue(stage)
}

type About = 'charge' | 'payout' | 'refund'

const nameOf = (about: About, kind: BreakKind, resolution: Resolution): string => `${about}: ${kind} by ${resolution}`

/** Every combination of kind and resolution for breaks of charges, or of payouts (refunds) and their records. */
function offered(about: About): string[] {
  const isOfPayout = about !== 'charge'
  const kinds: readonly BreakKind[] = isOfPayout
    ? [...payoutBreakKindSchema.options, 'unknown_at_provider']
    : breakKinds.filter((kind) => !kind.startsWith('payout_'))
  const payoutId = isOfPayout ? randomUUID() : null
  const details = isOfPayout ? [{ subject: 'payout' }, { subject: 'payout', status: 'completed' }] : [{}]
  return kinds.flatMap((kind) =>
    details.flatMap((one) =>
      resolutionsFor({ kind, payoutId, details: one }).map((resolution) => nameOf(about, kind, resolution)),
    ),
  )
}

/** Tests all combinations for breaks of charges, payouts or refunds. Each kind has a separate stage. */
export function testResolutions(about: About, rows: readonly Row[]): void {
  test(`every resolution that is offered for a break of a ${about} has its row`, () => {
    const covered = rows.map(({ kind, resolution }) => nameOf(about, kind, resolution))
    assert.deepEqual([...new Set(covered)].toSorted(), [...new Set(offered(about))].toSorted())
  })

  for (const [kind, ofKind] of Map.groupBy(rows, (row) => row.kind)) {
    test(`after any resolution of ${kind} of a ${about} the books are what the provider holds`, async (t) => {
      const stage = await startStage(t, about === 'refund' ? 'refund' : 'payout')
      for (const row of ofKind) {
        const { refusedBut, where } = row
        const name = `${nameOf(about, kind, row.resolution)}${refusedBut === undefined ? '' : ', refused'}`
        await t.test(`${name}${where === undefined ? '' : `: ${where}`}`, () => play(stage, row))
      }
    })
  }
}
