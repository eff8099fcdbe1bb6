/** Values that a schema describes: what its fields name as examples, or the plainest value of their type. */
import { businessPurposes, personalPurposes } from '../../domain/document.ts'
import type { OpenApi, Operation } from './document.ts'
import type { Schema } from './schema.ts'

/** A schema, or the named one that it refers to. */
export function resolved(schema: Schema, { components }: OpenApi): Schema {
  const { $ref, ...own } = schema
  return $ref === undefined ? schema : { ...resolved(components!.schemas![$ref.split('/').at(-1)!]!, { components }), ...own }
}

export const typesOf = ({ type }: Schema): string[] => [type ?? []].flat()

/** Of fields whose schema has no room for one, and of ids, which a caller has from another answer. */
const byName: Record<string, string> = {
  password: 'twende-sokoni-kesho-asubuhi',
  identifier: 'asha@udsm.ac.tz',
  date_of_birth: '1999-01-01',
  app_id: 'app_06g2v1d1p5fz9b7q4w5w1y2k3m',
  business_id: 'biz_06g2v1d1p5fz9b7q4w5w1y2k3m',
  member_id: 'mem_06g2v1d1p5fz9b7q4w5w1y2k3m',
  event_id: 'evt_06g2v1d1p5fz9b7q4w5w1y2k3m',
  id_or_slug: 'k7m2q9xa',
  slug: 'k7m2q9xa',
  row: '1',
  reference: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m',
  token: 'the-token-of-the-invitation',
  challenge_token: 'the-token-of-the-sign-in',
  checkout_token: 'the-token-of-the-checkout',
}

/** The beginnings of ids by the collection before them in an address. */
const beginnings: Record<string, string> = {
  apps: 'app',
  keys: 'key',
  deliveries: 'whd',
  'payment-requests': 'preq',
  recipients: 'rcp',
  payouts: 'po',
  refunds: 'rf',
  'payout-batches': 'pb',
}

/** What stands for `{name}` in an address until the caller puts an own id there. */
function placeExample(path: string, name: string): string | undefined {
  const collection = path.split(`/{${name}}`)[0]!.split('/').at(-1)!
  if (name === 'purpose') return path.includes('{business_id}') ? businessPurposes[0] : personalPurposes[0]
  return collection in beginnings && name === 'id' ? `${beginnings[collection]}_06g2v1d1p5fz9b7q4w5w1y2k3m` : byName[name]
}

/** The operation with an example of its body and of each part of its address, as tools send them that import the description. */
export function withExamples(path: string, operation: Operation, document: OpenApi): Operation {
  const { parameters, requestBody } = operation
  const { schema, ...rest } = requestBody?.content?.['application/json'] ?? {}
  const body = schema && { ...rest, schema, example: exampleOf(schema, document, 'sent') }
  const shown = parameters?.map((one) => {
    const { example: own, ...described } = one.schema ?? {}
    const example =
      own ?? (one.in === 'path' ? (placeExample(path, one.name) ?? exampleOf(described, document, 'sent', one.name)) : undefined)
    return example === undefined ? one : { ...one, schema: described, example }
  })
  return {
    ...operation,
    ...(shown && { parameters: shown }),
    ...(body && { requestBody: { ...requestBody, content: { 'application/json': body } } }),
  }
}

const byFormat: Record<string, string> = {
  'date-time': '2026-01-25T09:30:00.000Z',
  date: '2026-01-25',
  email: 'juma@example.com',
  uri: 'https://shop.example',
}

/** A request, or an answer. */
export type Kind = 'sent' | 'answered'

/**
 * The value of an answer has all fields. That of a request has only those that it needs, and those whose schema names an example.
 * A text without an example is `…`.
 */
export function exampleOf(given: Schema, document: OpenApi, kind: Kind, name = ''): unknown {
  const schema = resolved(given, document)
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (kind === 'sent' && byName[name] !== undefined) return byName[name]
  if (kind === 'sent' && name.endsWith('_url')) return 'https://storage.example/doc_06g2v1d1p5fz9b7q4w5w1y2k3m'
  const choice = (schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null')
  if (choice) return exampleOf(choice, document, kind)
  if (schema.properties) {
    const { properties, required = [] } = schema
    const shown = Object.entries(properties).filter(
      ([field, of]) => kind === 'answered' || required.includes(field) || resolved(of, document).example !== undefined,
    )
    return Object.fromEntries(shown.map(([field, of]) => [field, exampleOf(of, document, kind, field)]))
  }
  const types = typesOf(schema)
  if (types.includes('null')) return null
  if (types.includes('array')) return schema.items ? [exampleOf(schema.items, document, kind)] : []
  if (types.includes('integer') || types.includes('number')) return schema.minimum || 1000
  if (types.includes('boolean')) return false
  return types.includes('string') ? (byFormat[schema.format ?? ''] ?? '…') : {}
}
