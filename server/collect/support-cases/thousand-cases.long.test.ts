/**
 * A thousand cases at 20 a minute, within a budget of 60 calls a minute that regular traffic shares, compared with the provider's true
 * books. The service and the provider are the real ones; only the database's clock is moved, three seconds for each case, so that fifty
 * minutes take some. The budget, the age of a case and the time of its answer all follow that clock.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { stopDatabaseClock } from '../../../test/database-clock.ts'
import { answerPaidSince, askProviders } from './ask-providers.ts'
import { postForm } from '../../../test/fixtures/support.ts'

const cases = 1_000
const secondsBetween = 3
const callsPerMinute = 60

type Kind =
  | 'paid_unheard'
  | 'paid_known'
  | 'failed_unheard'
  | 'failed_known'
  | 'voided_unheard'
  | 'expired_there'
  | 'open_there'
  | 'paid_while_asking'

/** What happened at the provider, in twentieths of all cases. `Unheard`: its message never came. */
const twentieths: [Kind, number][] = [
  ['paid_unheard', 7],
  ['paid_known', 3],
  ['failed_unheard', 5],
  ['failed_known', 1],
  ['voided_unheard', 1],
  ['expired_there', 1],
  ['open_there', 1],
  ['paid_while_asking', 1],
]
const kinds = twentieths.flatMap(([kind, count]) => Array.from({ length: count }, () => kind))

/** The magic number of the simulator: its last three digits decide what happens by itself. */
const suffixOf = (kind: Kind): string => (kind === 'paid_known' ? '789' : kind === 'failed_known' ? '059' : '129')

type Paid = { reference: string; kind: Kind; charge: string; receipt: string }

const pad = (value: number, length: number): string => String(value).padStart(length, '0')

async function control(app: TestApp, charge: string, action: string): Promise<void> {
  await app.control('POST', `/charges/${charge}/answer`, { action, copies: 0 })
}

async function chargesThere(app: TestApp): Promise<Map<string, any>> {
  const { charges } = await app.truth()
  return new Map(charges.map((charge: any) => [charge.metadata.malipo_payment, charge]))
}

/** Payments whose outcome at the provider is decided, but of most of them no message has come. */
async function makePayments(app: TestApp, clock: (seconds: number) => Promise<void>): Promise<Paid[]> {
  const slugs = await Promise.all([1, 2, 3, 4].map(async () => (await app.page(await app.student())).slug))
  const made: { reference: string; kind: Kind }[] = []
  // Few at a time: the budget of calls also holds for what the test prepares.
  for (let from = 0; from < cases; from += 20) {
    await clock(from * 4)
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => {
        const number = from + place
        const kind = kinds[number % kinds.length]!
        const phone_number = `+255754${pad(number, 3)}${suffixOf(kind)}`
        const { status, body } = await app.checkout(slugs[place % slugs.length]!, { phone_number })
        assert.equal(status, 201, JSON.stringify(body))
        return { reference: body.data.reference as string, kind }
      }),
    )
    made.push(...answers)
    // The clock stands still until all messages are booked: it must not move within a statement.
    await eventually('the provider has all charges, and has reported those that it reports', async () => {
      const { rows } = await app.owner.pool.query<{ left: number }>(
        `select count(*)::integer as left from payments p join provider_charges c on c.home = p.home and c.payment_id = p.id
         where c.provider_reference is null or (p.phone_number like any ('{%789,%059}') and p.status not in ('completed', 'failed'))`,
      )
      return rows[0]!.left === 0
    })
  }
  const there = await chargesThere(app)
  const paid = made.map(({ reference, kind }) => {
    const charge = there.get(reference)
    assert.ok(charge, reference)
    return { reference, kind, charge: charge.reference as string, receipt: charge.external_reference as string }
  })
  const actions: Partial<Record<Kind, string>> = {
    paid_unheard: 'complete',
    failed_unheard: 'fail',
    voided_unheard: 'void',
    expired_there: 'expire',
  }
  for (const { kind, charge } of paid) if (actions[kind]) await control(app, charge, actions[kind])
  return paid
}

type Outcome = {
  reference: string
  state: string
  finding: string | null
  because: string | null
  seconds: number | null
  isOwned: boolean
}

