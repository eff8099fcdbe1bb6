/**
 * Writes sdk/src/api-types.ts, the types of `@malipo/sdk`, from the OpenAPI description of a running service. It contains only
 * the operations that the SDK calls, so that changes in the rest of the API do not affect it.
 *
 *   npm start
 *   node scripts/generate-sdk-types.ts [http://127.0.0.1:3000]
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions } from './read-options.ts'

/** The operations that the SDK calls. */
const operationIds = [
  'getProfile',
  'getBalance',
  'listTransactions',
  'createPaymentPage',
  'listPaymentPages',
  'getPaymentPage',
  'updatePaymentPage',
  'createPaymentRequest',
  'listPaymentRequests',
  'getPaymentRequest',
  'cancelPaymentRequest',
  'startCheckout',
  'getPaymentStatus',
  'createPayment',
  'listPayments',
  'getPayment',
  'createPayout',
  'listPayouts',
  'getPayout',
  'getPayoutFee',
  'cancelPayout',
  'createPayoutBatch',
  'listPayoutBatches',
  'getPayoutBatch',
  'listPayoutBatchItems',
  'changePayoutBatchItem',
  'submitPayoutBatch',
  'stopPayoutBatch',
  'deletePayoutBatch',
  'createRecipient',
  'listRecipients',
  'getRecipient',
  'updateRecipient',
  'deleteRecipient',
  'createRefund',
  'listRefunds',
  'getRefund',
  'cancelRefund',
  'listEvents',
  'resendEvent',
]

/** Schemas that the SDK uses in addition to those of the answers. */
const alsoNamed = ['ErrorAnswer']

export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  pattern?: string
  description?: string
}

type Parameter = { name: string; in: string; required?: boolean; schema: Schema; description?: string }

type Operation = {
  operationId: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

export type OpenApi = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const json = 'application/json'

const schemaPrefix = '#/components/schemas/'

const capitalised = (name: string): string => name[0]!.toUpperCase() + name.slice(1)

export function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`
}

/** A JSON value as a literal type. */
function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'` : JSON.stringify(value)
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ')
}

function objectOf(schema: Schema, indent: string): string {
  const inner = `${indent}  `
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) {
    const { additionalProperties: values } = schema
    return typeof values === 'object' && Object.keys(values).length > 0
      ? `Record<string, ${typeOf(values, indent)}>`
      : 'Record<string, unknown>'
  }
  const lines = properties.map(([name, property]) => {
    const optional = schema.required?.includes(name) ? '' : '?'
    return `${comment(property.description, inner)}${inner}${name}${optional}: ${typeOf(property, inner)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

/** A schema as a TypeScript type; throws for an unknown kind of schema. */
export function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) {
    assert.ok(schema.$ref.startsWith(schemaPrefix), schema.$ref)
    return schema.$ref.slice(schemaPrefix.length)
  }
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal))
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return union(choices.map((choice) => typeOf(choice, indent)))
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)))
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const items = typeOf(schema.items ?? {}, indent)
      return items.includes(' | ') ? `(${items})[]` : `${items}[]`
    }
    case 'object':
      return objectOf(schema, indent)
    case undefined:
      assert.deepEqual(Object.keys(schema), [], `a schema without a type: ${JSON.stringify(schema)}`)
      return 'unknown'
    default:
      assert.fail(`a schema of type ${schema.type}`)
  }
}

/** The type of a query parameter, with its description. */
export function queryProperty({ schema, description }: Parameter): Schema {
  return { ...schema, description: description ?? schema.description }
}

/** The content of `sdk/src/api-types.ts` for this API description. */
export function sdkTypesOf(document: OpenApi): string {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const types = new Map<string, string>()
  const add = (name: string, schema: Schema): void => {
    const type = typeOf(schema)
    types.set(name, `${comment(schema.description, '')}export type ${name} = ${type}\n`)
    for (const [, referred] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) addNamed(referred!)
  }
  const addNamed = (name: string): void => {
    if (!types.has(name)) add(name, document.components.schemas[name]!)
  }
  for (const id of operationIds) {
    const operation = operations.find(({ operationId }) => operationId === id)
    // A route that this service does not have yet has no types.
    if (!operation) continue
    const query = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? []
    if (query.length > 0) {
      const properties = Object.fromEntries(query.map((parameter) => [parameter.name, queryProperty(parameter)]))
      const required = query.filter((parameter) => parameter.required).map(({ name }) => name)
      add(`${capitalised(id)}Query`, { type: 'object', properties, required })
    }
    const sent = operation.requestBody?.content[json]!.schema
    // A body that may only be empty is not sent at all.
    if (sent && Object.keys(sent.properties ?? {}).length > 0) add(`${capitalised(id)}Body`, sent)
    const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
    for (const [, { content }] of answers) {
      for (const [, name] of JSON.stringify(content?.[json] ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)) addNamed(name!)
    }
  }
  for (const name of alsoNamed) addNamed(name)
  const sorted = [...types].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text)
  return `/** The types of the API. Written by scripts/generate-sdk-types.ts from /openapi.json: change the API, then run it again. */\n\n${sorted.join('\n')}`
}

if (import.meta.main) {
  const [service = 'http://127.0.0.1:3000'] = readOptions({ allowPositionals: true }).positionals
  const response = await fetch(`${service}/openapi.json`)
  assert.equal(response.status, 200)
  const types = sdkTypesOf((await response.json()) as OpenApi)
  writeFileSync(join(import.meta.dirname, '../sdk/src/api-types.ts'), types)
}
