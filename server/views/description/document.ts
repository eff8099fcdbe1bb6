/** The OpenAPI document: what is the same for all operations is added here, once, and not in each route. */
import type { Permission } from '../../accounts/members/permissions.ts'
import { codesOf } from './answer-codes.ts'
import { withExamples } from './example.ts'
import { describeRefusals, problemOf } from './refusals.ts'
import { makePortable, leaveOpen, walk, type Schema } from './schema.ts'

export type Header = { description: string; schema: Schema }
export type Ref = { $ref: string }
export type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, Ref> }>
type Direct = { description?: string; headers?: Record<string, Header | Ref>; content?: Content }
export type Answer = Direct & Partial<Ref>
export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema; example?: unknown }
export type Operation = {
  operationId?: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content?: Content }
  responses?: Record<string, Answer>
  /** What a signed-in person needs. */
  'x-permission'?: Permission
  /** The names of its limits. */
  'x-limits'?: string[]
  /** Until its refusals are described: what the route declares, whether it only reads, and whether it makes one object for each key. */
  'x-refuses'?: readonly string[]
  'x-reads'?: boolean
  'x-once'?: boolean
  /** Only where the API's own host does not serve it. */
  servers?: { url: string }[]
}
export type OpenApi = {
  info?: { description: string }
  tags?: { name: string; description?: string }[]
  paths?: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components?: {
    schemas?: Record<string, Schema>
    headers?: Record<string, Header>
    examples?: Record<string, { value: unknown }>
    responses?: Record<string, Answer>
  } & Record<string, unknown>
}

const meanings: Record<string, string> = {
  200: 'OK.',
  201: 'Created.',
  400: 'The request is invalid: `code` and `errors` give the reason.',
  401: 'Credentials are missing or not valid.',
  402: 'The wallet does not have enough.',
  403: 'The credentials do not permit this.',
  404: 'The object does not exist, or is not yours.',
  409: 'Not possible in the current state.',
  413: 'The body is larger than 256 KiB (8 MiB for a payout batch), or than 64 KiB without a key or sign-in of a verified account.',
  415: 'The body is not JSON.',
  422: 'The idempotency key was used for another request.',
  429: 'Too many requests or attempts: wait for `Retry-After` seconds.',
  500: 'Internal error. Quote the request id if you contact us.',
  503: 'Temporarily unavailable: try again after `Retry-After` seconds.',
}

const headers = {
  RequestId: {
    description: 'Identifies this request in our logs. If you send one, it is used.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait before the next try.', schema: { type: 'integer', minimum: 0 } },
  RateLimit: { description: 'The remaining requests of each limit.', schema: { type: 'string' } },
  RateLimitPolicy: { description: 'The limits of this route.', schema: { type: 'string' } },
  IdempotencyReplayed: {
    description: 'Only on a repeat: this key already created the object, and nothing was done again.',
    schema: { type: 'string', enum: ['true'] },
  },
} satisfies Record<string, Header>

const headerRef = (name: keyof typeof headers): Ref => ({ $ref: `#/components/headers/${name}` })

export function operationsOf(document: OpenApi): Operation[] {
  return [document.paths, document.webhooks].flatMap((places) =>
    Object.values(places ?? {}).flatMap((path) => Object.values(path)),
  )
}

/** Whether the operation creates something once for each idempotency key. */
function takesIdempotencyKey({ parameters = [], requestBody }: Operation): boolean {
  const body = Object.values(requestBody?.content ?? {})
  return (
    parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'idempotency-key') ||
    body.some(({ schema }) => 'idempotency_key' in (schema?.properties ?? {}))
  )
}

/** Every answer of a limited route shows the remaining quota; the description says so where a client acts on it. */
function addHeaders(status: string, answer: Answer, operation: Operation): void {
  // An error has the request id in its body.
  answer.headers = Number(status) < 400 ? { 'X-Request-Id': headerRef('RequestId') } : {}
  if (status === '429' || status === '503') answer.headers['Retry-After'] = headerRef('RetryAfter')
  if (status === '429') {
    answer.headers['RateLimit'] = headerRef('RateLimit')
    answer.headers['RateLimit-Policy'] = headerRef('RateLimitPolicy')
  }
  if (status.startsWith('2') && takesIdempotencyKey(operation)) {
    answer.headers['Idempotency-Replayed'] = headerRef('IdempotencyReplayed')
  }
}

/** The schemas that an operation refers to directly. */
export function schemasOf({ parameters = [], requestBody, responses = {} }: Operation): { sent: Schema[]; answered: Schema[] } {
  const inContent = (content: Content | undefined): Schema[] => Object.values(content ?? {}).flatMap(({ schema }) => schema ?? [])
  return {
    sent: [...parameters.flatMap(({ schema }) => schema ?? []), ...inContent(requestBody?.content)],
    answered: Object.values(responses).flatMap(({ content }) => inContent(content)),
  }
}

