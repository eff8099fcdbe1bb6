/** Rate limits: their keys, the headers about them, and the behaviour when counting is impossible. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openContent } from '../server/base/mail/mail.ts'
import { sql, type Tx } from '../server/platform/db/db.ts'
import { fromWire, homeOfId, newMoneyId, toWire } from '../server/platform/ids.ts'
import { sweepPrompts } from '../server/collect/payments/limit-prompts.ts'
import { takePrompts, type PromptDecision } from '../server/collect/payments/prompt.sql.ts'
import { startFleet } from './fleet.ts'
import { eventually, share, startTestApp, type Answer, type TestApp } from './app.ts'

const sharedBehindProxy = share((ending) => startTestApp(ending, { settings: { TRUSTED_PROXIES: '1' } }))

const sharedApp = share((ending) => startTestApp(ending))

const short = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim()

const signIn = (app: TestApp, identifier: string, password: string, from?: string): Promise<Answer> =>
  app.call('POST', '/v1/auth/login', {
    body: { identifier, password },
    ...(from !== undefined && { headers: { 'x-forwarded-for': from } }),
  })

async function inTurn(count: number, act: () => Promise<Answer>): Promise<string[]> {
  const answers: string[] = []
  for (let index = 0; index < count; index += 1) answers.push(short(await act()))
  return answers
}

const times = (count: number, answer: string): string[] => Array.from({ length: count }, () => answer)

test('five wrong passwords close an account to one address for 15 minutes by the name that was typed, and no other account or address', async () => {
  const app = await sharedBehindProxy()
  const [asha, juma] = [await app.student(), await app.student()]
  const here = '203.0.113.7'
  assert.deepEqual(await inTurn(7, () => signIn(app, asha.email, asha.password, here)), times(7, '200'))
  const wrong = () => signIn(app, asha.email.toUpperCase(), 'wrong horse battery', here)
  assert.deepEqual(await inTurn(5, wrong), times(5, '401 invalid_credentials'))
  // The other name of the same account has a count of its own: the answers do not say which names belong together.
  assert.equal(short(await signIn(app, asha.phoneNumber, 'wrong horse battery', here)), '401 invalid_credentials')
  const refused = await signIn(app, asha.email, asha.password, here)
  assert.equal(short(refused), '429 rate_limited')
  assert.equal(refused.body.error.type, 'rate_limit')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 800 && wait <= 900, `${wait}`)
  assert.equal(refused.headers.get('ratelimit-policy'), '"sign-in";q=5;w=900')
  assert.equal(refused.headers.get('ratelimit'), `"sign-in";r=0;t=${wait}`)
  assert.equal(short(await signIn(app, juma.email, juma.password, here)), '200')
  assert.equal(short(await signIn(app, asha.email, asha.password, '203.0.113.8')), '200')
  // An account that does not exist looks the same.
  const unknown = () => signIn(app, 'unknown@example.com', 'wrong horse battery', here)
  assert.deepEqual(await inTurn(6, unknown), [...times(5, '401 invalid_credentials'), '429 rate_limited'])
})

test('the answer to a wrong password names the same limits from a network that the account knows as from any other', async (t) => {
  const app = await startTestApp(t, { settings: { TRUSTED_PROXIES: '1' } })
  const asha = await app.student()
  const home = '203.0.113.7'
  assert.equal(short(await signIn(app, asha.email, asha.password, home)), '200')
  const limitsSaid = async (identifier: string, from: string): Promise<(string | null)[]> => {
    const answer = await signIn(app, identifier, 'wrong horse battery', from)
    assert.equal(short(answer), '401 invalid_credentials')
    return [answer.headers.get('ratelimit-policy'), answer.headers.get('ratelimit')!.replace(/t=\d+/, '')]
  }
  const known = await limitsSaid(asha.email, home)
  assert.deepEqual(known, ['"sign-in";q=5;w=900', '"sign-in";r=4;'])
  assert.deepEqual(await limitsSaid(asha.email, '203.0.113.8'), known)
  assert.deepEqual(await limitsSaid('unknown@example.com', home), known)
})

test('a forwarded address is trusted only from our own proxies, and one IPv6 customer is one address', async () => {
  const direct = await sharedApp()
  const asha = await direct.student()
  let address = 0
  const forged = () => signIn(direct, asha.email, 'wrong horse battery', `203.0.113.${(address += 1)}`)
  assert.equal((await inTurn(6, forged)).at(-1), '429 rate_limited')
  const behind = await sharedBehindProxy()
  const juma = await behind.student()
  const hopping = () => signIn(behind, juma.email, 'wrong horse battery', `2001:db8:1:2::${(address += 1)}`)
  assert.equal((await inTurn(6, hopping)).at(-1), '429 rate_limited')
  assert.equal(short(await signIn(behind, juma.email, juma.password, '2001:db8:1:3::1')), '200')
})

const countsOf = (answers: string[]): Record<string, number> =>
  Object.fromEntries([...new Set(answers)].toSorted().map((answer) => [answer, answers.filter((one) => one === answer).length]))

test('one password tried at sixty accounts from one address is slowed down, then refused, and a user known at that address still signs in [A79]', async (t) => {
  const app = await startTestApp(t, { settings: { TRUSTED_PROXIES: '1' } })
  const [asha, juma] = [await app.student(), await app.student()]
  const campus = '203.0.113.7'
  assert.equal(short(await signIn(app, asha.email, asha.password, campus)), '200')
  const names = Array.from({ length: 60 }, (_, index) => (index === 0 ? juma.email : `person-${index}@example.com`))
  const startedAt = performance.now()
  const answers = await Promise.all(names.map((name) => signIn(app, name, 'mvua ya masika', campus)))
  // Twenty are answered at once; each later one waits half a second longer than the previous one, up to ten seconds.
  assert.ok(performance.now() - startedAt > 9_000)
  assert.deepEqual(countsOf(answers.map(short)), { '401 invalid_credentials': 51, '429 rate_limited': 9 })
  for (const { status, headers } of answers) if (status === 429) assert.ok(Number(headers.get('retry-after')) <= 10)
  assert.equal(short(await signIn(app, asha.email, asha.password, campus)), '200', 'a user who has signed in from there before')
  assert.equal(short(await signIn(app, juma.email, juma.password, '203.0.113.8')), '200', 'from another address')
  // A new user at that address waits for seconds and is not locked out: the next sign-in passes that many seconds after the first
  // one that passed.
  const late = { RATE_LIMIT_QUOTAS: 'sign-in-address=1/900,sign-in-address-slow=1/1' }
  const patient = await startTestApp(t, { settings: { TRUSTED_PROXIES: '1', ...late } })
  const neema = await patient.student()
  await signIn(patient, 'unknown@example.com', 'mvua ya masika', campus)
  await signIn(patient, 'unknown@example.com', 'mvua ya masika', campus)
  const passes = async () => short(await signIn(patient, neema.email, neema.password, campus)) === '200'
  await eventually('the next try passes', passes)
})

test('one account tried from sixty addresses is slowed down, then refused, and its owner signs in from a known place, or after a mailed code [A79]', async (t) => {
  const app = await startTestApp(t, { settings: { TRUSTED_PROXIES: '1' } })
  const asha = await app.student()
  const home = '198.51.100.4'
  assert.equal(short(await signIn(app, asha.email, asha.password, home)), '200')
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => signIn(app, asha.email, `mvua ya masika ${index}`, `203.0.113.${index}`)),
  )
  assert.ok(performance.now() - startedAt > 4_000)
  assert.deepEqual(countsOf(answers.map(short)), { '401 invalid_credentials': 21, '429 rate_limited': 39 })
  assert.equal(short(await signIn(app, asha.email, asha.password, home)), '200', 'where they signed in before')
  const elsewhere = '198.51.100.200'
  const refused = await signIn(app, asha.email, asha.password, elsewhere)
  assert.equal(short(refused), '429 rate_limited')
  assert.ok(Number(refused.headers.get('retry-after')) <= 30)

  await app.call('POST', '/v1/auth/password/forgot', { body: { email: asha.email } })
  const { id, sealed_content } = await eventually('a code is mailed', async () => {
    const { rows } = await app.owner.pool.query(
      `select id, sealed_content from mails where recipient = $1 and kind = 'password_reset'`,
      [asha.email],
    )
    return rows[0]
  })
  const code = /^\d{6}$/m.exec(openContent(app.deps.sealer, id, sealed_content).text)![0]
  const password = 'jua la asubuhi mapema'
  const headers = { 'x-forwarded-for': elsewhere }
  const reset = await app.call('POST', '/v1/auth/password/reset', { headers, body: { email: asha.email, code, password } })
  assert.equal(short(reset), '200')
  assert.equal(short(await signIn(app, asha.email, password, elsewhere)), '200')
})

test('of fifty sign-ins at once five are checked', async () => {
  const app = await sharedApp()
  const asha = await app.student()
  const answers = await Promise.all(Array.from({ length: 50 }, () => signIn(app, asha.email, 'wrong horse battery').then(short)))
  assert.equal(answers.filter((answer) => answer === '401 invalid_credentials').length, 5)
  assert.equal(answers.filter((answer) => answer === '429 rate_limited').length, 45)
})

test('a sign-in that could not be counted takes back no wrong password of others', async (t) => {
  const quotas = { RATE_LIMIT_QUOTAS: 'sign-in-account=2/900,sign-in-account-slow=1/900' }
  const app = await startTestApp(t, { settings: { TRUSTED_PROXIES: '1', ...quotas } })
  const asha = await app.student()
  let network = 0
  const wrong = () => signIn(app, asha.email, 'wrong horse battery', `203.0.113.${(network += 1)}`)
  assert.equal(short(await wrong()), '401 invalid_credentials')
  // The counter of the account cannot be increased for a moment.
  await app.owner.pool.query(`
    create function refuse_count() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refused before update on rate_limits for each row
      when (new.key like 'sign-in-account:%' and new.points > old.points) execute function refuse_count()`)
  assert.equal(short(await wrong()), '503 overloaded')
  await app.owner.pool.query('drop function refuse_count() cascade')
  assert.deepEqual(await inTurn(3, wrong), [...times(2, '401 invalid_credentials'), '429 rate_limited'])
})

test('two processes count the sign-ins of an account together, and the store holds no names', async (t) => {
  const { app, api } = await startFleet(t)
  const [one, other] = [await api(), await api()]
  const asha = await app.student()
  const tryAt = async (url: string): Promise<number> => {
    const response = await fetch(`${url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: asha.email, password: 'wrong horse battery' }),
    })
    return response.status
  }
  const statuses: number[] = []
  for (const { url } of [one, other, one, other, one, other, one]) statuses.push(await tryAt(url))
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
  const { rows } = await app.owner.pool.query('select key from rate_limits')
  // Besides the count: that the account was registered from this network.
  const keys = rows.map(({ key }) => key).toSorted((left, right) => left.localeCompare(right))
  assert.equal(keys.length, 2)
  assert.match(keys[0], /^known-network:[A-Za-z0-9_-]{43}$/)
  assert.match(keys[1], /^sign-in:[A-Za-z0-9_-]{43}$/)
})

test('a key is answered a hundred times a second, and each answer says how many requests remain', async (t) => {
  const app = await sharedApp()
  const { key } = await app.key(await app.student())
  const first = await app.call('GET', '/v1/balance', { key })
  assert.equal(first.headers.get('ratelimit-policy'), '"key";q=100;w=1')
  assert.equal(first.headers.get('ratelimit'), '"key";r=99;t=1')
  // In a window that also a slow machine fills.
  const slow = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'key=100/60' } })
  const asha = await slow.student()
  const [busy, idle] = [await slow.key(asha), await slow.key(asha)]
  const many = await Promise.all(Array.from({ length: 150 }, () => slow.call('GET', '/v1/balance', busy)))
  const refused = many.filter(({ status }) => status === 429)
  assert.deepEqual([many.filter(({ status }) => status === 200).length, refused.length], [100, 50])
  assert.match(refused[0]!.headers.get('retry-after')!, /^([1-9]|[1-5]\d|60)$/)
  assert.equal((await slow.call('GET', '/v1/balance', idle)).status, 200)
})

test('payers behind one IPv6 network are one address to the limits of payments', async (t) => {
  const settings = { TRUSTED_PROXIES: '1', RATE_LIMIT_QUOTAS: 'checkout=2/60,unknown-reference=2/60' }
  const app = await startTestApp(t, { settings })
  let address = 0
  const hopping = () => ({ headers: { 'x-forwarded-for': `2001:db8:1:2::${(address += 1)}` } })
  const unknown = () => app.call('GET', '/v1/payments/pay_1/status', hopping())
  assert.deepEqual(await inTurn(3, unknown), [...times(2, '404 not_found'), '429 rate_limited'])
  const checkout = () => app.call('POST', '/v1/payments/checkout', { ...hopping(), body: { slug: 'unknown' } })
  assert.deepEqual(await inTurn(3, checkout), [...times(2, '404 not_found'), '429 rate_limited'])
})

test('searches of the documentation are limited by address, typed and sent together, in both languages', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'docs-search=3/60' } })
  const search = (path: string) => app.call('GET', `/docs${path}?q=refund`)
  for (const path of ['/search.json', '/sw/search.json', '/search']) assert.equal((await search(path)).status, 200)
  for (const path of ['/sw/search', '/search.json']) assert.equal((await search(path)).status, 429, path)
  assert.equal((await app.call('GET', '/docs')).status, 200)
})

test('a status is answered 60 times a minute, and 30 unknown references are looked up', async () => {
  const app = await sharedApp()
  const page = await app.page(await app.student())
  const [paid, other] = [(await app.checkout(page.slug)).body.data, (await app.checkout(page.slug)).body.data]
  const status = (reference: string) => app.call('GET', `/v1/payments/${reference}/status`)
  const first = await status(paid.reference)
  assert.equal(first.headers.get('ratelimit-policy'), '"status";q=60;w=60')
  assert.equal(first.headers.get('ratelimit'), '"status";r=59;t=60')
  assert.deepEqual(await inTurn(59, () => status(paid.reference)), times(59, '200'))
  const refused = await status(paid.reference)
  assert.equal(short(refused), '429 rate_limited')
  assert.equal(typeof refused.body.error.message_sw, 'string')
  // Some of them have the shape of a reference, others do not.
  let turn = 0
  const unknown = () => status((turn += 1) % 2 ? toWire('pay', newMoneyId(7)) : `' or ${turn}=${turn} --`)
  assert.deepEqual(await inTurn(31, unknown), [...times(30, '404 not_found'), '429 rate_limited'])
  assert.equal(short(await status(other.reference)), '200')
})

test('a checkout is counted by its address, replays included', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student())
  const made = await app.checkout(page.slug, { idempotency_key: 'once' })
  assert.equal(made.headers.get('ratelimit-policy'), '"checkout";q=600;w=60')
  assert.equal(made.headers.get('ratelimit'), '"checkout";r=599;t=60')
  const replayed = await app.checkout(page.slug, { idempotency_key: 'once' })
  assert.equal(replayed.headers.get('ratelimit')?.split(';')[1], 'r=598')
})

test('a person gets thirty upload addresses an hour, and reads the secret of a webhook sixty times', async () => {
  const app = await sharedApp()
  const [asha, juma] = [await app.student(), await app.student()]
  const presign = (token: string) =>
    app.call('POST', '/v1/kyc/documents/presign', {
      token,
      body: { filename: 'me.jpg', content_type: 'image/jpeg', purpose: 'selfie' },
    })
  assert.deepEqual(await inTurn(31, () => presign(asha.token)), [...times(30, '200'), '429 rate_limited'])
  assert.equal(short(await presign(juma.token)), '200')
  const { appId } = await app.key(asha)
  const webhook = `/developers/apps/${appId}/webhook`
  const saved = await app.call('POST', webhook, { token: asha.token, body: { url: 'http://127.0.0.1:8999/hook' } })
  assert.equal(short(saved), '201')
  const read = () => app.call('GET', webhook, { token: asha.token })
  assert.deepEqual(await inTurn(60, read), [...times(59, '200'), '429 rate_limited'])
})

test('when nothing can be counted, sign-ins are refused and reads continue', async (t) => {
  const app = await startTestApp(t)
  const asha = await app.student()
  const page = await app.page(asha)
  const { key } = await app.key(asha)
  const { reference } = (await app.checkout(page.slug)).body.data
  await app.owner.pool.query('alter table rate_limits rename to rate_limits_away')
  const refused = await signIn(app, asha.email, asha.password)
  assert.equal(short(refused), '503 overloaded')
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.equal(short(await app.call('GET', '/v1/me', { token: asha.token })), '200')
  assert.equal(short(await app.call('GET', '/v1/balance', { key })), '200')
  assert.equal(short(await app.call('GET', `/v1/payments/${reference}/status`)), '200')
  await app.owner.pool.query('alter table rate_limits_away rename to rate_limits')
  assert.equal(short(await signIn(app, asha.email, asha.password)), '200')
})

/** The provider of the test environment is treated as one with real phones; the simulator runs it anyway. */
const realPhones = { SIMULATED_PROVIDERS: 'live' }
/** The owner of the phone has not looked yet, so the prompt stays open. */
const openPhone = '+255754000000'

