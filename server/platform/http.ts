/**
 * HTTP in one place: the server that every face uses, the mapping of refusals to the contract's error shape, request ids, strict
 * bodies, security headers, load shedding and draining. It knows nothing about payments.
 */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import underPressure from '@fastify/under-pressure'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { isUnavailable } from './db.ts'
import { parseStrictJson } from './json.ts'
import type { Log } from './log.ts'
import { notFound, Refusal, type ErrorType, type FieldError } from './refusal.ts'
import { moment } from './text.ts'

export type Http = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

export type HttpOptions = {
  log: Log
  /** Hops of our own proxies in front; the client's address is taken from X-Forwarded-For only behind them. */
  trustedProxies: number
  /** Origins of our own dashboards. */
  dashboardOrigins: string[]
  /** Paths that any browser may call, without credentials. */
  isPublicPath(path: string): boolean
  bodyLimitBytes: number
  /** Over this delay of the event loop new requests are shed with 503. */
  maxEventLoopDelayMs: number
  docUrl: string
  /** True once the process is leaving: each answer then ends its connection, which would otherwise stay open for the next request. */
  isDraining(): boolean
}

const errorTypes: Record<number, ErrorType> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'payment',
  403: 'permission',
  404: 'not_found',
  409: 'conflict',
  422: 'idempotency',
  429: 'rate_limit',
}

function errorTypeOf(httpStatus: number, code: string): ErrorType {
  if (code.startsWith('idempotency_')) return 'idempotency'
  return errorTypes[httpStatus] ?? (httpStatus < 500 ? 'invalid_request' : 'api_error')
}

export const errorSchema = z
  .object({
    error: z.object({
      type: z.enum([
        'invalid_request',
        'authentication',
        'permission',
        'not_found',
        'conflict',
        'idempotency',
        'rate_limit',
        'payment',
        'api_error',
      ]),
      code: z.string().meta({ description: 'What clients branch on.', example: 'validation_error' }),
      message: z.string().meta({ description: 'For people; it may change.' }),
      message_sw: z.string().optional().meta({ description: 'The same in Swahili, on public checkout errors.' }),
      param: z.string().optional(),
      errors: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })).optional(),
      details: z.record(z.string(), z.unknown()).optional(),
      request_id: z.string(),
      doc_url: z.string(),
    }),
  })
  .meta({
    id: 'Error',
    description: 'Every refusal has this shape. With `Accept: application/problem+json` the same facts come as RFC 9457.',
  })

/** The error responses of a route, for its schema: every status shares one shape. */
export function errors<Status extends number>(...statuses: Status[]): Record<Status, typeof errorSchema> {
  return Object.fromEntries(statuses.map((status) => [status, errorSchema])) as Record<Status, typeof errorSchema>
}

export function dataOf<Schema extends z.ZodType>(schema: Schema): z.ZodObject<{ data: Schema }> {
  return z.object({ data: schema })
}

export function listOf<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodObject<{ data: z.ZodArray<Schema>; has_more: z.ZodBoolean; next_cursor: z.ZodNullable<z.ZodString> }> {
  return z.object({ data: z.array(schema), has_more: z.boolean(), next_cursor: z.string().nullable() })
}

/** A whole number in a query, written in digits alone: nothing like `0x10`, `1e3` or an empty text is taken for one. */
export function wholeNumber(
  least: number,
  most: number,
): z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>, z.ZodNumber> {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'Write a whole number in digits.')
    .transform(Number)
    .pipe(z.number().min(least).max(most))
}

/** What every list takes: a page size and where to go on. */
export const listQuery = {
  limit: wholeNumber(1, 100).default(20),
  cursor: z.string().max(500).optional(),
  created_from: moment.optional(),
  created_to: moment.optional(),
}

const internalError = new Refusal(
  500,
  'internal_error',
  'Something went wrong on our side. Nothing is lost; quote the request id if you ask us.',
)
const databaseAway = new Refusal(503, 'overloaded', 'The service cannot do this right now. Try again shortly.', {
  retryAfterSeconds: 2,
})

const unsupportedMediaType = new Refusal(415, 'unsupported_media_type', 'Send the body as application/json.')

const frameworkRefusals: Record<string, Refusal> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new Refusal(413, 'payload_too_large', 'The body is larger than 256 KiB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Refusal(400, 'invalid_json', 'The body is shorter or longer than Content-Length says.'),
  FST_ERR_BAD_URL: new Refusal(400, 'validation_error', 'The address cannot be decoded.'),
  FST_ERR_MAX_PARAM_LENGTH: notFound(),
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined),
    root,
  )
}

