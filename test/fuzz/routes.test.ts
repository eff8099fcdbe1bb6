/**
 * Every route of the API, called hundreds of times by every kind of caller: correct requests made from the description and from
 * existing objects, and the same requests with one error. The answer is always one that the description lists, arrives in time, and
 * reveals nothing internal.
 *
 *   npm run test:fuzz -- --requests 500 --seed 42 --route startCheckout
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, type Places } from '../attacks/objects.ts'
import { readDescription } from '../api-description.ts'
import { createDice, type Dice } from './dice.ts'
import { badBytes, badTexts, createGenerator, spoil, worstValues, writeJson, type Named, type Schema } from './generate.ts'
import { createSender, type Sent } from './send.ts'
import { startFixtures } from './fixtures.ts'
import type { Actor, Actors, Wanted } from './fixtures/ground.ts'

const requests = Number(process.env['MALIPO_FUZZ_REQUESTS'] ?? 25)
const seed = process.env['MALIPO_FUZZ_SEED'] ?? String(Date.now() % 1_000_000)
const only = process.env['MALIPO_FUZZ_ROUTE']

type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
type Operation = {
  operationId: string
  security?: Record<string, unknown>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, unknown> }>
  servers?: unknown
}
type Route = { method: string; path: string; operation: Operation }

/** At least this share of a route's answers is a success. */
const leastSuccess = 0.2

/** Turning a switch off stops other routes, so it runs last. */
const last = ['turnSwitch']

/** Of a wallet with several members: in the account of a person no one else could approve. */
const withMembers = [
  'submitPayoutBatch',
  'submitMerchantPayoutBatch',
  'refuseMerchantPayoutBatch',
  'setApprovalRule',
  'removeApprovalRule',
  'approveApproval',
  'refuseApproval',
]

const later = (dice: Dice): string => new Date(Date.now() + dice.between(2, 300) * 86_400_000).toISOString()

/** The meaning of field names whose schema does not say everything. */
const named: Named = {
  phone_number: (dice) => `+2557${dice.pick(['54', '65', '13', '82'])}${dice.between(100_000, 999_999)}`,
  phone: (dice) => `+25522211${dice.between(1000, 9999)}`,
  email: (dice) => `${dice.word(12)}@example.com`,
  customer_email: (dice) => `${dice.word(12)}@example.com`,
  password: (dice) => `siri-${dice.word(14)}`,
  country: () => 'TZ',
  currency: () => 'TZS',
  // A caller with access to a business adds its id.
  business_id: () => undefined,
  website: (dice) => `https://${dice.word(8)}.example.com`,
  redirect_url: (dice) => `https://${dice.word(8)}.example.com/asante`,
  url: (dice) => `http://127.0.0.1:${dice.between(9000, 9999)}/hook`,
  slug: (dice) => dice.word(10),
  expires_at: later,
  cursor: () => undefined,
  created_from: (dice) => `2026-01-0${dice.between(1, 9)}T00:00:00Z`,
  created_to: later,
  allowed_ips: (dice) => (dice.chance(0.5) ? [] : ['10.0.0.0/8', '2001:db8::/32']),
  filename: () => 'kitambulisho.png',
  content_type: () => 'image/png',
  color: (dice) => dice.pick(['#0a6148', '#FFD600', '#000000']),
  national_id_number: () => '20030517-12345-00001-23',
  date_of_birth: () => '2003-05-17',
  identifier: (dice) => `${dice.word(12)}@example.com`,
  registration_number: (dice) => `BRELA-${dice.word(8)}`,
  limit: (dice) => String(dice.between(1, 100)),
  wait: () => '1',
  minutes: (dice) => String(dice.between(1, 1440)),
  size: (dice) => String(dice.pick([200, 400, 512])),
  amount: (dice) => dice.between(5000, 20_000),
  month: (dice) => `2026-0${dice.between(1, 9)}`,
  q: (dice) => dice.pick(['chai', 'Asha', '0754123789', 'example.com', 'pay_01jz8e6c9kf0x9v4m2n7q5t3ab']),
  metadata: (dice) => (dice.chance(0.5) ? {} : { darasa: dice.word(5) }),
  from: () => '2026-01-01T00:00:00Z',
  to: later,
  object: () => 'ops',
  actor: () => 'system',
  action: () => 'business.verified',
}