test('a phone gets five prompts in ten minutes over all pages, and the sixth reaches no provider', async (t) => {
  const app = await startTestApp(t, { settings: realPhones })
  const pages = await Promise.all((await Promise.all([app.student(), app.student()])).map((one) => app.page(one)))
  const pay = (turn: number, fields = {}) => app.checkout(pages[turn % 2].slug, { idempotency_key: `key-${turn}`, ...fields })
  for (let turn = 0; turn < 5; turn += 1) {
    const { status, body } = await pay(turn)
    assert.equal(status, 201, JSON.stringify(body))
    await app.settled(body.data.reference)
  }
  const refused = await pay(5)
  assert.equal(short(refused), '429 phone_busy')
  assert.deepEqual(
    [refused.body.error.type, refused.body.error.param, refused.body.error.details.reason],
    ['rate_limit', 'phone_number', 'too_many_prompts'],
  )
  assert.equal(typeof refused.body.error.message_sw, 'string')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 570 && wait <= 600, `${wait}`)
  // However the number is written; another number is not affected.
  assert.equal(short(await pay(5, { phone_number: '0754 123 789' })), '429 phone_busy')
  assert.equal(short(await pay(6, { phone_number: '+255754123788' })), '201')
  // An earlier request gets its earlier answer.
  const replay = await pay(3)
  assert.deepEqual([short(replay), replay.headers.get('idempotency-replayed')], ['200', 'true'])
  assert.equal(short(await pay(3, { customer_name: 'Another Name' })), '422 idempotency_key_reused')
  assert.equal((await app.truth()).charges.length, 6)
  const { rows } = await app.owner.pool.query('select phone_key::text from prompts')
  assert.equal(rows.length, 6)
  for (const { phone_key } of rows) assert.match(phone_key, /^\\x[0-9a-f]{64}$/)

  await app.owner.pool.query(`update prompts set prompted_at = prompted_at - interval '10 minutes'`)
  assert.equal(short(await pay(5)), '201')
})

