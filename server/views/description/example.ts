/** Values that a schema describes: what its fields name as examples, or the plainest value of their type. */
import type { OpenApi } from './document.ts'
import type { Schema } from './schema.ts'

/** A schema, or the named one that it refers to. */
export function resolved(schema: Schema, { components }: OpenApi): Schema {
  const { $ref, ...own } = schema
  return $ref === undefined ? schema : { ...resolved(components!.schemas![$ref.split('/').at(-1)!]!, { components }), ...own }
}

export const typesOf = ({ type }: Schema): string[] => [type ?? []].flat()

const byFormat: Record<string, string> = {
  'date-time': '2026-01-25T09:30:00.000Z',
  date: '2026-01-25',
  email: 'juma@example.com',
  uri: 'https://shop.example',
}

/**
 * The value of an answer has all fields. That of a request has only those that it needs, and those whose schema names an example.
 * A text without an example is `…`.
 */
export function exampleOf(given: Schema, document: OpenApi, kind: 'sent' | 'answered'): unknown {
  const schema = resolved(given, document)
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const choice = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null')
  if (choice) return exampleOf(choice, document, kind)
  if (schema.properties) {
    const { properties, required = [] } = schema
    const shown = Object.entries(properties).filter(
      ([name, field]) => kind === 'answered' || required.includes(name) || resolved(field, document).example !== undefined,
    )
    return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, document, kind)]))
  }
  const types = typesOf(schema)
  if (types.includes('null')) return null
  if (types.includes('array')) return schema.items ? [exampleOf(schema.items, document, kind)] : []
  if (types.includes('integer') || types.includes('number')) return schema.minimum || 1000
  if (types.includes('boolean')) return false
  return types.includes('string') ? (byFormat[schema.format ?? ''] ?? '…') : {}
}