/** Queries that name one of the caller's own objects. */
function ownNames({ belongings }: Actor): Record<string, string> {
  return {
    app_id: belongings.appId,
    key_id: belongings.keyId,
    event_id: belongings.eventId,
    reference: belongings.reference,
    payment_page_id: belongings.pageId,
    page_id: belongings.pageId,
    owner: belongings.businessId ?? 'personal',
  }
}

/** The callers that a route is for. */
function homeOf(actors: Actors, route: Route): readonly Actor[] {
  const callers = callersOf(actors, route)
  return withMembers.includes(route.operation.operationId)
    ? callers.filter(({ belongings }) => belongings.businessId !== undefined)
    : callers
}

function callersOf(actors: Actors, { path, operation }: Route): readonly Actor[] {
  const [scheme] = Object.keys(operation.security?.[0] ?? {})
  if (scheme === undefined) return [actors.anonymous]
  // The objects that a request names, and the money that it spends, exist only in the test environment.
  const needsTest = path.includes('{') || operation.operationId.endsWith('ByBody') || operation.operationId === 'createPayout'
  if (scheme === 'apiKey') return needsTest ? actors.testKeys : actors.keys
  if (path.startsWith('/v1/admin/')) return [actors.operator]
  return path.startsWith('/v1/merchant/') ? [actors.person, actors.business] : [actors.person]
}

const accepts = [
  'application/json',
  '*/*',
  'text/html',
  '',
  'application/problem+json',
  'text/csv',
  'application/pdf',
  ';q=',
  'a'.repeat(500),
]
const oddHeaders: [name: string, values: string[]][] = [
  ['x-request-id', ['short', 'a'.repeat(65), 'req_0123456789', "' or 1=1"]],
  ['idempotency-key', ['', ' ', 'a'.repeat(256), '\u00e9', 'same', 'a\tb']],
  ['accept-language', ['sw', 'en;q=x', '*', ',,,;q=9', 'a'.repeat(2000)]],
  ['x-session-cookie', ['merchant', 'admin', 'unknown', '']],
  ['origin', ['null', 'https://evil.example', 'a']],
  ['cookie', ['malipo_merchant=x', '=;;=', `malipo_admin=${'a'.repeat(3000)}`]],
  ['authorization', ['Bearer', 'Bearer x', 'Basic YTpi', 'bearer eyJhbGciOiJub25lIn0.e30.', `Bearer ${'a'.repeat(5000)}`]],
  ['x-api-key', ['', 'svc_test_', `svc_live_${'0'.repeat(38)}`, 'x'.repeat(5000)]],
  ['x-forwarded-for', ['1.2.3.4', 'a, b', '::1']],
  ['user-agent', ['', "a'b", 'x'.repeat(3000)]],
  ['x-checkout-token', ['x', 'ct_']],
]
const contentTypes = [
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json;;',
  '',
]

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, 3000)

/** Bad values that every path parameter is tried with. */
const worstTexts = ['%00', '%FF', '%', '', '%F0%9F%98%80', 'a'.repeat(150), 'a'.repeat(3000), '-1', '9'.repeat(30)]

/** A bad value for a path parameter in place of an id. */
function badPlace(dice: Dice): string {
  return dice.chance(0.3)
    ? dice.pick([
        '%00',
        '%zz',
        '%',
        '%c0%af',
        '..',
        '.',
        '%2e%2e',
        '%2f',
        'a;b',
        'a'.repeat(201),
        '*',
        '%F0%9F%98%80',
        'fee',
        'state',
      ])
    : encoded(dice.pick(badTexts)).slice(0, 400)
}

function badQuery(dice: Dice, names: readonly string[]): string {
  const name = names.length > 0 ? dice.pick(names) : dice.word(3)
  return dice.pick([
    () => `${name}=${encoded(dice.pick(badTexts))}`,
    () => `${name}=${encoded(dice.pick(badTexts))}`,
    () => `${name}=${encoded(dice.pick(badTexts))}&${name}=1`,
    () => `${name}[]=1&${name}[a]=2`,
    () => `__proto__[a]=1&constructor=1`,
    () => `${name}=%&=&&&${name}`,
    () => `${dice.word(5)}=${dice.word(5)}`,
    () => `${name}=%00`,
    () => 'environment=live',
    () => 'business_id=biz_01jz8e6c9kf0x9v4m2n7q5t3ab',
  ])()
}