test('a thousand cases at 20 a minute are answered within a minute for 95 %, and none is answered wrongly', async (t) => {
  const app = await startTestApp(t, {
    settings: {
      RATE_LIMITS: 'off',
      SNIPPE_TEST_REQUESTS_PER_MINUTE: String(callsPerMinute),
      PAYMENT_EXPIRY_SECONDS: '86400',
    },
  })
  const start = new Date()
  const clock = (seconds: number): Promise<void> => stopDatabaseClock(app.owner, start, seconds)
  const paid = await makePayments(app, clock)
  const begin = cases * 4 + 120
  const receiptsOfOthers = paid.filter(({ kind }) => kind === 'paid_known').map(({ receipt }) => receipt)
  const later: { at: number; charge: string }[] = []
  const regular = { calls: 0, held: 0 }
  const openSource = paid.find(({ kind }) => kind === 'open_there')!

  let step = 0
  for (; ; step += 1) {
    const now = begin + step * secondsBetween
    await clock(now)
    while (later[0] !== undefined && later[0].at <= now) await control(app, later.shift()!.charge, 'complete')
    const one = paid[step]
    if (one) {
      const isPaid = one.kind.startsWith('paid')
      // Every tenth payer gives the number of another payment.
      const isForeign = step % 10 === 9
      const number = isForeign
        ? receiptsOfOthers.find((receipt) => receipt !== one.receipt)!
        : isPaid
          ? one.receipt
          : `S9${pad(step, 10)}`
      const sent = await postForm(app, `/c/new/${one.reference}`, { lang: 'en', sms_number: number })
      assert.equal(sent.status, 303, sent.text)
      if (one.kind === 'paid_while_asking') later.push({ at: now + 9, charge: one.charge })
    }
    // Regular checks of open charges, 15 a minute: they must never wait because of cases.
    if (step % 4 !== 3) {
      const key = { reference: openSource.charge, ourReference: openSource.reference }
      const answer = await app.deps.providers.test.charges.fetchCharge(key)
      regular.calls += 1
      if (answer.kind === 'indeterminate') regular.held += 1
    }
    await askProviders(app.deps, 20)
    if (step % 5 === 0) await answerPaidSince(app.deps, 50)
    if (step >= cases && step % 10 === 0) {
      const { rows } = await app.owner.pool.query<{ left: number }>(
        `select count(*)::integer as left from support_cases where state in ('open', 'asking')`,
      )
      if (rows[0]!.left === 0) break
      assert.ok(step < cases + 100, `${rows[0]!.left} cases are still being asked about`)
    }
  }
  // Every payment is looked at again by then.
  await clock(begin + (step + 1) * secondsBetween + 6 * 3600)
  await answerPaidSince(app.deps, cases)

  const { rows: outcomes } = await app.owner.pool.query<Outcome>(
    `select c.payment_id as reference, c.state, c.finding, c.escalated_because as because,
       extract(epoch from c.first_outcome_at - c.created_at)::double precision as seconds, c.number_owner_id is not null as "isOwned"
     from support_cases c order by c.created_at, c.id`,
  )
  assert.equal(outcomes.length, cases)
  const there = await chargesThere(app)
  const { rows: booked } = await app.owner.pool.query<{ id: string; status: string }>('select id, status from payments')
  const statusOf = new Map(booked.map(({ id, status }) => [id, status]))
  const wrong = outcomes.filter((one, place) => {
    const { money_moved: hasMoved } = there.get(paid[place]!.reference)
    const isBooked = statusOf.get(one.reference) === 'completed'
    if (one.finding === 'received') return !hasMoved || !isBooked
    if (one.finding === 'no_money') return hasMoved || isBooked
    return one.state === 'answered'
  })
  const seconds = outcomes.map((one) => one.seconds ?? Infinity).toSorted((a, b) => a - b)
  const percentile = (share: number): number => seconds[Math.ceil(seconds.length * share) - 1]!
  const withOperators = outcomes.filter(({ state }) => state === 'with_operators')
  const { rows: calls } = await app.owner.pool.query<{ most: number; all: number }>(
    `select max(count)::integer as most, sum(count)::integer as all from (
       select count(*) from support_case_answers where answer <> 'not_asked' group by date_trunc('minute', answered_at)) m`,
  )
  const reasons = Object.groupBy(withOperators, ({ because }) => because ?? '')
  t.diagnostic(
    `cases ${cases}, p50 ${percentile(0.5)} s, p95 ${percentile(0.95)} s, p100 ${percentile(1)} s, wrong ${wrong.length}, ` +
      `with operators ${withOperators.length} (${Object.entries(reasons)
        .map(([reason, all]) => `${reason} ${all!.length}`)
        .join(', ')}), calls for cases ${calls[0]!.all}, at most ${calls[0]!.most} a minute of ${callsPerMinute}, ` +
      `regular calls ${regular.calls}, held back ${regular.held}`,
  )
  assert.deepEqual(wrong, [])
  assert.ok(percentile(0.95) <= 60, `p95 ${percentile(0.95)} s`)
  assert.equal(regular.held, 0)
  assert.ok(calls[0]!.most <= callsPerMinute * (2 / 5 + 1 / 5))
  // A payer with the number of another payment reaches operators, and only they see whose it is.
  const foreign = outcomes.filter((_, place) => place % 10 === 9)
  assert.ok(foreign.every(({ state, isOwned }) => state === 'with_operators' && isOwned))
  // What is proven is answered without a person.
  const provable = outcomes.filter((_, place) => place % 10 !== 9 && !/^(expired_there|open_there)$/.test(paid[place]!.kind))
  assert.ok(provable.every(({ state }) => state === 'answered'))
})