test('a phone gets twenty prompts in a day', async (t) => {
  const app = await startTestApp(t, { settings: realPhones })
  const page = await app.page(await app.student())
  for (let turn = 0; turn < 20; turn += 1) {
    const { status, body } = await app.checkout(page.slug)
    assert.equal(status, 201, JSON.stringify(body))
    await app.settled(body.data.reference)
    await app.owner.pool.query(`update prompts set prompted_at = prompted_at - interval '11 minutes'`)
  }
  const refused = await app.checkout(page.slug)
  assert.equal(short(refused), '429 phone_busy')
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(Math.abs(wait - (86_400 - 20 * 660)) < 60, `${wait}`)
  // The sweep keeps prompts that count and deletes those that no longer count.
  assert.equal(await sweepPrompts(app.deps, 100), 0)
  // A waiting prompt counts for its two minutes, however short the windows.
  const { config } = app.deps
  const quotas = [{ quota: 5, windowSeconds: 60 }]
  const short60 = { ...config, limits: { ...config.limits, prompts: { ...config.limits.prompts, quotas } } }
  await app.owner.pool.query(`update prompts set prompted_at = clock_now() - interval '100 seconds'`)
  assert.equal(await sweepPrompts({ db: app.db, config: short60 }, 100), 0)
  await app.owner.pool.query(`update prompts set prompted_at = prompted_at - interval '1 day'`)
  assert.deepEqual([await sweepPrompts(app.deps, 15), await sweepPrompts(app.deps, 15)], [15, 5])
})

