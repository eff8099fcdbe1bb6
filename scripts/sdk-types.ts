/**
 * The types of `@malipo/sdk`, from the description of the API: only those that its sources import, so that changes in the rest of the
 * API do not affect it.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventTypes } from '../server/domain/webhook.ts'
import type { Schema } from '../server/views/description/schema.ts'

type Parameter = { name: string; in: string; required?: boolean; schema: Schema; description?: string }

export type Operation = {
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

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`
}

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

/** The parameters of an operation in this place, as one object. */
export function parametersOf({ parameters = [] }: Operation, place: 'path' | 'query'): Schema | undefined {
  const placed = parameters.filter((parameter) => parameter.in === place)
  if (placed.length === 0) return undefined
  // The names of a path say enough.
  const toSchema = ({ schema, description = schema.description }: Parameter): Schema =>
    place === 'path' ? schema : { ...schema, description }
  const properties = Object.fromEntries(placed.map((parameter) => [parameter.name, toSchema(parameter)]))
  return { type: 'object', properties, required: placed.filter(({ required }) => required).map(({ name }) => name) }
}

/** The body that an operation needs. A body that may only be empty is not sent at all. */
export function bodyOf({ requestBody }: Operation): Schema | undefined {
  const sent = requestBody?.content[json]?.schema
  return Object.keys(sent?.properties ?? {}).length > 0 ? sent : undefined
}

/** What an operation answers when it succeeds. */
export function answersOf({ responses }: Operation): Schema[] {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return answers.map(([, { content }]) => content?.[json]?.schema).filter((schema) => schema !== undefined)
}

/** The names of the schemas that a part of the description refers to. */
export function namesIn(part: Operation | Schema | Schema[]): string[] {
  return [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)
}

/** The first line of a generated file. */
export const headOf = (subject: string): string =>
  `/** ${subject} Written by \`npm run generate\` from the description of the API: change the API, then run it again. */\n\n`

export const exportedType = (name: string, schema: Schema): string =>
  `${comment(schema.description, '')}export type ${name} = ${typeOf(schema)}\n`

const sdkFolder = join(import.meta.dirname, '../sdk/src')

/** `ListPaymentsQuery`, `CreatePaymentBody`, `Payment`, … */
function importedTypes(): string[] {
  const sources = globSync('*.ts', { cwd: sdkFolder }).map((file) => readFileSync(join(sdkFolder, file), 'utf8'))
  const lists = sources.flatMap((text) => [...text.matchAll(/type \{([^}]+)\} from '\.\/api-types\.js'/g)])
  return lists.flatMap(([, names]) => names!.replaceAll(/\/\/.*| as \w+/g, '').match(/\w+/g)!)
}

/** The schema of a type that is named by its operation, as `ListPaymentsQuery` is, or by itself. */
function schemaOf(name: string, { paths, components }: OpenApi): Schema {
  const [, id, part] = /^(\w+)(Query|Body)$/.exec(name) ?? []
  const operation = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => id !== undefined && capitalised(operationId) === id)
  const ofOperation = operation && (part === 'Query' ? parametersOf(operation, 'query') : bodyOf(operation))
  const schema = ofOperation ?? components.schemas[name]
  assert.ok(schema, `sdk/src imports ${name}, which the API does not describe`)
  return schema
}

/** The content of `sdk/src/api-types.ts` for this API description. */
export function sdkTypesOf(document: OpenApi): string {
  const types = new Map<string, string>()
  const add = (name: string): void => {
    if (types.has(name)) return
    const schema = schemaOf(name, document)
    types.set(name, exportedType(name, schema))
    namesIn(schema).forEach(add)
  }
  importedTypes().forEach(add)
  const sorted = [...types].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text)
  const listed = `/** Every type of event that this version knows. The service may send newer ones to a webhook that has chosen \`*\`. */
export const eventTypes: Event['type'][] = [${eventTypes.map(literal).join(', ')}]
`
  return `${headOf('The types of the API.')}${sorted.join('\n')}\n${listed}`
}
