/** Registration: it reveals no accounts, and the limits of an unverified address. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, short } from '../fixtures/payouts.ts'
import { startTestApp, type Answer, type TestApp } from '../app.ts'
import { openShop } from '../fixtures/approvals.ts'
import { newMember } from '../members.ts'

let numbers = 0
/** Requests an account. The password is not hashed, because the address is known or the try is refused before. */
const register = (app: TestApp, email: string, from: string): Promise<Answer> =>
  app.call('POST', '/v1/auth/register', {
    headers: { 'x-forwarded-for': from },
    body: {
      full_name: 'Neema Joseph',
      email,
      phone_number: `+25575${String((numbers += 1) + 5_000_000)}`,
      password: 'mvua ya masika',
      student_id: 'S-1',
      institution: 'UDSM',
    },
  })

/** Large enough batches that the requests race, and small enough that none is shed. */
async function inBatches(count: number, act: (turn: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  while (answers.length < count) {
    const from = answers.length
    answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, turn) => act(from + turn)))))
  }
  return answers
}

const countsOf = (answers: Answer[]): Record<string, number> => {
  const codes = answers.map(short)
  return Object.fromEntries([...new Set(codes)].toSorted().map((one) => [one, codes.filter((other) => other === one).length]))
}

test('accounts are not listed by registering: limits for each network and overall, and one mail a day to each owner [A80]', async (t) => {
  const settings = {
    TRUSTED_PROXIES: '1',
    LIMIT_REGISTRATIONS: 'true',
    RATE_LIMIT_QUOTAS: 'register=20/3600,register-overall=60/3600',
  }
  const app = await startTestApp(t, { settings })
  const known = [await app.student(), await app.student()]
  const emailOf = (turn: number): string =>
    turn % 2 === 0 ? known[turn % 4 === 0 ? 0 : 1]!.email : `unknown-${turn}@example.com`
  const oneNetwork = await inBatches(500, (turn) => register(app, emailOf(turn), '203.0.113.7'))
  const counts = countsOf(oneNetwork)
  assert.equal(counts['429 rate_limited'], 480)
  assert.equal((counts['201'] ?? 0) + (counts['409 already_registered'] ?? 0), 20)
  const refused = oneNetwork.find(({ status }) => status === 429)!
  assert.ok(Number(refused.headers.get('retry-after')) > 3_000)

  const fifty = await inBatches(500, (turn) => register(app, emailOf(2 * turn), `198.51.100.${turn % 50}`))
  // The rest of sixty overall after the two students and the one network; then three of each network.
  const left = 60 - 20 - known.length
  assert.deepEqual(countsOf(fifty), { '409 already_registered': left + 50 * 3, '429 rate_limited': 500 - left - 50 * 3 })
  assert.equal(short(await register(app, 'neema@example.com', '192.0.2.1')), '201', 'a new person can register during the flood')

  const mails = async () => {
    const { rows } = await app.owner.pool.query(
      `select recipient, count(*)::int as count from mails where kind = 'registration_tried' group by recipient`,
    )
    return new Map(rows.map(({ recipient, count }) => [recipient, count]))
  }
  assert.deepEqual(await mails(), new Map(known.map(({ email }) => [email, 1])))
  await app.owner.pool.query(`update users set registration_mailed_at = registration_mailed_at - interval '25 hours'`)
  assert.equal(short(await register(app, known[0]!.email, '192.0.2.1')), '409 already_registered')
  assert.equal((await mails()).get(known[0]!.email), 2)
})

test('live keys and payouts need a verified e-mail address where the setting is on, and explain how; test needs none', async (t) => {
  const app = await startTestApp(t, { settings: { LIVE_NEEDS_VERIFIED_EMAIL: 'true' } })
  const owner = await app.student()
  const { token } = owner
  const verify = (isVerified: boolean) =>
    app.owner.pool.query(`update users set email_verified_at = ${isVerified ? 'now()' : 'null'} where email = $1`, [owner.email])
  await verify(true)
  const { key, keyId } = await app.key(owner, 'live')
  await verify(false)
  const shopApp = await app.call('POST', '/developers/apps', { token, body: { name: 'Shop', environment: 'live' } })
  const body = { app_id: shopApp.body.data.id, key_name: 'one more', scopes: ['payouts:write'] }
  const refusals = {
    'a new key': await app.call('POST', '/developers/keys', { token, body }),
    'a rolled key': await app.call('POST', `/developers/keys/${keyId}/roll`, { token }),
    'a payout by the owner': await app.call('POST', '/v1/merchant/payouts', {
      token,
      headers: { 'idempotency-key': 'one' },
      body: { amount: 5_000, phone_number: '+255754123789', recipient_name: 'Asha Mushi' },
    }),
  }
  for (const [name, answer] of Object.entries(refusals)) {
    assert.equal(short(answer), '403 email_not_verified', name)
    assert.match(answer.body.error.message, /enter the code that was mailed to you/)
  }
  assert.equal(short(await ask(app, key)), '402 insufficient_balance', 'a key that was made before is not stopped')
  const inTest = await app.key(owner, 'test')
  assert.notEqual(short(await ask(app, inTest.key)), '403 email_not_verified')
  await verify(true)
  assert.equal(short(await app.call('POST', '/developers/keys', { token, body })), '201')
  assert.equal(short(await ask(app, key)), '402 insufficient_balance')
})

test('a member is told that the representative must confirm their address, not that they must confirm their own', async (t) => {
  const app = await startTestApp(t, { settings: { LIVE_NEEDS_VERIFIED_EMAIL: 'true' } })
  const shop = await openShop(app)
  const [accountant, developer] = [
    await newMember(app, shop.owner, shop.businessId, 'accountant'),
    await newMember(app, shop.owner, shop.businessId, 'developer'),
  ]
  await app.owner.pool.query(`update users set email_verified_at = null where email = $1`, [shop.owner.email])
  const payout = (token: string) =>
    app.call('POST', `/v1/merchant/payouts?environment=live&business_id=${shop.businessId}`, {
      token,
      headers: { 'idempotency-key': 'one' },
      body: { amount: 5_000, phone_number: '+255754123789', recipient_name: 'Asha Mushi' },
    })
  const newApp = { name: 'Shop', environment: 'live', business_id: shop.businessId }
  const made = await app.call('POST', '/developers/apps', { token: developer.token, body: newApp })
  const newKey = { app_id: made.body.data.id, key_name: 'one', scopes: ['payments:read'] }
  const answers = [
    await payout(accountant.token),
    await app.call('POST', '/developers/keys', { token: developer.token, body: newKey }),
  ]
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.error.code], [403, 'email_not_verified'])
    assert.match(body.error.message, /^The representative of the business must confirm their e-mail address first/)
    assert.match(body.error.message_sw, /^Mwakilishi wa biashara lazima athibitishe kwanza barua pepe yake/)
  }
  assert.match((await payout(shop.owner.token)).body.error.message, /^Confirm your e-mail address first/)
})