test('one prompt of a page is open on a phone until it ends or two minutes pass; another page may send one', async (t) => {
  const app = await startTestApp(t, { settings: realPhones })
  const student = await app.student()
  const [page, other] = [await app.page(student), await app.page(student)]
  const pay = (fields = {}, slug = page.slug) => app.checkout(slug, { phone_number: openPhone, ...fields })
  assert.equal(short(await pay({ idempotency_key: 'first' })), '201')
  const refused = await pay()
  assert.deepEqual([short(refused), refused.body.error.details.reason], ['429 phone_busy', 'prompt_open'])
  assert.ok(Number(refused.headers.get('retry-after')) > 100)
  assert.equal(short(await pay({ idempotency_key: 'first' })), '200')
  assert.equal(short(await pay({}, other.slug)), '201')
  await app.owner.pool.query(`update prompts set prompted_at = prompted_at - interval '121 seconds'`)
  const second = await pay()
  assert.equal(short(second), '201')
  assert.equal(short(await pay()), '429 phone_busy')
  // It ends as declined: the next try need not wait.
  const charges = (await app.truth()).charges as { reference: string; metadata: { payment_reference?: string } }[]
  const { reference } = charges.find((charge) => JSON.stringify(charge).includes(second.body.data.reference))!
  await app.control('POST', `/charges/${reference}/answer`, { action: 'cancel' })
  await app.settled(second.body.data.reference)
  assert.equal(short(await pay()), '201')
})

