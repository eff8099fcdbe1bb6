/**
 * Writes dashboard/src/api/operations.ts, the API operations for the dashboards, from the OpenAPI description of a running
 * service: every operation of a signed-in person, and every operation without credentials.
 *
 *   npm start
 *   node scripts/generate-dashboard-types.ts [http://127.0.0.1:3000]
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { comment, queryProperty, typeOf, type OpenApi, type Schema } from './generate-sdk-types.ts'
import { readOptions } from './read-options.ts'

type Operation = OpenApi['paths'][string][string]
type Parameter = NonNullable<Operation['parameters']>[number]

const json = 'application/json'

/** Integrators' programs call the other operations with a key. */
function isForDashboards({ security = [], tags = [] }: Operation): boolean {
  return !security.some((scheme) => 'apiKey' in scheme) && !tags.includes('Operations')
}

function objectOf(parameters: Parameter[], toSchema: (parameter: Parameter) => Schema): string | undefined {
  if (parameters.length === 0) return undefined
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter.name, toSchema(parameter)]))
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return typeOf({ type: 'object', properties, required }, '    ')
}

/** The parts of an operation, as the members of one type. */
function membersOf(operation: Operation): [string, string][] {
  const { parameters = [], requestBody, responses } = operation
  const within = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const sent = requestBody?.content[json]?.schema
  const hasFields = Object.keys(sent?.properties ?? {}).length > 0
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const answer = answers.map(([, { content }]) => content?.[json]?.schema).filter((schema) => schema !== undefined)
  const members: [string, string | undefined][] = [
    ['params', objectOf(within('path'), ({ schema }) => schema)],
    ['query', objectOf(within('query'), queryProperty)],
    ['body', sent && hasFields ? typeOf(sent, '    ') : undefined],
    ['answer', answer.length === 0 ? 'unknown' : [...new Set(answer.map((schema) => typeOf(schema, '    ')))].join(' | ')],
  ]
  return members.filter((member): member is [string, string] => member[1] !== undefined)
}

/** The content of `dashboard/src/api/operations.ts` for this API description. */
export function dashboardTypesOf(document: OpenApi): string {
  const named = new Set<string>()
  const note = (text: string): void => {
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (named.has(name!)) continue
      named.add(name!)
      note(JSON.stringify(document.components.schemas[name!]))
    }
  }
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ key: `${method.toUpperCase()} ${path}`, operation })),
    )
    .filter(({ operation }) => isForDashboards(operation))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const lines = operations.map(({ key, operation }) => {
    note(JSON.stringify(operation))
    const members = membersOf(operation).map(([name, type]) => `    ${name}: ${type}\n`)
    return `  '${key}': {\n${members.join('')}  }\n`
  })
  const schemas = [...named].toSorted().map((name) => {
    const schema = document.components.schemas[name]!
    return `${comment(schema.description, '')}export type ${name} = ${typeOf(schema)}\n`
  })
  const head =
    '/** What the dashboards may ask the API for. Written by scripts/generate-dashboard-types.ts from /openapi.json: change the API, then run it again. */'
  return `${head}\n\nexport type Operations = {\n${lines.join('')}}\n\n${schemas.join('\n')}`
}

if (import.meta.main) {
  const [service = 'http://127.0.0.1:3000'] = readOptions({ allowPositionals: true }).positionals
  const response = await fetch(`${service}/openapi.json`)
  assert.equal(response.status, 200)
  const types = dashboardTypesOf((await response.json()) as OpenApi)
  writeFileSync(join(import.meta.dirname, '../dashboard/src/api/operations.ts'), types)
}
