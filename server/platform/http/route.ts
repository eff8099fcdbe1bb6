/**
 * The declaration of a route: one object with everything that a reader needs to know about it. `publicRoute`, `personRoute`,
 * `operatorRoute` and `ownerRoute` of `accounts/` each add the steps of their callers, in one list. Statuses of errors are not declared:
 * they follow from the callers, the parts of the request and `refuses`.
 */
import type {
  ContextConfigDefault,
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  HTTPMethods,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { assert } from '../refusal.ts'
import { anyQuery, type Http } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The codes of the route's own refusals, for the description of the API. */
    refuses?: readonly string[]
    /** How a request with a known idempotency key is answered. */
    idempotencyKey?: 'replay_answer' | 'name_object'
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a route is served at: `GET /v1/payouts/:id`. */
export type MethodAndPath = `${Method} /${string}`

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The parameters of a path, without a schema of their own: texts. */
export type ParamsIn<Path extends string> = z.ZodObject<Record<NamesIn<Path>, z.ZodString>>

function paramsIn(path: string): z.ZodObject | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  return names.length === 0 ? undefined : z.object(Object.fromEntries(names.map((name) => [name, z.string()])))
}

/** A schema, or one for each media type. */
export type Answer = z.ZodType | { content: Record<string, { schema: z.ZodType }> }

/** The schemas of a route as Fastify names them. */
type Schema<Params, Query, Headers, Body, Answers> = {
  params: Params
  querystring: Query
  headers: Headers
  body: Body
  response: Answers
}

type Handler<Parts extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  ContextConfigDefault,
  Parts,
  ZodTypeProvider,
  FastifyBaseLogger
>

/** A step before the handler. It refuses by throwing. */
export type Step<Request = FastifyRequest> = (request: Request, reply: FastifyReply) => Promise<unknown>

/** The request of a step. The parts are not inferred from it: a step may be written for any request. */
type RequestOf<Params, Query, Headers, Body> = Parameters<
  Handler<Schema<NoInfer<Params>, NoInfer<Query>, NoInfer<Headers>, NoInfer<Body>, Record<number, z.ZodType>>>
>[0]

/** A part that the route does not have. */
type Without = z.ZodUnknown

/** What each route declares. The handler comes last: TypeScript reads the types of its request from the schemas before it. */
export type Route<
  Path extends MethodAndPath = MethodAndPath,
  Params extends z.ZodType = ParamsIn<Path>,
  Query extends z.ZodType = Without,
  Headers extends z.ZodType = Without,
  Body extends z.ZodType = Without,
  Answers extends Record<number, Answer> = Record<number, Answer>,
> = {
  route: Path
  operationId: string
  /** At most six words. */
  summary: string
  description?: string
  /** Only where a parameter of the path is more than a text. */
  params?: Params
  /** Without it the route has no parameters, and an unknown one is refused. A schema must be strict, or `anyQuery`. */
  query?: Query
  headers?: Headers
  body?: Body
  /** Media types of the body besides JSON. */
  consumes?: string[]
  /** Bytes; without it, what the kind of the route allows. */
  bodyLimit?: number
  /** The most brackets, commas and colons of a body in JSON. */
  jsonMarks?: number
  /** The answers of a success, by status. */
  answers: Answers
  /** The codes that this route, its steps and its use case refuse with, besides those of every route of its kind. */
  refuses?: readonly string[]
  /**
   * Makes one object for each `Idempotency-Key`. A repeat is answered with the status and bytes of the first answer, or, if that showed a
   * secret once, with 409 `already_created` and the id of the object. The handler must return its answer, not send it.
   */
  idempotencyKey?: NonNullable<FastifyContextConfig['idempotencyKey']>
  /** Runs before the body is read, after the caller is known. */
  admit?: Step<RequestOf<Params, Query, Headers, Body>>
  /** Runs before the request is validated: access to the object comes before the form of the request. */
  before?: Step<RequestOf<Params, Query, Headers, Body>>
  /** Runs after the request is validated, and not for a repeat that is answered from its idempotency key. */
  afterwards?: readonly Step<RequestOf<Params, Query, Headers, Body>>[]
  handler: Handler<Schema<Params, Query, Headers, Body, Answers>>
}

/** A route whose types no longer matter. */
export type AnyRoute = Omit<Route, PartKey | 'admit' | 'before' | 'afterwards' | 'handler'> & {
  [Part in PartKey]?: z.ZodType
} & {
  admit?: Step
  before?: Step
  afterwards?: readonly Step[]
  handler(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply): unknown
}
type PartKey = 'params' | 'query' | 'headers' | 'body'

export const methodOf = ({ route }: Pick<Route, 'route'>): Method => route.split(' ')[0] as Method
export const changesSomething = (route: Pick<Route, 'route'>): boolean => methodOf(route) !== 'GET'

/** The largest body of a route that reads it before it knows a verified account: an honest body of most routes is smaller. */
export const smallBodyBytes = 64 * 1024

/** What a kind of route adds to the declaration: its steps in their order, an absent one left out. */
export type Steps = {
  /** As in OpenAPI; empty for a route without credentials. */
  security: Record<string, string[]>[]
  config: object
  bodyLimit?: number | undefined
  onRequest: readonly (Step | undefined)[]
  preParsing?: RouteOptions['preParsing']
  preValidation: readonly (Step | undefined)[]
  preHandler: readonly (Step | undefined)[]
  handler?: AnyRoute['handler'] | undefined
}

const noQuery = z.strictObject({})

/** An unknown parameter that is ignored hides a mistake: a misspelled filter would answer with everything. */
const refusesUnknown = (query: z.ZodType): boolean => query instanceof z.ZodObject && query.def.catchall instanceof z.ZodNever

const present = (steps: readonly (Step | undefined)[]): Step[] => steps.filter((step) => step !== undefined)

/** Registers a route with the steps of its kind. */
export function addRoute(http: Http, route: AnyRoute, steps: Steps): void {
  const { operationId, summary, description, consumes, refuses, jsonMarks, idempotencyKey } = route
  const [method, url] = route.route.split(' ') as [HTTPMethods, string]
  const [onRequest, preValidation, preHandler] = [steps.onRequest, steps.preValidation, steps.preHandler].map(present)
  const { security, bodyLimit, preParsing } = steps
  const querystring = route.query ?? noQuery
  assert(querystring === anyQuery || refusesUnknown(querystring), `${operationId}: its query must be a z.strictObject`)
  const parts = { params: route.params ?? paramsIn(url), querystring, headers: route.headers, body: route.body }
  http.route({
    method,
    url,
    ...(bodyLimit !== undefined && { bodyLimit }),
    config: {
      ...steps.config,
      ...(refuses && { refuses }),
      ...(idempotencyKey && { idempotencyKey }),
      ...(jsonMarks !== undefined && { jsonMarks }),
    },
    onRequest,
    ...(preParsing && { preParsing }),
    preValidation,
    preHandler,
    schema: {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      security,
      ...(consumes && { consumes }),
      ...Object.fromEntries(Object.entries(parts).filter(([, schema]) => schema !== undefined)),
      response: route.answers,
    },
    handler: (steps.handler ?? route.handler) as never,
  } as never)
}