test('of thirty checkouts of one page at once for one phone one is prompted, by two processes too', async (t) => {
  const { app, api } = await startFleet(t, realPhones)
  const urls = [(await api()).url, (await api()).url]
  const page = await app.page(await app.student())
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, turn) => {
      const response = await fetch(`${urls[turn % 2]}/v1/payments/checkout`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          slug: page.slug,
          phone_number: openPhone,
          customer_name: 'Juma Hamisi',
          customer_email: 'juma@example.com',
          idempotency_key: `key-${turn}`,
        }),
      })
      return response.status
    }),
  )
  assert.deepEqual(
    [statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 429).length],
    [1, 29],
  )
  assert.equal((await app.truth()).charges.length, 1)
})

test('a checkout that is refused for lack of a place is no prompt, and the phones of the simulator have no limit', async (t) => {
  const app = await startTestApp(t, { settings: realPhones })
  const student = await app.student()
  const page = await app.page(student, { max_payments: 1 })
  assert.equal(short(await app.checkout(page.slug, { phone_number: openPhone })), '201')
  const soldOut = await Promise.all(Array.from({ length: 8 }, () => app.checkout(page.slug).then(short)))
  assert.deepEqual(new Set(soldOut), new Set(['409 page_sold_out']))
  assert.equal((await app.owner.pool.query('select from prompts')).rows.length, 1)

  const live = await app.page(student, {}, 'live')
  const many = await Promise.all(Array.from({ length: 12 }, () => app.checkout(live.slug).then(short)))
  assert.deepEqual(new Set(many), new Set(['201']))
})