/** A request that does not fit its route's schema: Fastify says which part of the request it is. */
type ShapeError = z.ZodError & { validationContext: string }

function isShapeError(error: unknown): error is ShapeError {
  return error instanceof z.ZodError && 'validationContext' in error
}

function fieldErrorsOf(error: ShapeError, request: FastifyRequest): FieldError[] {
  const { validationContext: context } = error
  const root = context === 'querystring' ? request.query : context === 'params' ? request.params : request.body
  return error.issues.flatMap((issue) => {
    const field = issue.path.join('.')
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: [...issue.path, key].join('.'),
        code: 'unknown_field',
        message: `There is no field ${JSON.stringify(key)} here.`,
      }))
    }
    if (issue.path.length === 0) return [{ field: 'body', code: 'required', message: 'Send a JSON object.' }]
    if (valueAt(root, issue.path) === undefined) return [{ field, code: 'required', message: 'This field is required.' }]
    // A schema may name the code itself: `amount_invalid: The amount is …`.
    const [, code = 'invalid', sentence = issue.message] = /^([a-z]+_[a-z_]+): (.+)$/s.exec(issue.message) ?? []
    return [{ field, code, message: sentence }]
  })
}

const plainFieldCodes = new Set(['required', 'invalid', 'unknown_field'])

function refusalOf(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  if (isShapeError(error)) {
    const fields = fieldErrorsOf(error, request)
    const codes = new Set(fields.map((field) => field.code))
    const [only] = codes.size === 1 ? codes : []
    const isNamed = only !== undefined && !plainFieldCodes.has(only)
    return new Refusal(
      400,
      isNamed ? only : 'validation_error',
      isNamed ? fields[0]!.message : 'Some fields are not right: see errors.',
      {
        errors: fields,
        param: fields[0]?.field,
      },
    )
  }
  if (isUnavailable(error)) return databaseAway
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code !== undefined && frameworkRefusals[code]) return frameworkRefusals[code]
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal(statusCode, 'validation_error', 'The request cannot be understood.')
  return internalError
}

const knownStatusTitles: Record<ErrorType, string> = {
  invalid_request: 'The request is not right',
  authentication: 'Who are you?',
  permission: 'Not allowed',
  not_found: 'Not found',
  conflict: 'Not possible in this state',
  idempotency: 'The idempotency key is in use',
  rate_limit: 'Too many requests',
  payment: 'The payment cannot be made',
  api_error: 'Our fault',
}

/** What a payer is told where a refusal has no Swahili sentence of its own. */
const swahiliOfStatus: Record<number, string> = {
  400: 'Taarifa ulizotuma si sahihi.',
  404: 'Ukurasa au malipo haya hayapo.',
  413: 'Taarifa ulizotuma ni nyingi mno.',
  415: 'Taarifa zimetumwa kwa muundo usio sahihi.',
  500: 'Kuna hitilafu upande wetu. Jaribu tena baada ya muda mfupi.',
  503: 'Huduma haipatikani kwa sasa. Jaribu tena baada ya muda mfupi.',
}

export function sendRefusal(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Pick<HttpOptions, 'docUrl' | 'isPublicPath'>,
): FastifyReply {
  const { code, httpStatus, message, detail } = refusal
  const messageSw =
    detail.messageSw ?? (options.isPublicPath(request.url.split('?')[0]!) ? swahiliOfStatus[httpStatus] : undefined)
  const type = errorTypeOf(httpStatus, code)
  if (detail.retryAfterSeconds !== undefined) void reply.header('retry-after', detail.retryAfterSeconds)
  const facts = {
    code,
    message,
    ...(messageSw !== undefined && { message_sw: messageSw }),
    ...(detail.param !== undefined && { param: detail.param }),
    ...(detail.errors !== undefined && { errors: detail.errors }),
    ...(detail.details !== undefined && { details: detail.details }),
    request_id: request.id,
    doc_url: options.docUrl,
  }
  // The response schema of the route is left aside: an error always has the one shape.
  void reply
    .code(httpStatus)
    .header('cache-control', 'no-store')
    .serializer((body: unknown) => JSON.stringify(body))
  if (request.headers.accept?.includes('application/problem+json')) {
    const { message: problemDetail, doc_url: docs, ...rest } = facts
    const problem = {
      type: docs,
      title: knownStatusTitles[type],
      status: httpStatus,
      detail: problemDetail,
      instance: request.id,
      error_type: type,
      ...rest,
    }
    return reply.type('application/problem+json').send(problem)
  }
  return reply.type('application/json; charset=utf-8').send({ error: { type, ...facts } })
}

const saneRequestId = /^[A-Za-z0-9._-]{8,64}$/

function routeOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions.url ?? '(no route)'}`
}

const brokenHttpStatuses: Record<string, [status: number, reason: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** What is not even HTTP has no request to answer, but its sender still gets the one shape of an error. */
function answerBrokenHttp(error: Error & { code?: string }, socket: Socket, docUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] = brokenHttpStatuses[error.code ?? ''] ?? [400, 'Bad Request']
  const requestId = newRequestId()
  const body = JSON.stringify({
    error: {
      type: 'invalid_request',
      code: 'malformed_request',
      message: `This is not a request that can be read: ${reason}.`,
      request_id: requestId,
      doc_url: docUrl,
    },
  })
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function newRequestId(): string {
  return `req_${randomBytes(12).toString('base64url')}`
}

const servedRoutes = new WeakMap<object, string[]>()

/** Every route of a server as `METHOD /path`, hidden ones included: a test holds the list against what is expected of each. */
export function routesOf(http: Http): string[] {
  return servedRoutes.get(http) ?? []
}

/** Makes the server that routes are put on; `isDraining` turns true when `close` has begun. */
export async function createHttp(options: HttpOptions): Promise<Http> {
  const { log } = options
  const http: Http = fastify({
    logger: false,
    bodyLimit: options.bodyLimitBytes,
    trustProxy: (_address: string, hop: number) => hop < options.trustedProxies,
    requestIdHeader: false,
    genReqId: (raw) => {
      const given = raw.headers['x-request-id']
      return typeof given === 'string' && saneRequestId.test(given) ? given : newRequestId()
    },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Addresses that cannot be routed never reach a hook: what every answer has is put on here.
    frameworkErrors(error, request, reply) {
      void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
      if (options.isPublicPath(request.url)) void reply.header('access-control-allow-origin', '*')
      return sendRefusal(refusalOf(error, request), request, reply, options)
    },
    clientErrorHandler(error, socket) {
      answerBrokenHttp(error, socket, options.docUrl)
    },
  }).withTypeProvider<ZodTypeProvider>()
  // Not the provider's own: it keeps of an issue only a joined path, and field names with a slash would be misread.
  http.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (value) => {
    // Fastify shows a missing body as null; a schema whose fields are all optional says `.prefault({})` and takes none.
    const { error, data } = schema.safeParse(httpPart === 'body' && value === null ? undefined : value)
    return error ? { error } : { value: data }
  })
  http.setSerializerCompiler(serializerCompiler)

  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    try {
      done(null, bytes.length === 0 ? undefined : parseStrictJson(bytes))
    } catch (error) {
      done(error as Error)
    }
  })
  http.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(unsupportedMediaType)
  })

  http.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request)
    if (refusal.httpStatus >= 500 && !(error instanceof Refusal)) {
      log.error('a request failed', error, { request_id: request.id, route: routeOf(request), status: refusal.httpStatus })
    }
    return sendRefusal(refusal, request, reply, options)
  })
  http.setNotFoundHandler((request, reply) =>
    sendRefusal(
      new Refusal(404, 'not_found', 'There is nothing at this address. The API reference is at /reference.'),
      request,
      reply,
      options,
    ),
  )

  const served: string[] = []
  servedRoutes.set(http, served)
  http.addHook('onRoute', ({ method, url }) => void served.push(...[method].flat().map((name) => `${name} ${url}`)))
  http.addHook('onRequest', async (request, reply) => {
    // Answers are about somebody's money: nobody keeps a copy, unless a route says that anybody may.
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store')
  })
  http.addHook('onSend', async (_request, reply) => {
    if (options.isDraining()) void reply.header('connection', 'close')
  })
  http.addHook('onResponse', async (request, reply) => {
    log.info('request', {
      request_id: request.id,
      route: routeOf(request),
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
    })
  })

  await http.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  await http.register(cors, {
    delegator: (request, callback) => {
      const isPublic = options.isPublicPath(request.url?.split('?')[0] ?? '')
      callback(null, {
        origin: isPublic ? '*' : options.dashboardOrigins,
        credentials: !isPublic,
        methods: ['GET', 'POST', 'PATCH', 'DELETE'],
        allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-api-key', 'x-request-id', 'x-checkout-token'],
        exposedHeaders: ['x-request-id', 'retry-after', 'idempotency-replayed', 'ratelimit', 'ratelimit-policy'],
        maxAge: 7200,
        strictPreflight: false,
      })
    },
  })
  await http.register(underPressure, {
    maxEventLoopDelay: options.maxEventLoopDelayMs,
    pressureHandler: () => {
      throw new Refusal(503, 'overloaded', 'Too much is going on. Try again shortly.', { retryAfterSeconds: 1 })
    },
  })
  return http
}
