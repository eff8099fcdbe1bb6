/**
 * The rules for every operation and schema of the description, so that generated clients are right in every language. A new route
 * has to comply; each message says how.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { errorCodes } from '../server/views/description/error-codes.ts'
import { errorTypeOf } from '../server/platform/http/http-errors.ts'
import { isForPrograms, operationsOf, type OpenApi, type Operation } from '../server/views/description/document.ts'
import { pascal } from '../server/views/description/compact.ts'
import { walk, type Schema } from '../server/views/description/schema.ts'
import { eventually, share, startTestApp } from './app.ts'
import { mustBeNone, mustFit } from './must-match.ts'

const sharedApp = share((ending) => startTestApp(ending))

let document: OpenApi
let operations: Operation[]
before(async () => {
  const app = await sharedApp()
  // A busy machine may refuse for a moment.
  document = await eventually('the description is answered', async () => {
    const { status, body } = await app.call('GET', '/openapi.json')
    return status === 200 && body
  })
  operations = operationsOf(document)
})

type Place = { at: string; schema: Schema }

/** Every schema of the document, with the operation or the named schema that contains it. */
function allSchemas(): Place[] {
  const places: Place[] = []
  const add = (at: string, schema: Schema | undefined): void => {
    if (schema) walk(schema, (inner) => places.push({ at, schema: inner }))
  }
  for (const [name, schema] of Object.entries(document.components!.schemas!)) add(name, schema)
  for (const { operationId, parameters = [], requestBody, responses = {} } of operations) {
    for (const { name, schema } of parameters) add(`${operationId} ${name}`, schema)
    for (const { schema } of Object.values(requestBody?.content ?? {})) add(`${operationId} body`, schema)
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const { schema } of Object.values(content)) add(`${operationId} ${status}`, schema)
    }
  }
  return places
}

const typesOf = ({ type }: Schema): string[] => [type ?? []].flat()

test('an operation for keys names the one scope that it demands, and every operation says in words who may call it', () => {
  for (const { operationId, security, description } of Object.values(document.paths!).flatMap(Object.values)) {
    const [scheme] = security as Record<string, string[]>[]
    if (scheme && 'apiKey' in scheme) {
      assert.equal(scheme['apiKey']!.length, 1, `${operationId}: its onRequest hook has to be auth.require(scope) or requireKey`)
      const [scope] = scheme['apiKey']!
      assert.ok(description.includes(`scope \`${scope}\``), `${operationId}: its description has to name the scope ${scope}`)
    }
    assert.match(
      description,
      /^Requires .*\.$/m,
      `${operationId}: its description lacks the sentence of server/views/description/reference.ts about who may call it`,
    )
  }
})

test('an operation that names no object describes 404 only if its route declares it', () => {
  const namesNothing = ({ security = [], parameters = [] }: Operation): boolean =>
    security.some((scheme) => 'apiKey' in scheme) && !parameters.some((one) => one.in === 'path')
  // The body names a page, the query a payment.
  const naming = ['updatePaymentPageByBody', 'getPayoutFee']
  const with404 = operations.filter((one) => namesNothing(one) && '404' in one.responses!).map((one) => one.operationId!)
  assert.deepEqual(with404, naming)
})

test('a number in a query is an integer with bounds', () => {
  for (const { operationId, parameters = [] } of operations) {
    for (const { name, schema } of parameters) {
      const at = `${operationId} ${name}: use wholeNumber(least, most)`
      assert.ok(!schema?.pattern?.includes(String.raw`\d{1,15}`), at)
      if (/^(limit|wait|minutes|size)$|amount|seconds/.test(name)) assert.deepEqual(typesOf(schema!), ['integer'], at)
      if (!typesOf(schema!).includes('integer')) continue
      assert.ok(schema!.minimum !== undefined && schema!.maximum !== undefined, at)
    }
  }
})