/** A service whose first payment waits before it is stored, until the test releases it. */
async function startHoldingApp(t: TestContext): Promise<{ app: TestApp; held: Promise<void>; letGo(): void }> {
  const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const app = await startTestApp(t, {
    settings: realPhones,
    wrap: (deps) => ({
      ...deps,
      async insertPayment(payment) {
        if (isFirst) {
          isFirst = false
          held.resolve()
          await go.promise
        }
        return deps.insertPayment(payment)
      },
    }),
  })
  // A test that fails must not leave its request hanging.
  app.beforeClose(async () => go.resolve())
  return { app, held: held.promise, letGo: go.resolve }
}

const phonesCounted = async (app: TestApp): Promise<number> =>
  (await app.owner.pool.query('select distinct phone_key from prompts')).rows.length

test('a key that is counted for one phone carries no prompt to another', async (t) => {
  const { app, held, letGo } = await startHoldingApp(t)
  const page = await app.page(await app.student())
  const pay = (fields: Record<string, unknown>) => app.checkout(page.slug, { idempotency_key: 'shared', ...fields })
  const first = pay({ phone_number: '+255754000111' })
  await held
  assert.equal(short(await pay({ phone_number: openPhone })), '422 idempotency_key_reused')
  letGo()
  assert.equal(short(await first), '201')
  assert.equal((await app.truth()).charges.length, 1)

  // An old key, no longer counted, must not fill up the phone of another person who got no prompt.
  await app.owner.pool.query('delete from prompts')
  assert.equal(short(await pay({ phone_number: openPhone })), '422 idempotency_key_reused')
  assert.equal(await phonesCounted(app), 0)
  // Two at once, for two phones, are in one batch.
  const both = ['+255754000222', '+255754000333'].map((phone_number) => pay({ idempotency_key: 'at once', phone_number }))
  assert.deepEqual((await Promise.all(both)).map(short).toSorted(), ['201', '422 idempotency_key_reused'])
  assert.equal(await phonesCounted(app), 1)
  assert.equal((await app.truth()).charges.length, 2)
})

