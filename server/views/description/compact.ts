/**
 * The document as generators of clients like it: small, and with a name for every object, body, list and enumeration, because a
 * generator invents ugly ones for what has none. The meaning stays the same.
 */
import { operationsOf, schemasOf, type Answer, type OpenApi, type Operation, type Parameter, type Ref } from './document.ts'
import { walk, type Schema } from './schema.ts'

const json = 'application/json'

export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')

/** Parts of the components by name; the same part gets the same name, and another part another one, also of another kind. */
class Names<Part> {
  readonly parts: Record<string, Part>
  readonly #nameOf = new Map<string, string>()
  /** Names that one part needs, because it has no other wish. */
  readonly #reserved: Set<string>

  /** Parts of other kinds. */
  readonly #others: readonly object[]

  constructor(parts: Record<string, Part> = {}, reserved: string[] = [], others: readonly object[] = []) {
    this.parts = parts
    this.#others = others
    this.#reserved = new Set(reserved)
    for (const [name, part] of Object.entries(parts)) this.#nameOf.set(JSON.stringify(part), name)
  }

  nameOf(part: Part, ...wishes: [string, ...string[]]): string {
    const text = JSON.stringify(part)
    const known = this.#nameOf.get(text)
    if (known !== undefined) return known
    const last = wishes.at(-1)!
    const isTaken = (wish: string): boolean => [this.parts, ...this.#others].some((parts) => wish in parts)
    let name = wishes.find((wish) => !isTaken(wish) && (wish === last || !this.#reserved.has(wish))) ?? last
    for (let count = 2; isTaken(name); count += 1) name = `${last}${count}`
    this.parts[name] = part
    this.#nameOf.set(text, name)
    return name
  }
}

/** `values`: the names that Go gives to the values of enumerations; it has them beside its types. */
type Schemas = Names<Schema> & { values: ReadonlySet<string> }

const isObject = ({ type, properties }: Schema): boolean => type === 'object' && Object.keys(properties ?? {}).length > 0

/** Replaces what a schema is by a reference to its name. */
function replaceByName(schema: Schema, schemas: Schemas, ...wishes: [string, ...string[]]): void {
  const name = schemas.nameOf({ ...schema }, ...wishes)
  for (const key of Object.keys(schema)) delete schema[key as keyof Schema]
  schema.$ref = `#/components/schemas/${name}`
}

/** Names the objects and enumerations inside a schema after the fields that hold them. */
function nameParts(schema: Schema, name: string, schemas: Schemas): void {
  for (const [field, of] of Object.entries(schema.properties ?? {}))
    nameInside(of, `${name}${pascal(field) === name ? 'Body' : pascal(field)}`, pascal(field), schemas)
  const choices = [schema.anyOf, schema.oneOf].flatMap((list) => list ?? [])
  for (const choice of choices) {
    // `PayoutSent` for the choice that has `type: 'sent'`, as readers tell the choices apart.
    const kinds = Object.values(choice.properties ?? {}).map((field) => field.const)
    const kind = kinds.find((value) => typeof value === 'string') ?? ''
    nameInside(choice, `${name}${pascal(kind)}`, name, schemas)
  }
}

function nameInside(schema: Schema, name: string, field: string, schemas: Schemas): void {
  if (schema.items) nameInside(schema.items, singular(name), singular(field), schemas)
  if (typeof schema.additionalProperties === 'object') nameInside(schema.additionalProperties, singular(name), field, schemas)
  const something = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  if (something.length === 1) {
    const [only] = something
    nameInside(only!, name, field, schemas)
    // A map that may be null: generators name it after the place of the choice.
    if (typeof only!.additionalProperties === 'object') replaceByName(only!, schemas, field, name)
  } else {
    nameParts(schema, name, schemas)
  }
  if (isObject(schema)) {
    replaceByName(schema, schemas, name)
  } else if (schema.enum && schema.enum.length > 1 && schema.type === 'string') {
    const { description, ...rest } = schema
    for (const key of Object.keys(schema)) delete schema[key as keyof Schema]
    const { default: usual, ...values } = rest
    Object.assign(schema, values)
    // A status or type means something else in each object.
    const isGeneral = /^(Type|Status|Code|State|Kind|Reason)$/.test(field)
    replaceByName(schema, schemas, isGeneral ? name : schemas.values.has(field) ? `${field}Name` : field, name)
    Object.assign(schema, description !== undefined && { description }, usual !== undefined && { default: usual })
  }
}

/** The name of the one schema in an answer: `Payout` in `{data: Payout}`, or in a list of them. */
function contentName({ properties = {} }: Schema): string | undefined {
  const { data, ...others } = properties
  const ref = data?.$ref ?? (data?.type === 'array' ? data.items?.$ref : undefined)
  if (!ref) return undefined
  const name = ref.split('/').at(-1)!
  if (data!.$ref) return Object.keys(others).length === 0 ? `${name}Answer` : undefined
  return `${name}List`
}

function nameOperation(operation: Operation, schemas: Schemas): void {
  const id = pascal(operation.operationId!)
  const sent = operation.requestBody?.content?.[json]?.schema
  if (sent && !sent.$ref) {
    nameParts(sent, `${id}Body`, schemas)
    if (isObject(sent)) replaceByName(sent, schemas, `${id}Body`)
  }
  for (const { name, schema } of operation.parameters ?? [])
    if (schema) nameInside(schema, `${id}${pascal(name)}`, pascal(name), schemas)
  for (const [status, { content }] of Object.entries(operation.responses ?? {})) {
    const answered = content?.[json]?.schema
    if (!status.startsWith('2') || !answered || answered.$ref) continue
    const { data } = answered.properties ?? {}
    if (data) nameInside(data, data.type === 'array' ? `${id}Entries` : `${id}Result`, `${id}Result`, schemas)
    replaceByName(answered, schemas, contentName(answered) ?? `${id}Answer`)
  }
}

/** Writes parts that occur more than once only once, and refers to them. */
function shareAnswers(operations: Operation[], known: Record<string, Answer>, others: readonly object[]): Record<string, Answer> {
  const uses = new Map<string, number>()
  const textOf = (answer: Answer): string => JSON.stringify(answer)
  const each = (visit: (answers: Record<string, Answer>, status: string, id: string) => void): void => {
    for (const { responses = {}, operationId } of operations) {
      for (const [status, answer] of Object.entries(responses)) if (!answer.$ref) visit(responses, status, operationId!)
    }
  }
  each((answers, status) => uses.set(textOf(answers[status]!), (uses.get(textOf(answers[status]!)) ?? 0) + 1))
  const names = new Names<Answer>(known, [], others)
  each((answers, status, id) => {
    const answer = answers[status]!
    if (uses.get(textOf(answer))! < 2) return
    const schema = answer.content?.[json]?.schema?.$ref?.split('/').at(-1)
    const wanted =
      status.startsWith('2') && schema
        ? `${schema.replace(/Answer$/, '')}${status === '201' ? 'Created' : 'Response'}`
        : `${pascal(id)}${status}`
    answers[status] = { $ref: `#/components/responses/${names.nameOf(answer, wanted)}` }
  })
  return names.parts
}

/** Answers that say nothing about the operation: one `default` for all of them. */
const general = ['PayloadTooLarge', 'UnsupportedMediaType', 'InternalError', 'Unavailable']

function mergeGeneral(operations: Operation[], responses: Record<string, Answer>): void {
  const content = general.flatMap((name) => Object.entries(responses[name]?.content ?? {}))
  const { 'Retry-After': wait } = responses['Unavailable']?.headers ?? {}
  const examples = Object.assign({}, ...content.map(([, part]) => part.examples))
  responses['Unexpected'] = {
    description: 'The body is too large (413) or not JSON (415), an internal error (500), or temporarily unavailable (503).',
    ...(wait && { headers: { 'Retry-After': wait } }),
    content: { [json]: { schema: { $ref: '#/components/schemas/ErrorAnswer' }, examples } },
  }
  for (const { responses: answers = {} } of operations) {
    for (const [status, { $ref }] of Object.entries(answers)) {
      if (general.includes($ref?.split('/').at(-1) ?? '')) delete answers[status]
    }
    answers['default'] = { $ref: '#/components/responses/Unexpected' }
  }
  for (const name of general) delete responses[name]
}

function shareParameters(
  operations: { parameters?: (Parameter | Ref)[] }[],
  others: readonly object[],
): Record<string, Parameter> {
  const uses = new Map<string, number>()
  const all = operations.flatMap(({ parameters = [] }) => parameters)
  for (const parameter of all) uses.set(JSON.stringify(parameter), (uses.get(JSON.stringify(parameter)) ?? 0) + 1)
  const names = new Names<Parameter>({}, [], others)
  for (const operation of operations) {
    operation.parameters = operation.parameters?.map((parameter) => {
      if (uses.get(JSON.stringify(parameter))! < 2 || '$ref' in parameter) return parameter
      return {
        $ref: `#/components/parameters/${names.nameOf(parameter, pascal(parameter.name), `${pascal(parameter.name)}Parameter`)}`,
      }
    })
    if (!operation.parameters) delete operation.parameters
  }
  return names.parts
}

/** Java would write the constant of a boolean as a text, which does not compile. */
function openBoolean(schema: Schema): void {
  const constant = schema.const ?? (schema.enum?.length === 1 ? schema.enum[0] : undefined)
  if (typeof constant !== 'boolean') return
  schema.description ??= `Always ${constant}.`
  delete schema.const
  delete schema.enum
}

/** A changed copy of the document. */
export function compact(whole: OpenApi): OpenApi {
  const document = structuredClone(whole)
  const fieldNames = Object.entries(document.components!.schemas!).flatMap(([name, { properties = {} }]) =>
    Object.keys(properties).map((field) => name + pascal(field)),
  )
  const operations = Object.values(document.paths!).flatMap((path) => Object.values(path))
  const all = operationsOf(document)
  const direct = all.map(schemasOf).flatMap(({ sent, answered }) => [...sent, ...answered])
  const values = new Set<string>()
  for (const schema of [...Object.values(document.components!.schemas!), ...direct]) {
    walk(schema, openBoolean)
    walk(schema, (part) => part.enum?.forEach((value) => values.add(pascal(String(value)))))
  }
  const schemas: Schemas = Object.assign(new Names(document.components!.schemas, fieldNames), { values })
  for (const [name, schema] of Object.entries(document.components!.schemas!)) nameParts(schema, name, schemas)
  for (const operation of all) nameOperation(operation, schemas)
  mergeGeneral(operations, document.components!.responses!)
  const { headers = {}, examples = {} } = document.components!
  const responses = shareAnswers(operations, document.components!.responses!, [schemas.parts, headers, examples])
  // Not those of the webhooks: oapi-codegen loses what only they refer to.
  const parameters = shareParameters(operations, [schemas.parts, responses, headers, examples])
  return { ...document, components: { ...document.components, schemas: schemas.parts, responses, parameters } }
}
