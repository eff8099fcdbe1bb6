/** Floods of objects by one person, one merchant or one browser: each meets its limit or its cap, and no one else is affected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHub } from '../../server/accounts/live/hub.ts'
import { askProviders } from '../../server/collect/support-cases/ask-providers.ts'
import { answerCharge, openPayment } from '../fixtures/support.ts'
import { share, startTestApp, type Answer, type Student, type TestApp } from '../app.ts'
import { verifiedBusiness } from '../members.ts'
import { businessFacts } from '../onboarding.ts'

const shared = share((ending) => startTestApp(ending))

const short = ({ status, body }: Answer): string => `${status} ${body?.error?.code ?? ''}`.trim()

function countsOf(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[short(answer)] = (counts[short(answer)] ?? 0) + 1
  return counts
}

const inTurn = async (times: number, send: (turn: number) => Promise<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = []
  for (let turn = 0; turn < times; turn += 1) answers.push(await send(turn))
  return answers
}

const register = (app: TestApp, { token }: Student, turn: number) =>
  app.call('POST', '/v1/businesses', { token, body: { ...businessFacts, registration_number: `BRELA-${turn}` } })

test('a person who is not verified has three businesses at once, also when they ask for all at the same time', async () => {
  const app = await shared()
  const [asha, juma] = [await app.student({ verified: false }), await app.student({ verified: false })]
  const answers = await Promise.all(Array.from({ length: 8 }, (_, turn) => register(app, asha, turn)))
  assert.deepEqual(countsOf(answers), { '201': 3, '409 too_many_objects': 5 })
  const refused = answers.find(({ status }) => status === 409)!
  assert.deepEqual(refused.body.error.details, { of: 'businesses', most: 3 })
  assert.equal(short(await register(app, juma, 1)), '201')
})

test('seventy-two businesses by one person end at the limit of an hour', async () => {
  const app = await shared()
  const asha = await app.student()
  const answers = await inTurn(72, (turn) => register(app, asha, turn))
  assert.deepEqual(countsOf(answers), { '201': 20, '429 rate_limited': 52 })
})

test('one address gets five invitation mails a day, and one from each further business that is verified', async () => {
  const app = await shared()
  const victim = 'mwathirika@example.com'
  const answers: Answer[] = []
  let owner!: Student
  let businessId!: string
  for (let turn = 0; turn < 3; turn += 1) {
    owner = await app.student()
    businessId = (await register(app, owner, turn)).body.data.id
    const invite = (again: number) =>
      app.call('POST', `/v1/businesses/${businessId}/members`, {
        token: owner.token,
        body: { email: again % 2 ? victim.toUpperCase() : victim.replace('@', `+${again}@`), role: 'cashier' },
      })
    answers.push(...(await inTurn(4, invite)))
  }
  const { rows } = await app.owner.pool.query('select count(*)::integer as mails from mails where lower(recipient) like $1', [
    'mwathirika%',
  ])
  assert.equal(rows[0].mails, 5)
  assert.equal(countsOf(answers)['429 rate_limited'], 7)
  // The headers do not say how often others have invited this address.
  assert.ok(answers.every(({ headers }) => !headers.get('ratelimit')?.includes('address')))
  // Strangers cannot keep a person from being invited.
  const known = await app.student()
  const verified = await verifiedBusiness(app, known, await app.admin())
  const again = () =>
    app.call('POST', `/v1/businesses/${verified}/members`, { token: known.token, body: { email: victim, role: 'cashier' } })
  assert.equal(short(await again()), '201')
  assert.equal(short(await again()), '429 rate_limited')
  const other = await app.call('POST', `/v1/businesses/${businessId}/members`, {
    token: owner.token,
    body: { email: 'mwingine@example.com', role: 'cashier' },
  })
  assert.equal(short(other), '201')
})

const makeApp = (app: TestApp, { token }: Student) =>
  app.call('POST', '/developers/apps', { token, body: { name: 'Duka', environment: 'test' } })

const makeKey = (app: TestApp, { token }: Student, app_id: string) =>
  app.call('POST', '/developers/keys', { token, body: { app_id, key_name: 'k', scopes: ['balance:read'] } })

const signIn = (app: TestApp, { email, password }: Student) =>
  app.call('POST', '/v1/auth/login', { body: { identifier: email, password } })

test('a hundred and twenty apps and keys of one person end at their limits, and a repeat with its idempotency key does not count', async () => {
  const app = await shared()
  const [asha, juma] = [await app.student(), await app.student()]
  const again = () =>
    app.call('POST', '/developers/apps', {
      token: asha.token,
      headers: { 'idempotency-key': 'once' },
      body: { name: 'Duka', environment: 'test' },
    })
  assert.deepEqual(countsOf(await inTurn(10, again)), { '201': 10 })
  const apps = await inTurn(120, () => makeApp(app, asha))
  assert.deepEqual(countsOf(apps), { '201': 29, '429 rate_limited': 91 })
  const appId = apps[0]!.body.data.id as string
  assert.deepEqual(countsOf(await inTurn(120, () => makeKey(app, asha, appId))), { '201': 30, '429 rate_limited': 90 })
  assert.equal(short(await makeApp(app, juma)), '201')
})

/** The caps are reached over hours: as if all objects but one had been made before. */
async function fillAllButOne(app: TestApp, { email }: Student, most: number): Promise<string> {
  const { rows } = await app.owner.pool.query<{ id: string }>('select id from users where email = $1', [email])
  const id = rows[0]!.id
  await app.owner.pool.query(
    `insert into apps (id, merchant_id, environment, name)
     select gen_random_uuid(), $1, 'test', 'Duka' from generate_series(1, $2 - 1 - (select count(*) from apps where merchant_id = $1 and deleted_at is null))`,
    [id, most],
  )
  return id
}