test(`the API answers every request (seed ${seed}, ${requests} requests a route)`, async (t) => {
  t.diagnostic(`seed ${seed}: npm run test:fuzz -- --seed ${seed} --requests ${requests}`)
  const fixtures = await startFixtures(t)
  const { app, actors } = fixtures
  const { body: document } = await app.call('GET', '/openapi.json')
  const sender = createSender(app.config.urls.api, readDescription(document))
  t.after(() => sender.close())
  const routes = Object.entries(document.paths as Record<string, Record<string, Operation>>)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    // The document host has operations of its own.
    .filter(({ operation }) => operation.servers === undefined)
    .filter(({ operation }) => only === undefined || only.split(',').includes(operation.operationId))
    .toSorted((a, b) => last.indexOf(a.operation.operationId) - last.indexOf(b.operation.operationId))
  let [asked, succeeded] = [0, 0]

  for (const route of routes) {
    const { method, path, operation } = route
    const name = operation.operationId
    await t.test(`${name}: ${method} ${path}`, async () => {
      const dice = createDice(`${seed} ${name}`)
      const { valid } = createGenerator(document.components.schemas, named, dice)
      const schema = operation.requestBody?.content['application/json']?.schema
      const ofQuery = (operation.parameters ?? []).filter((one) => one.in === 'query')
      const home = homeOf(actors, route)
      const tokens = new Map<Actor, string | undefined>()
      const found: string[] = []
      const counts = new Map<string, number>()
      await fixtures.renew()
      // The needs of the last correct request also apply to the wrong ones after it.
      let wanted: Wanted = {}

      /** The error of a request: in its address, its query, or its body. */
      type Wrong = { place?: string; worst?: string; query?: string; body?: (right: Record<string, unknown>) => unknown }

      function chooseWrong(): Wrong {
        const kinds = ['query', ...(path.includes('{') ? ['place', 'place'] : []), ...(schema ? ['body', 'body', 'body'] : [])]
        switch (dice.pick(kinds)) {
          case 'place':
            return { worst: badPlace(dice) }
          case 'body':
            return { body: (right) => spoil(right, dice) }
          default:
            return {
              query: badQuery(
                dice,
                ofQuery.map((one) => one.name),
              ),
            }
        }
      }

      async function write(actor: Actor, wrong: Wrong | undefined): Promise<Sent> {
        if (!wrong && home.includes(actor)) wanted = (await fixtures.wantedBy[name]?.(actor, dice)) ?? {}
        if (!tokens.has(actor)) tokens.set(actor, await actor.token?.())
        const places: Places = { ...actor.places, ...wanted.places }
        let at = addressOf(path, places, ({ id }) => encodeURIComponent(id))
        if (wrong?.worst !== undefined) {
          const parts = path.split('/')
          const named = parts.flatMap((part, index) => (part.startsWith('{') && (wrong.place ?? part) === part ? [index] : []))
          const chosen = dice.pick(named)
          at = at
            .split('/')
            .map((part, index) => (index === chosen ? wrong.worst : part))
            .join('/')
        }
        const query = new URLSearchParams()
        for (const { name: field, required, schema: of } of ofQuery) {
          const isAskers = actor.query?.[field] !== undefined
          if (isAskers || (!required && !dice.chance(0.25))) continue
          const value = ownNames(actor)[field] ?? wanted.query?.[field] ?? valid(of, field)
          if (typeof value === 'string' || typeof value === 'number') query.set(field, String(value))
        }
        const takesOwner = ofQuery.some(({ name: field }) => field === 'environment' && path.startsWith('/v1/merchant/'))
        for (const [field, value] of Object.entries({ ...(takesOwner && actor.query), ...wanted.query })) query.set(field, value)
        const token = home.includes(actor) ? (wanted.token ?? tokens.get(actor)) : tokens.get(actor)
        const headers: Record<string, string> = {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(actor.key !== undefined && { 'x-api-key': actor.key }),
          // An empty place is the address of a list, which has other forms.
          ...(dice.chance(0.2) && wrong?.worst !== '' && { accept: dice.pick(accepts) }),
          ...wanted.headers,
        }
        if (wrong && dice.chance(0.3)) {
          const [header, values] = dice.pick(oddHeaders)
          headers[header] = dice.pick(values)
        }
        const parts = [query.toString(), wrong?.query ?? ''].filter((part) => part !== '')
        const where = `${at}${parts.length > 0 ? `?${parts.join('&')}` : ''}`
        if (method === 'GET' || (!schema && (!wrong || dice.chance(0.7))))
          return { method, path: where, headers, body: undefined }
        const right = { ...((schema ? valid(schema) : {}) as Record<string, unknown>), ...wanted.body }
        headers['content-type'] = 'application/json'
        if (!wrong?.body) return { method, path: where, headers, body: writeJson(right) }
        if (dice.chance(0.1)) headers['content-type'] = dice.pick(contentTypes)
        const spoilt = writeJson(wrong.body(right))
        return { method, path: where, headers, body: dice.chance(0.15) ? badBytes(spoilt, dice) : spoilt }
      }

      async function ask(actor: Actor, wrong: Wrong | undefined, count: string): Promise<void> {
        const sent = await write(actor, wrong)
        const { answer, wrong: finding } = await sender.send(operation, sent)
        fixtures.record(name, answer)
        const isCounted = !count.startsWith('worst')
        if (isCounted) counts.set(String(answer.status), (counts.get(String(answer.status)) ?? 0) + 1)
        if (finding !== undefined) {
          const sentBody = typeof sent.body === 'string' ? sent.body : sent.body?.toString('latin1')
          found.push(
            `request ${count} of ${actor.name}: ${finding}\n  ${method} ${sent.path.slice(0, 300)}\n  ${sentBody?.slice(0, 600) ?? ''}`,
          )
        } else if (isCounted && !wrong && home.includes(actor) && answer.status >= 400) {
          const { error = answer.body } = answer.body
          const what = `right: ${answer.status} ${error.code} ${JSON.stringify(error.errors ?? '').slice(0, 200)}`
          counts.set(what, (counts.get(what) ?? 0) + 1)
        }
      }

      for (let count = 0, turn = 0; count < requests; count += 1) {
        // All callers take turns; most requests come from the callers that the route is for.
        const isOfHome = count % 10 < 7
        const actor = isOfHome ? dice.pick(home) : actors.all[turn++ % actors.all.length]!
        const isRight = isOfHome ? count % 10 < 4 : dice.chance(0.5) && !fixtures.wantedBy[name]
        await ask(actor, isRight ? undefined : chooseWrong(), String(count))
      }
      // Then every parameter with the worst values, so that none depends on chance.
      for (const worst of worstTexts) {
        for (const [place] of path.matchAll(/\{\w+\}/g)) await ask(home[0]!, { place, worst }, `worst ${place}`)
        for (const { name: field } of ofQuery) await ask(home[0]!, { query: `${field}=${worst}` }, `worst ${field}`)
      }
      for (const field of Object.keys(schema?.properties ?? {})) {
        for (const value of worstValues) {
          await ask(home[0]!, { body: (right) => ({ ...right, [field]: value }) }, `worst ${field}`)
        }
      }
      await app.deps.backgroundDone()
      for (const line of fixtures.takeFaults()) found.push(`the log: ${line.trim().slice(0, 800)}`)
      const success = [...counts].filter(([status]) => /^2\d\d$/.test(status)).reduce((sum, [, times]) => sum + times, 0)
      asked += requests
      succeeded += success
      const summary = [...counts].map(([what, times]) => `${what}: ${times}`).join(', ')
      const kinds = new Map(found.map((one) => [one.split('\n')[0]!.replaceAll(/request \d+|req_\S+|[0-9a-z]{20,}/g, ''), one]))
      assert.deepEqual([...kinds.values()], [], `${found.length} answers are wrong (${summary})`)
      assert.ok(success >= Math.floor(requests * leastSuccess), `${success} of ${requests} succeeded: ${summary}`)
    })
  }
  t.diagnostic(`${asked} requests to ${routes.length} routes, ${succeeded} of them successful`)
})
