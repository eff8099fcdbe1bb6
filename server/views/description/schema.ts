/** JSON schemas inside the OpenAPI document: a walk over them, and the forms that every generator of clients understands. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  const?: unknown
  enum?: unknown[]
  default?: unknown
  example?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  description?: string
}

/** The schemas directly inside a schema. */
function partsOf(schema: Schema): Schema[] {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [], allOf = [] } = schema
  return [
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(items ? [items] : []),
    ...anyOf,
    ...oneOf,
    ...allOf,
  ]
}

/** Calls `visit` for a schema and every schema inside it, the innermost first. */
export function walk(schema: Schema, visit: (schema: Schema) => void): void {
  for (const part of partsOf(schema)) walk(part, visit)
  visit(schema)
}

/** `anyOf` of one plain type and null becomes a list of two types, which generators read as the type, or none. */
function joinNull(schema: Schema): void {
  const { anyOf, ...rest } = schema
  if (anyOf?.length !== 2) return
  const nothing = anyOf.find(({ type }) => type === 'null')
  const something = anyOf.find(({ type }) => type !== 'null')
  if (!nothing || !something || typeof something.type !== 'string') return
  if (something.type === 'object' || something.enum || something.const !== undefined) return
  delete schema.anyOf
  Object.assign(schema, something, rest, { type: [something.type, 'null'] })
}

const largestInt32 = 2_147_483_647

/**
 * Writes a schema in the form that generators of clients agree on. Formats replace the patterns that mean the same, because some
 * languages cannot read these; a number that may be large says so, or Java cuts it.
 */
export function makePortable(schema: Schema): void {
  joinNull(schema)
  if (schema.format === 'date-time' || schema.format === 'date') {
    delete schema.pattern
    delete schema.example
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  const isWhole = schema.type === 'integer' || (Array.isArray(schema.type) && schema.type.includes('integer'))
  if (isWhole && (schema.maximum ?? Infinity) > largestInt32) schema.format = 'int64'
  // Names of fields are texts in JSON.
  delete schema.propertyNames
}

/** An answer may get further fields at any time: clients must not refuse them. */
export function leaveOpen(schema: Schema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
}