test('a merchant has fifty apps and a hundred valid keys, also when two are made at the same time', async () => {
  const app = await shared()
  const asha = await app.student()
  const { appId } = await app.key(asha)
  const id = await fillAllButOne(app, asha, 50)
  const two = await Promise.all([makeApp(app, asha), makeApp(app, asha)])
  assert.deepEqual(countsOf(two), { '201': 1, '409 too_many_objects': 1 })
  const { body } = two.find(({ status }) => status === 201)!
  assert.equal(short(await app.call('DELETE', `/developers/apps/${body.data.id}`, { token: asha.token })), '200')
  assert.equal(short(await makeApp(app, asha)), '201')

  await app.owner.pool.query(
    `insert into api_keys (id, app_id, merchant_id, environment, key_name, scopes, allowed_ips, key_hash, pepper_id, last4, created_by)
     select gen_random_uuid(), k.app_id, k.merchant_id, k.environment, 'k', k.scopes, '{}', sha256(n::text::bytea), k.pepper_id, '0000', k.created_by
     from (select * from api_keys where merchant_id = $1 limit 1) k,
       generate_series(1, 99 - (select count(*) from api_keys where merchant_id = $1 and revoked_at is null)) n`,
    [id],
  )
  const keys = await Promise.all([makeKey(app, asha, appId), makeKey(app, asha, appId)])
  assert.deepEqual(countsOf(keys), { '201': 1, '409 too_many_objects': 1 })
  const made = keys.find(({ status }) => status === 201)!.body.data.id
  // A roll gives the old key time, and adds one; without this time it always works.
  const roll = (grace_seconds: number) =>
    app.call('POST', `/developers/keys/${made}/roll`, { token: asha.token, body: { grace_seconds } })
  assert.equal(short(await roll(3600)), '409 too_many_objects')
  assert.equal(short(await app.call('DELETE', `/developers/keys/${made}`, { token: asha.token })), '200')
  assert.equal(short(await makeKey(app, asha, appId)), '201')
})

test('a person has thirty sessions: the one that was unused for longest ends, and no other one', async () => {
  const app = await shared()
  const [asha, juma] = [await app.student(), await app.student()]
  const sessions = await inTurn(30, () => signIn(app, asha))
  // The first one, of the registration, has ended.
  assert.equal(short(await app.call('GET', '/v1/me', { token: asha.token })), '401 session_inactive')
  const alive = await inTurn(30, (turn) => app.call('GET', '/v1/me', { token: sessions[turn]!.body.data.access_token }))
  assert.deepEqual(countsOf(alive), { '200': 30 })
  assert.equal((await app.call('GET', '/v1/me', { token: juma.token })).status, 200)
})

