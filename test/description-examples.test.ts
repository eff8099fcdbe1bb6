/**
 * The examples of the description for merchants, as Postman and Bruno send them after an import: each is as its schema says, and the
 * running service accepts it, or refuses it with an answer that the description has. Never is it 400.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { freshKey } from '../server/platform/http/idempotency-key.ts'
import type { OpenApi, Operation, Parameter } from '../server/views/description/document.ts'
import { share, startTestApp, type TestApp } from './app.ts'
import { paidStudent } from './fixtures/payouts.ts'
import { mustBeNone } from './must-match.ts'

const sharedApp = share((ending) => startTestApp(ending))

type Called = { path: string; method: string; operation: Operation; parameters: Parameter[] }

async function readOperations(app: TestApp): Promise<{ document: OpenApi; operations: Called[] }> {
  const document = (await app.call('GET', '/openapi-merchants.json')).body as OpenApi
  const shared = document.components!['parameters'] as Record<string, Parameter>
  const operations = Object.entries(document.paths!).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const all = (operation.parameters ?? []) as (Parameter & { $ref?: string })[]
      const parameters = all.map((one) => (one.$ref === undefined ? one : shared[one.$ref.split('/').at(-1)!]!))
      return { path, method: method.toUpperCase(), operation, parameters }
    }),
  )
  return { document, operations }
}

const exampleOf = ({ requestBody }: Operation): unknown => requestBody?.content?.['application/json']?.example

test('no two parts of the description have one name, whatever their kind', async () => {
  const { document } = await readOperations(await sharedApp())
  const names = Object.values(document.components!).flatMap((parts) => Object.keys(parts!).map((name) => name.toLowerCase()))
  assert.deepEqual(
    names.filter((name, place) => names.indexOf(name) !== place),
    [],
  )
})

test('every body has an example of real values as its schema says, and every part of an address has one', async () => {
  const { document, operations } = await readOperations(await sharedApp())
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ ...document, $id: 'api' })
  for (const { operation, path, method, parameters } of operations) {
    const { operationId, requestBody } = operation
    for (const one of parameters.filter(({ in: place }) => place === 'path'))
      assert.ok(
        (one.example !== undefined && one.example !== '…') || one.schema?.enum,
        `${operationId} ${one.name}: server/views/description/example.ts`,
      )
    const keys = parameters.filter(({ name }) => name === 'idempotency-key')
    for (const one of keys) assert.equal(one.example, freshKey, `${operationId}: a constant key would repeat the first request`)
    if (!requestBody) continue
    const example = exampleOf(operation)
    assert.ok(example !== undefined, `${operationId} has no example of its body`)
    assert.doesNotMatch(JSON.stringify(example), /"(?:string|…|)"/, `${operationId}: give its fields an example`)
    const pointer = [path, method.toLowerCase()].map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const $ref = `api#/paths/${encodeURI(pointer)}/requestBody/content/application~1json/schema`
    const validate = ajv.compile({ $ref })
    assert.ok(validate(example), `${operationId}: ${ajv.errorsText(validate.errors)}`)
  }
})

test('amounts have both bounds, the currency is TZS, and the key of a request has its form', async () => {
  const { document, operations } = await readOperations(await sharedApp())
  const resolve = (ref: string) => document.components!.schemas![ref.split('/').at(-1)!]!
  for (const { operation, parameters } of operations) {
    for (const { name, schema } of parameters)
      if (name === 'idempotency-key') assert.equal(schema!.pattern, String.raw`^[\x20-\x7e]{1,255}$`, operation.operationId)
    const schema = operation.requestBody?.content?.['application/json']?.schema
    const { properties = {} } = schema?.$ref === undefined ? (schema ?? {}) : resolve(schema.$ref)
    for (const [name, field] of Object.entries(properties)) {
      const at = `${operation.operationId} ${name}`
      if (name === 'currency') assert.deepEqual(field.enum, ['TZS'], at)
      // An invalid amount of a row becomes a row with an error.
      if (!/^(?:\w+_)?amount$/.test(name) || name === 'allow_custom_amount' || operation.operationId === 'changePayoutBatchItem')
        continue
      assert.deepEqual([field.minimum, field.maximum], [500, 10_000_000], at)
    }
  }
})

/** Refused with 400 until callers put in what only they have: uploaded files, a mailed code, a session without its cookie, a host in DNS. */
const onlyTheirs: Record<string, string> = {
  submitKyc: 'document_url_invalid',
  resetPassword: 'token_invalid',
  refreshSession: 'validation_error',
  saveWebhook: 'validation_error',
}