test('a prompt stays counted, whichever of two identical requests stored its payment', async (t) => {
  const { app, held, letGo } = await startHoldingApp(t)
  const page = await app.page(await app.student())
  const pay = () => app.checkout(page.slug, { idempotency_key: 'twice', phone_number: openPhone })
  const slow = pay()
  await held
  assert.equal(short(await pay()), '201')
  letGo()
  assert.equal(short(await slow), '200')
  assert.equal(await phonesCounted(app), 1)
  assert.equal(short(await app.checkout(page.slug, { phone_number: openPhone })), '429 phone_busy')
  // An old key, no longer counted, still gets its answer while its phone is busy with another prompt.
  await app.owner.pool.query('delete from prompts')
  assert.equal(short(await app.checkout(page.slug, { phone_number: openPhone })), '201')
  assert.equal(short(await pay()), '200')
})

/** Waits until our statement waits for the end of another process's transaction. */
const waitsForALock = (app: TestApp): Promise<unknown> =>
  eventually('a statement waits for a lock', async () => {
    const { rows } = await app.owner.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  })

test('selling a place waits for another process that sells one', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { max_payments: 1 })
  const hold = (places: number) => sql`update payment_pages set held_count = held_count + ${places} where slug = ${page.slug}`
  let ours: Promise<Answer> | undefined
  await app.owner.tx(async (tx) => {
    await tx.rows(hold(1))
    ours = app.checkout(page.slug)
    await waitsForALock(app)
  })
  assert.equal(short(await ours!), '409 page_sold_out')
  await app.owner.rows(hold(-1))
})

test('counting a prompt waits for another process that counts one of the same phone', async (t) => {
  const app = await startTestApp(t, { settings: realPhones })
  const page = await app.page(await app.student())
  const prompt = (key: string) => ({
    home: homeOfId(fromWire('page', page.id)!),
    pageId: fromWire('page', page.id)!,
    idempotencyHash: Buffer.from(key),
    phoneKey: Buffer.alloc(32, 7),
  })
  const take = (tx: Tx, key: string) => takePrompts(tx, [prompt(key)], app.config.limits.prompts)
  let ours: Promise<PromptDecision[]> | undefined
  // The other process has its own pool.
  await app.owner.tx(async (tx) => {
    assert.equal((await take(tx, 'theirs'))[0]!.outcome, 'counted')
    ours = app.db.tx((other) => take(other, 'ours'))
    await waitsForALock(app)
  })
  assert.equal((await ours!)[0]!.outcome, 'open')
})

test('the form of a page says what to do when the phone is busy', async (t) => {
  const app = await startTestApp(t, {
    settings: { ...realPhones, RATE_LIMIT_QUOTAS: 'prompts-burst=2/600,prompts-day=3/86400' },
  })
  const page = await app.page(await app.student())
  const send = async (key: string, lang = 'en') => {
    const response = await fetch(`${app.config.urls.checkout}/pay/${page.slug}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({
        phone_number: openPhone,
        customer_name: 'Juma Hamisi',
        customer_email: 'juma@example.com',
        idempotency_key: key,
        lang,
      }),
    })
    return { status: response.status, wait: response.headers.get('retry-after'), text: await response.text() }
  }
  const key = (turn: number) => `f_${String(turn).repeat(22)}`
  const first = await send(key(1))
  assert.equal(first.status, 303, first.text)
  const waits = await send(key(2))
  assert.equal(waits.status, 429)
  assert.match(waits.text, /A payment request is already open on this phone/)
  await app.owner.pool.query(`update prompts set prompted_at = prompted_at - interval '121 seconds'`)
  assert.equal((await send(key(3))).status, 303)
  const often = await send(key(4))
  assert.deepEqual([often.status, Number(often.wait) > 400], [429, true])
  const minutes = Math.ceil(Number(often.wait) / 60)
  assert.ok(often.text.includes(`Too many attempts. Wait ${minutes} minutes, then try again.`), often.text)
  // The third of the day, and then hours.
  await app.owner.pool.query(`update prompts set prompted_at = prompted_at - interval '601 seconds'`)
  assert.equal((await send(key(5))).status, 303)
  await app.owner.pool.query(`update prompts set prompted_at = prompted_at - interval '601 seconds'`)
  assert.match((await send(key(6))).text, /Too many attempts\. Wait 24 hours, then try again\./)
  // "Saa 24" alone could be a time of day.
  assert.match((await send(key(7), 'sw')).text, /Umejaribu mara nyingi\. Subiri kwa muda wa saa 24, kisha ujaribu tena\./)
})
