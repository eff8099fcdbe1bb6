/**
 * The types of the API for the dashboards, from its description: every operation of a signed-in person, and every operation without
 * credentials.
 */
import {
  answersOf,
  bodyOf,
  exportedType,
  headOf,
  namesIn,
  parametersOf,
  typeOf,
  type OpenApi,
  type Operation,
} from './sdk-types.ts'

/** Integrators' programs call the other operations with a key. */
function isForDashboards({ security = [], tags = [] }: Operation): boolean {
  return !security.some((scheme) => 'apiKey' in scheme) && !tags.includes('Operations')
}

/** The parts of an operation, as the members of one type. */
function membersOf(operation: Operation): [string, string][] {
  const typed = (schema: Parameters<typeof typeOf>[0] | undefined) => schema && typeOf(schema, '    ')
  const members: [string, string | undefined][] = [
    ['params', typed(parametersOf(operation, 'path'))],
    ['query', typed(parametersOf(operation, 'query'))],
    ['body', typed(bodyOf(operation))],
    ['answer', [...new Set(answersOf(operation).map(typed))].join(' | ') || 'unknown'],
  ]
  return members.filter((member): member is [string, string] => member[1] !== undefined)
}

/** The content of `dashboard/src/api/operations.ts` for this API description. */
export function dashboardTypesOf(document: OpenApi): string {
  const named = new Set<string>()
  const note = (name: string): void => {
    if (named.has(name)) return
    named.add(name)
    namesIn(document.components.schemas[name]!).forEach(note)
  }
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ key: `${method.toUpperCase()} ${path}`, operation })),
    )
    .filter(({ operation }) => isForDashboards(operation))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  const lines = operations.map(({ key, operation }) => {
    namesIn(operation).forEach(note)
    const members = membersOf(operation).map(([name, type]) => `    ${name}: ${type}\n`)
    return `  '${key}': {\n${members.join('')}  }\n`
  })
  const schemas = [...named].toSorted().map((name) => exportedType(name, document.components.schemas[name]!))
  const head = headOf('What the dashboards may ask the API for.')
  return `${head}export type Operations = {\n${lines.join('')}}\n\n${schemas.join('\n')}`
}