test('a wallet makes 120 payment requests and saves 60 recipients a minute', async () => {
  const app = await shared()
  const [asha, juma] = [await app.student(), await app.student()]
  const ask = ({ token }: Student) =>
    app.call('POST', '/v1/merchant/payment-requests?environment=test', { token, body: { amount: 1500, title: 'Oda' } })
  const save = ({ token }: Student, turn: number) =>
    app.call('POST', '/v1/merchant/recipients?environment=test', {
      token,
      body: { name: 'Asha', phone_number: `+255754${String(turn).padStart(6, '0')}` },
    })
  assert.deepEqual(countsOf(await inTurn(150, () => ask(asha))), { '201': 120, '429 rate_limited': 30 })
  assert.deepEqual(countsOf(await inTurn(150, (turn) => save(asha, turn))), { '201': 60, '429 rate_limited': 90 })
  assert.equal(short(await ask(juma)), '201')
  assert.equal(short(await save(juma, 1)), '201')
})

/** A checkout on the page itself, as a browser sends it, and its cookies by the path that they are for. */
async function payInBrowser(
  app: TestApp,
  slug: string,
  phone_number: string,
): Promise<{ reference: string; cookieOf(path: string): string }> {
  const fields = {
    phone_number,
    customer_name: 'Juma',
    customer_email: 'juma@example.com',
    idempotency_key: `f_${'x'.repeat(22)}`,
    lang: 'en',
  }
  const sent = await app.api.checkout.inject({
    method: 'POST',
    url: `/pay/${slug}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })
  assert.equal(sent.statusCode, 303, sent.payload)
  const cookies = [sent.headers['set-cookie'] ?? []].flat()
  const cookieOf = (path: string): string =>
    cookies
      .filter((one) => path.startsWith(/Path=([^;]+)/.exec(one)![1]!))
      .map((one) => one.split(';')[0]!)
      .join('; ')
  return { reference: /pay_\w+/.exec(sent.headers.location as string)![0], cookieOf }
}

test('thirty reports without proof are one row for operators, and that of the payer’s browser is its own and goes on at once', async (t) => {
  const settings = {
    SNIPPE_TEST_REQUESTS_PER_MINUTE: '6000',
    RATE_LIMIT_QUOTAS: 'support-case-address=30/3600,support-case=2/86400',
  }
  const app = await startTestApp(t, { settings })
  const [admin, { slug }] = [await app.admin(), await app.page(await app.student())]
  const report = async (reference: string, number: number, cookie?: string) => {
    const from = { remoteAddress: '10.0.0.9', headers: { ...(cookie !== undefined && { cookie }) } }
    const answer = await app.api.checkout.inject({
      ...from,
      method: 'POST',
      url: `/c/new/${reference}`,
      headers: { ...from.headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ lang: 'en', sms_number: `S46121174${number}` }).toString(),
    })
    const { location } = answer.headers
    if (cookie === undefined || !String(location).includes('form=again')) return answer
    // A browser with cookies sees a refusal on the page behind a redirect.
    const [kept] = String(answer.headers['set-cookie']).split(';')
    return app.api.checkout.inject({ ...from, url: String(location), headers: { cookie: `${cookie}; ${kept}` } })
  }
  const payer = await payInBrowser(app, slug, '+255754299129')
  const proof = payer.cookieOf(`/c/new/${payer.reference}`)
  const references: string[] = []
  for (let turn = 0; turn < 28; turn += 1)
    references.push(await openPayment(app, slug, { phone_number: `+2557542${String(turn).padStart(2, '0')}129` }))
  for (const reference of [...references, payer.reference]) await answerCharge(app, reference, 'expire')
  // Strangers use up the quota of the payment and that of the address.
  const strangers = [...references, payer.reference, payer.reference]
  for (const [turn, reference] of strangers.entries()) assert.equal((await report(reference, 100 + turn)).statusCode, 303)
  assert.equal((await report(payer.reference, 200)).statusCode, 429)
  assert.equal((await report(references[0]!, 201)).statusCode, 429)
  assert.equal((await report(payer.reference, 202, proof)).statusCode, 303)
  assert.match((await report(references[0]!, 203, proof)).body, /Too many attempts/, 'the cookie of another payment is no proof')

  while ((await askProviders(app.deps, 100)) > 0);
  const list = async (query: string): Promise<any[]> => {
    const { status, body } = await app.call('GET', `/v1/admin/support-cases?state=with_operators${query}`, { token: admin.token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  const rows = await list('')
  assert.deepEqual(
    rows.map(({ sms_number, alike }) => [sms_number, alike]),
    [
      ['S46121174202', 1],
      ['S46121174100', 30],
    ],
  )
  assert.equal((await list(`&like=${rows[1].id}&limit=50`)).length, 30)
  // The same number again from the browser that paid is a case of its own from then on.
  assert.equal((await report(payer.reference, 128, proof)).statusCode, 303)
  assert.deepEqual(
    (await list('')).map(({ sms_number, alike }) => [sms_number, alike]),
    [
      ['S46121174202', 1],
      ['S46121174128', 1],
      ['S46121174100', 29],
    ],
  )
  assert.deepEqual(await list(`&like=${rows[0].id}`), [])
})

test('the streams of all sessions of one person end but for the newest, and the seven windows of another person stay open', async (t) => {
  const app = await shared()
  const [asha, juma] = [await app.student(), await app.student()]
  await inTurn(29, () => signIn(app, asha))
  // The hub itself, so that hundreds of streams need no sockets.
  const hub = createHub(app.deps)
  t.after(() => hub.drain())
  async function openAll({ email }: Student, perSession: number): Promise<(string | undefined)[]> {
    const { rows } = await app.owner.pool.query<{ sessionId: string; userId: string }>(
      `select s.id as "sessionId", s.user_id as "userId" from sessions s join users u on u.id = s.user_id where u.email = $1 and s.revoked_at is null`,
      [email],
    )
    const ends: (string | undefined)[] = []
    const openOne = (caller: { sessionId: string; userId: string }) => {
      const place = ends.push(undefined) - 1
      const listener = { tell: () => undefined, end: (reason: string) => void (ends[place] = reason) }
      return hub.open({ ...caller, isOperator: false, endsAt: Date.now() + 900_000 }, undefined, listener)
    }
    await Promise.all(rows.flatMap((row) => Array.from({ length: perSession }, () => openOne(row))))
    return ends
  }
  const windows = await openAll(juma, 7)
  assert.equal(windows.length, 7)
  const flood = await openAll(asha, 11)
  assert.equal(flood.length, 330)
  // The newest twenty, at most eight of one session.
  assert.equal(flood.filter((reason) => reason === undefined).length, 16)
  assert.equal(flood.at(-1), undefined)
  assert.equal(flood.filter((reason) => reason === 'replaced').length, 314)
  assert.deepEqual([...new Set(windows)], [undefined])
})

test('guesses of slugs by one network are slowed, and no answer or its time tells whether the page exists', async () => {
  const app = await shared()
  const { slug } = await app.page(await app.student())
  const ways = [
    { server: app.api.api, url: (name: string) => `/v1/pay/${name}`, from: '10.0.0.1' },
    { server: app.api.checkout, url: (name: string) => `/pay/${name}`, from: '10.0.0.2' },
  ]
  for (const { server, url, from } of ways) {
    const look = async (name: string, remoteAddress = from): Promise<{ status: number; ms: number }> => {
      const startedAt = performance.now()
      const { statusCode: status } = await server.inject({ method: 'GET', url: url(name), remoteAddress })
      // The machine is busy with the burst before.
      return status === 503 ? sleep(200).then(() => look(name, remoteAddress)) : { status, ms: performance.now() - startedAt }
    }
    const guesses = await Promise.all(Array.from({ length: 50 }, (_, turn) => look(`kisio-${turn}`)))
    assert.deepEqual([...new Set(guesses.map(({ status }) => status))], [404])
    const [hit, miss, elsewhere] = await Promise.all([look(slug), look('kisio'), look(slug, '10.0.0.9')])
    assert.deepEqual([hit.status, miss.status, elsewhere.status], [200, 404, 200])
    assert.ok(hit.ms > 1_900 && miss.ms > 1_900 && elsewhere.ms < 1_000, JSON.stringify([hit, miss, elsewhere]))
    const many = await Promise.all(Array.from({ length: 150 }, () => look('kisio')))
    assert.deepEqual(new Set(many.map(({ status }) => status)), new Set([404, 429]))
  }
})