function tidyOperation(operation: Operation): void {
  // A file is described as text; the schema beside it is of its JSON form.
  const content = operation.requestBody?.content
  if (content?.['text/csv']) content['text/csv'] = { schema: { type: 'string' } }
  const bodies = Object.values(content ?? {})
  // If no field is required, the body may be empty.
  if (operation.requestBody)
    operation.requestBody.required = bodies.some(({ schema }) => schema?.type === 'string' || (schema?.required?.length ?? 0) > 0)
  // The default of a whole body means only that it may be empty.
  for (const { schema } of bodies) delete schema?.default
  for (const parameter of operation.parameters ?? []) {
    // `metadata[order_id]=1001`
    if (parameter.in === 'query' && parameter.schema?.type === 'object')
      Object.assign(parameter, { style: 'deepObject', explode: true })
    parameter.description ??= parameter.schema?.description
    delete parameter.schema?.description
  }
  operation.responses ??= {}
  for (const status of Object.keys(codesOf(operation))) operation.responses[status] ??= {}
  for (const [status, answer] of Object.entries(operation.responses)) {
    answer.description = meanings[status] ?? 'The request did not arrive in time.'
    addHeaders(status, answer, operation)
  }
}

/** The named schemas that are used, directly or by another one. */
function usedSchemas(document: OpenApi): Record<string, Schema> {
  const all = document.components?.schemas ?? {}
  const used = new Set<string>()
  const note = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name!)) continue
      used.add(name!)
      note(all[name!])
    }
  }
  note([document.paths, document.webhooks, document.components?.responses])
  return Object.fromEntries(
    Object.entries(all)
      .filter(([name]) => used.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** Adds what is the same for all operations, writes all schemas in a portable form, and drops schemas that nothing refers to. */
export function tidy(document: OpenApi): OpenApi {
  const named = Object.values(document.components?.schemas ?? {})
  const operations = operationsOf(document).map(schemasOf)
  const answered = [...named, ...operations.flatMap((one) => one.answered)]
  for (const schema of answered) walk(schema, leaveOpen)
  for (const schema of [...answered, ...operations.flatMap((one) => one.sent)]) walk(schema, makePortable)
  const served = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path))
  for (const operation of served) tidyOperation(operation)
  const { ErrorAnswer: error } = document.components!.schemas!
  const schemas = { ...document.components!.schemas, Problem: problemOf(error!) }
  const complete = { ...document, components: { ...document.components, headers, schemas } }
  describeRefusals(complete, served)
  return { ...complete, components: { ...complete.components, schemas: usedSchemas(complete) } }
}

/** What only operators, our own dashboard and the machines around the service call. */
const notForMerchants = new Set(['Operators', 'Operations', 'Dashboard'])

/**
 * Whether programs of merchants call the operation. How to get a token stays; the settings of a person's account do not. Generated
 * clients have one address for all calls: an operation of another host would go to the wrong one.
 */
export function isForPrograms({ tags = [], security = [], servers }: Operation): boolean {
  return !servers && !tags.some((tag) => notForMerchants.has(tag) || (tag === 'People' && security.length > 0))
}

/** The parts of one kind that are used by the paths, or by other used parts. */
function usedOnly(document: OpenApi, kind: 'examples' | 'responses' | 'headers'): Record<string, never> {
  const { [kind]: all = {}, responses } = document.components ?? {}
  const text = JSON.stringify(kind === 'responses' ? document.paths : [document.paths, responses])
  return Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`))) as Record<
    string,
    never
  >
}

/**
 * A copy with JSON only, where an answer has it, and without the header of every answer. Clients get the other forms (errors as
 * RFC 9457, lists as CSV) only if they ask for them, and generated types would be unions that every reader has to take apart.
 */
function inOneForm(answers: Record<string, Answer>): Record<string, Answer> {
  const entries = Object.entries(answers).map(([name, answer]): [string, Answer] => {
    const { headers: { 'X-Request-Id': _, ...others } = {}, content, ...rest } = answer
    const form = content?.['application/json']
    const forms = form ? { 'application/json': form } : content
    return [name, { ...rest, ...(Object.keys(others).length > 0 && { headers: others }), ...(forms && { content: forms }) }]
  })
  return Object.fromEntries(entries)
}

function jsonBodyOf({ requestBody }: Operation): Pick<Operation, 'requestBody'> {
  const json = requestBody?.content?.['application/json']
  return json ? { requestBody: { ...requestBody, content: { 'application/json': json } } } : {}
}

/** The document without what programs of merchants do not call, with one form of each answer. */
export function forMerchants(document: OpenApi): OpenApi {
  const paths = Object.entries(document.paths ?? {})
    .map(([path, methods]) => {
      const kept = Object.entries(methods).filter(([, operation]) => isForPrograms(operation))
      const written = kept.map(([method, operation]) => [
        method,
        withExamples(path, { ...operation, ...jsonBodyOf(operation), responses: inOneForm(operation.responses ?? {}) }, document),
      ])
      return [path, Object.fromEntries(written) as Record<string, Operation>] as const
    })
    .filter(([, methods]) => Object.keys(methods).length > 0)
  const components = { ...document.components, responses: inOneForm(document.components?.responses ?? {}) }
  const part: OpenApi = {
    ...document,
    info: { ...document.info!, description: document.info!.description.replace(/\n## Error codes\n[\s\S]*$/, '') },
    paths: Object.fromEntries(paths),
    tags: document.tags!.filter(({ name }) => !notForMerchants.has(name)),
    components,
  }
  components.responses = usedOnly(part, 'responses')
  components.schemas = usedSchemas(part)
  return { ...part, components: { ...components, examples: usedOnly(part, 'examples'), headers: usedOnly(part, 'headers') } }
}