test('the service accepts every example, or refuses it as described: never with 400', async () => {
  const app = await sharedApp()
  const { operations } = await readOperations(app)
  const student = await paidStudent(app)
  /** What a caller has from earlier answers, by the name in an address or a body; `id` by the beginning of the example. */
  const known: Record<string, string | undefined> = {}
  const faults: string[] = []
  const now = Date.now()
  const period = { from: new Date(now - 86_400_000).toISOString(), to: new Date(now).toISOString() }

  async function send(id: string): Promise<{ status: number; data: Record<string, string> }> {
    const { path, method, operation, parameters } = operations.find(({ operation: one }) => one.operationId === id)!
    const valueOf = ({ name, example, schema }: Parameter): string => {
      const shown = (example ?? schema!.enum![0]) as string
      return known[name === 'id' ? shown.split('_')[0]! : name] ?? shown
    }
    const address = parameters
      .filter(({ in: place }) => place === 'path')
      .reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(valueOf(one))), path)
    const example = JSON.parse(JSON.stringify(exampleOf(operation)).replaceAll(freshKey, randomUUID())) as object
    const fromElsewhere = Object.entries({ ...known, ...(id === 'replayWebhookEvents' && period) })
    const body = { ...example, ...Object.fromEntries(fromElsewhere.filter(([name]) => name in example)) }
    const isOnce = parameters.some(({ name }) => name === 'idempotency-key')
    const schemes = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme))
    const answer = await app.call(method, address, {
      body,
      headers: isOnce ? { 'idempotency-key': randomUUID() } : {},
      ...(schemes.includes('apiKey') ? { key: student.key } : schemes.includes('jwt') ? { token: student.token } : {}),
    })
    const { code } = answer.body?.error ?? {}
    if ((answer.status === 400 && code !== onlyTheirs[id]) || answer.status >= 500)
      faults.push(`${id}: ${answer.status} ${JSON.stringify(answer.body.error)} to ${JSON.stringify(body)}`)
    return { status: answer.status, data: answer.body?.data ?? {} }
  }
  async function accepted(id: string): Promise<Record<string, string>> {
    const { status, data } = await send(id)
    if (status < 200 || status >= 300) faults.push(`${id} is refused: ${status}`)
    return data
  }

  const page = await accepted('createPaymentPage')
  Object.assign(known, { slug: page['slug'], id_or_slug: page['slug'] })
  for (const id of ['updatePaymentPage', 'updatePaymentPageByBody']) await accepted(id)
  // Until it ends, the phone takes no other payment.
  await app.settled((await accepted('startCheckout'))['reference']!)
  const { reference } = await accepted('createPayment')
  await app.settled(reference!)
  known['reference'] = reference
  for (const [id, name] of [
    ['createPaymentRequest', 'preq'],
    ['createRecipient', 'rcp'],
    ['createPayout', 'po'],
    ['createRefund', 'rf'],
    ['createPayoutBatch', 'pb'],
    ['createApp', 'app'],
  ] as const)
    known[name] = (await accepted(id))['id']
  known['app_id'] = known['app']
  known['key'] = (await accepted('createKey'))['id']
  const done = ['updateRecipient', 'updateApp', 'updateKey', 'changePayoutBatchItem', 'register', 'forgotPassword']
  for (const id of done) await accepted(id)
  for (const { operation } of operations) if (operation.requestBody) await send(operation.operationId!)
  mustBeNone(faults, 'Correct the examples of their fields, or server/views/description/example.ts')
})
