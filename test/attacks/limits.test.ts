/** Floods of guesses, prompts and requests: each meets its limit, and no other user is affected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newMoneyId, toWire } from '../../server/platform/ids.ts'
import type { Answer } from '../app.ts'
import { attackAll, startAttackedApp } from './attacked-app.ts'

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

function countOf(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[short(answer)] = (counts[short(answer)] ?? 0) + 1
  return counts
}

test('references are not found by trying, and a malformed reference gets the same not-found answer [A38]', async (t) => {
  const app = await startAttackedApp(t, { settings: { RATE_LIMIT_QUOTAS: 'unknown-reference=30/60' } })
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.settled(reference)
  const asks = (text: string) => () => app.call('GET', `/v1/payments/${encodeURIComponent(text)}/status`)
  const hostile = [
    "' or 1=1 --",
    '%s%s%n',
    '${7*7}',
    '../../etc/passwd',
    'pay_\u0000',
    `pay_${'0'.repeat(26)}`,
    `pay_${'z'.repeat(26)}`,
    reference.toUpperCase(),
  ]
  await attackAll(
    app,
    hostile.map((text) => ({ name: text, send: asks(text), expects: '404 not_found', isMistake: true })),
  )
  const tries = Array.from({ length: 300 }, () => asks(toWire('pay', newMoneyId(7)))())
  assert.deepEqual(countOf(await Promise.all(tries)), { '404 not_found': 30 - hostile.length, '429 rate_limited': 278 })
  await app.attack({ name: 'one more', send: asks(toWire('pay', newMoneyId(7))), expects: '429 rate_limited' })
  assert.equal(short(await asks(reference)()), '200')
})

/** The provider of the test environment is treated as one with real phones; the simulator runs it anyway. */
const realPhones = { SIMULATED_PROVIDERS: 'live', TRUSTED_PROXIES: '1' }

test('a phone is protected, however many addresses and pages send prompts to it [A51]', async (t) => {
  const app = await startAttackedApp(t, { settings: realPhones })
  const student = await app.student()
  const pages: { slug: string }[] = []
  for (let made = 0; made < 50; made += 1) pages.push(await app.page(student))
  const pay = (turn: number) =>
    app.call('POST', '/v1/payments/checkout', {
      headers: { 'x-forwarded-for': `198.51.${Math.floor(turn / 250)}.${turn % 250}` },
      body: {
        slug: pages[turn % pages.length]!.slug,
        // The payer does not answer, so each prompt stays open.
        phone_number: '+255754000000',
        customer_name: 'Juma Hamisi',
        customer_email: 'juma@example.com',
        idempotency_key: `flood-${turn}`,
      },
    })
  const answers = await Promise.all(Array.from({ length: 100 }, (_, turn) => pay(turn)))
  assert.deepEqual(countOf(answers), { '201': 5, '429 phone_busy': 95 })
  await app.attack({ name: 'one more', send: () => pay(101), expects: '429 phone_busy' })
  assert.equal((await app.truth()).charges.length, 5)
})

test('a flood from one address ends at its limit, and other payers of that page and others pay on [A52]', async (t) => {
  const settings = { TRUSTED_PROXIES: '1', RATE_LIMIT_QUOTAS: 'checkout=20/60' }
  const app = await startAttackedApp(t, { settings })
  const [victim, other] = [await app.page(await app.student()), await app.page(await app.student())]
  const pay = (slug: string, from: string) =>
    app.call('POST', '/v1/payments/checkout', {
      headers: { 'x-forwarded-for': from },
      body: {
        slug,
        phone_number: '+255754123789',
        customer_name: 'Juma Hamisi',
        customer_email: 'juma@example.com',
        idempotency_key: Math.random().toString(36),
      },
    })
  const flood = await Promise.all(Array.from({ length: 60 }, () => pay(victim.slug, '203.0.113.66')))
  assert.deepEqual(countOf(flood), { '201': 20, '429 rate_limited': 40 })
  const paid = flood.flatMap(({ status, body }) => (status === 201 ? [body.data.reference as string] : []))
  for (const [slug, from] of [
    [victim.slug, '203.0.113.67'],
    [other.slug, '203.0.113.67'],
  ] as const) {
    const { status, body } = await pay(slug, from)
    assert.equal(status, 201)
    paid.push(body.data.reference)
  }
  await Promise.all(paid.map((reference) => app.settled(reference)))
  await app.attack({ name: 'one more', send: () => pay(victim.slug, '203.0.113.66'), expects: '429 rate_limited' })
})

test('a status is answered sixty times a minute, and a thousand requests are as cheap [A53]', async (t) => {
  const app = await startAttackedApp(t)
  const page = await app.page(await app.student())
  const [asked, other] = [(await app.checkout(page.slug)).body.data, (await app.checkout(page.slug)).body.data]
  const { rows } = await app.owner.pool.query('select count(*)::integer as count from payments')
  assert.equal(rows[0].count, 2)
  await app.settled(other.reference)
  await app.settled(asked.reference)
  const status = (reference: string) => () => app.call('GET', `/v1/payments/${reference}/status`)
  const answers = await Promise.all(Array.from({ length: 1000 }, status(asked.reference)))
  const { '200': answered = 0, '429 rate_limited': refused = 0 } = countOf(answers)
  // The wait for its end has sent a few requests before.
  assert.ok(answered >= 55 && answered < 60 && answered + refused === 1000, `${answered} ${refused}`)
  await app.attack({ name: 'one more', send: status(asked.reference), expects: '429 rate_limited' })
  assert.equal((await status(other.reference)()).status, 200)
})

test('when nothing can be counted, sign-ins, payouts and prompts are refused, and reads continue [A56]', async (t) => {
  const app = await startAttackedApp(t, { settings: realPhones })
  const asha = await app.student()
  const { key } = await app.key(asha)
  const page = await app.page(asha, { amount: 90_000 })
  const paid = (await app.checkout(page.slug)).body.data
  await app.settled(paid.reference)
  await app.owner.pool.query('alter table rate_limits rename to rate_limits_away')
  await app.owner.pool.query('alter table prompts rename to prompts_away')
  const payout = { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }
  await attackAll(app, [
    {
      name: 'a sign-in',
      send: () => app.call('POST', '/v1/auth/login', { body: { identifier: asha.email, password: asha.password } }),
      expects: '503 overloaded',
      isMistake: true,
    },
    {
      name: 'a payout',
      send: () => app.call('POST', '/v1/payouts', { key, headers: { 'idempotency-key': 'x' }, body: payout }),
      expects: '503 overloaded',
      isMistake: true,
    },
    { name: 'a checkout', send: () => app.checkout(page.slug), expects: '503 overloaded', isMistake: true },
  ])
  for (const [path, credentials] of [
    ['/v1/me', { token: asha.token }],
    ['/v1/balance', { key }],
    ['/v1/transactions', { key }],
    [`/v1/pay/${page.slug}`, {}],
    [`/v1/payments/${paid.reference}/status`, {}],
  ] as const) {
    assert.equal((await app.call('GET', path, credentials)).status, 200, path)
  }
  await app.owner.pool.query('alter table rate_limits_away rename to rate_limits')
  await app.owner.pool.query('alter table prompts_away rename to prompts')
})