test('a time is a date-time, a day is a date, and an amount a whole number', () => {
  for (const { at, schema } of allSchemas()) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const formats = JSON.stringify(field, (key, value) => (key === 'description' ? undefined : value))
      if (/(_at|_since|_until|_from|_to|^since|^as_of)$/.test(name) && typesOf(field).includes('string')) {
        assert.match(formats, /"format":"date(-time)?"/, `${at} ${name}: use z.iso.datetime(), or moment in a body`)
      }
      if (/^(?!allow_).*amount$/.test(name)) assert.match(formats, /"integer"/, `${at} ${name}: use z.int()`)
    }
  }
})

test('the amounts of a page and of a checkout begin at TZS 500', () => {
  for (const id of ['createPaymentPage', 'updatePaymentPage', 'startCheckout']) {
    const { properties } = operations.find(({ operationId }) => operationId === id)!.requestBody!.content!['application/json']!
      .schema!
    for (const [name, field] of Object.entries(properties!).filter(
      ([key]) => key.endsWith('amount') && !key.startsWith('allow'),
    )) {
      assert.equal(field.minimum, 500, `${id} ${name}`)
    }
  }
})

test('every pattern means the same in JavaScript, Python, PHP and Java', () => {
  for (const { at, schema } of allSchemas()) {
    if (schema.pattern === undefined) continue
    assert.doesNotMatch(
      schema.pattern,
      /\\[pPuA-Zkx](?![0-9a-f]{2})|\(\?(?!:)/,
      `${at}: use .refine() where a pattern needs more: ${schema.pattern}`,
    )
    assert.doesNotThrow(() => new RegExp(schema.pattern!), at)
  }
})

test('answers accept new fields, and whole numbers name their size', () => {
  for (const { at, schema } of allSchemas()) {
    const isAnswer = / \d{3}$/.test(at)
    if (isAnswer) assert.notEqual(schema.additionalProperties, false, `${at}: use z.object, not z.strictObject, for an answer`)
    if (typesOf(schema).includes('integer') && (schema.maximum ?? Infinity) > 2 ** 31)
      assert.equal(schema.format, 'int64', `${at}: give its whole number .max(…) or the format int64`)
  }
})

test('the groups of operations come in the order in which integrators need them, each with its purpose', () => {
  const names = document.tags!.map(({ name }) => name)
  assert.equal(names[0], 'Payments')
  assert.ok(names.indexOf('Webhooks') < names.indexOf('Wallet') && names.indexOf('Payouts') < names.indexOf('Apps and keys'))
  assert.equal(names.at(-1), 'Operations')
  for (const { name, description } of document.tags!)
    assert.match(description!, /\.$/, `${name}: describe the group in a sentence, in server/views/description/document.ts`)
})

test('every refusal names its codes, each with an example of its type, and every code has its meaning', () => {
  const { responses: shared, examples } = document.components!
  const used = new Set<string>()
  for (const { operationId, responses = {} } of Object.values(document.paths!).flatMap(Object.values) as Operation[]) {
    for (const [status, direct] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      const answer = direct.$ref === undefined ? direct : shared![direct.$ref.split('/').at(-1)!]!
      const codes = Object.entries(answer.content!['application/json']!.examples!)
      assert.ok(codes.length > 0, `${operationId} ${status}: declare its codes in \`refuses\` of its route`)
      for (const [code, { $ref }] of codes) {
        used.add(code)
        const { error } = examples![$ref.split('/').at(-1)!]!.value as { error: { code: string; type: string } }
        assert.deepEqual([error.code, error.type], [code, errorTypeOf(Number(status), code)], `${operationId} ${status}`)
      }
    }
  }
  mustBeNone(
    [...used].filter((code) => !(code in errorCodes)),
    'Explain these codes in server/views/description/error-codes.ts',
  )
})

test('the description for merchants has no operators’ route and no part that it does not use, and stays small', async () => {
  const { config } = await sharedApp()
  const text = await (await fetch(`${config.urls.api}/openapi-merchants.json`)).text()
  const part = JSON.parse(text) as OpenApi
  assert.ok(!Object.keys(part.paths!).some((path) => path.startsWith('/v1/admin') || path === '/livez'))
  for (const { tags = [] } of operationsOf(part)) assert.ok(!tags.includes('Operators'))
  for (const [kind, parts] of Object.entries(part.components!)) {
    if (kind === 'securitySchemes') continue
    for (const name of Object.keys(parts!))
      assert.ok(
        text.includes(`"#/components/${kind}/${name}"`),
        `nothing uses ${kind}/${name}: server/views/description/document.ts`,
      )
  }
  mustFit(
    '/openapi-merchants.json',
    { size: Buffer.byteLength(text), limit: 374 * 1024, unit: 'bytes' },
    'Shorten descriptions or name a repeated schema (server/views/description/compact.ts). The limit is in test/openapi-rules.test.ts; raise it in a commit that says what integrators get for it',
  )
  const left = new Set(operationsOf(part).map(({ operationId }) => operationId))
  const missing = operations.filter((operation) => isForPrograms(operation) && !left.has(operation.operationId))
  mustBeNone(
    missing.map(({ operationId }) => operationId!),
    'An integrator can call these, but /openapi-merchants.json lacks them: see forMerchants of server/views/description/document.ts',
  )
})

test('the description for merchants has nothing that a generator of clients is known to get wrong', async () => {
  const { config } = await sharedApp()
  const part = (await (await fetch(`${config.urls.api}/openapi-merchants.json`)).json()) as OpenApi
  const tagsOf = (places: OpenApi['paths']) =>
    new Set(Object.values(places!).flatMap((methods) => Object.values(methods).flatMap(({ tags = [] }) => tags)))
  const ofOperations = tagsOf(part.paths)
  const both = [...tagsOf(part.webhooks)].filter((tag) => ofOperations.has(tag))
  assert.deepEqual(both, [], 'PHP and Java have one class for each tag: that of the webhooks would replace the other')
  const { schemas, responses } = part.components!
  assert.ok(!('Error' in schemas!), 'PHP, Java and TypeScript have an Error of their own')
  assert.ok(
    !JSON.stringify(part.webhooks).includes('#/components/parameters/'),
    'Go (oapi-codegen) loses a shared parameter that only webhooks have',
  )
  const values = new Set<string>()
  const noteValues = (inner: Schema): void => inner.enum?.forEach((value) => values.add(String(value)))
  for (const schema of Object.values(schemas!)) walk(schema, noteValues)
  mustBeNone(
    Object.keys(schemas!).filter((name) => schemas![name]!.enum && [...values].some((value) => pascal(value) === name)),
    'Go has a constant with the name of each value: give these enumerations other names (server/views/description/compact.ts)',
  )
  const answers = [
    ...Object.values(responses!),
    ...operationsOf(part).flatMap((operation) => Object.values(operation.responses!)),
  ]
  for (const { content = {} } of answers) {
    assert.ok(Object.keys(content).length <= 1, 'types of answers would be unions of all forms')
  }
  for (const [name, schema] of Object.entries(schemas!)) {
    walk(schema, (inner) => {
      const [only, ...others] = inner.anyOf?.filter(({ type }) => type !== 'null') ?? []
      if (others.length === 0 && only?.additionalProperties)
        assert.ok(only.$ref, `${name}: generators would name this map after its place in the choice`)
      assert.notEqual(typeof (inner.const ?? inner.enum?.[0]), 'boolean', `${name}: Java writes such a constant as a text`)
      for (const [field, { type }] of Object.entries(inner.properties ?? {}))
        assert.notEqual(type, 'null', `${name} ${field}: Java has no type that is only null`)
    })
  }
})

test('a key that only the header can carry is a required header', () => {
  const asked = operations.filter(({ responses = {} }) =>
    JSON.stringify(responses['400'] ?? '').includes('idempotency_key_required'),
  )
  assert.ok(asked.length >= 4)
  for (const { operationId, parameters = [], requestBody } of asked) {
    const isInBody = 'idempotency_key' in (requestBody?.content?.['application/json']?.schema?.properties ?? {})
    assert.equal(
      parameters.find(({ name }) => name === 'idempotency-key')?.required,
      !isInBody,
      `${operationId}: its idempotency-key header is required unless the body may carry the key`,
    )
  }
})
