/**
 * All HTTP basics: the server that every host uses, with request ids, strict bodies, security headers, load shedding and
 * draining, and the shared shapes of all answers. It knows nothing about payments.
 */
import type { Socket } from 'node:net'
import cors, { type FastifyCorsOptions } from '@fastify/cors'
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
import {
  answerBrokenHttp,
  compressedBody,
  newRequestId,
  refusalOf,
  routeOf,
  sendRefusal,
  unsupportedMediaType,
  type AnswerOptions,
} from './http-errors.ts'
import { messageOf } from './field-words.ts'
import { parseStrictJson } from './json.ts'
import type { Log } from '../process/log.ts'
import type { Meters } from '../process/meters.ts'
import { Refusal } from '../refusal.ts'
import type { SecurityLog } from './security-log.ts'
import { moment } from './text.ts'
import { inTrace, newTraceId, traceIdOf, type Trace } from '../process/trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The key or person that this request is proven to come from, once known; for logs. */
    actor: string | null
    /** The code of the refusal that the request was answered with. */
    refusedWith: string | null
    /** The trace of the request; null before routing. */
    trace: Trace | null
  }
}

export type Http = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

export type HttpOptions = {
  log: Log
  /** Counts requests; undefined: requests are not counted. */
  meters?: Meters
  security: SecurityLog
  /** Number of our proxies in front; only then is the client's address taken from X-Forwarded-For. */
  trustedProxies: number
  dashboardOrigins: readonly string[]
  /** Paths that any browser may call, without credentials. */
  isPublicPath(path: string): boolean
  /** The Swahili sentence of an error code, or of a field's own English sentence. */
  swahiliOf(codeOrSentence: string): string | undefined
  bodyLimitBytes: number
  /** How long a whole request may take to arrive; 30 seconds by default. */
  requestTimeoutMs?: number
  /** Above this delay of the event loop new requests are refused with 503. */
  maxEventLoopDelayMs: number
  docUrl: string
  /** A refusal with 404 that says more, if there is one. */
  explainMissing?(request: FastifyRequest): Promise<Refusal | undefined>
  /** Answers a browser at an address that does not exist, where people open addresses; otherwise it gets JSON as a program does. */
  sendMissing?: AnswerOptions['sendMissing']
  /** True once the process drains: each answer then closes its connection, which would otherwise stay open for the next request. */
  isDraining(): boolean
}

export function dataOf<Schema extends z.ZodType>(schema: Schema): z.ZodObject<{ data: Schema }> {
  return z.object({ data: schema })
}

export function listOf<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodObject<{ data: z.ZodArray<Schema>; has_more: z.ZodBoolean; next_cursor: z.ZodNullable<z.ZodString> }> {
  return z.object({ data: z.array(schema), has_more: z.boolean(), next_cursor: z.string().nullable() })
}

/** A whole number in a query, written only in digits: `0x10`, `1e3` and an empty text are refused. */
export function wholeNumber(least: number, most = 999_999_999_999_999): z.ZodPreprocess<z.ZodInt> {
  const written = (text: unknown): number => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN)
  return z.preprocess(written, z.int('Use a whole number, digits only.').min(least).max(most))
}

/** Any parameters: for pages, whose links other programs lengthen, and for what machines fetch. */
export const anyQuery = z.looseObject({})

/** The parameters of every list: a page size and the start position. */
export const listQuery = {
  limit: wholeNumber(1, 100).default(20).meta({ description: 'Entries in the answer; 20 without it.' }),
  cursor: z.string().max(500).optional(),
  created_from: moment.optional(),
  created_to: moment.optional(),
}

/** Replaces query texts that contain NUL, which no database column can store, so that the schemas of their fields refuse them by name. */
function withoutNul(query: unknown): unknown {
  const fields = Object.entries(query as Record<string, unknown>)
  const isNone = (value: unknown): boolean => typeof value === 'string' && value.includes('\0')
  if (!fields.some(([, value]) => isNone(value))) return query
  return Object.fromEntries(fields.map(([name, value]) => [name, isNone(value) ? Number.NaN : value]))
}

/** Fastify passes a missing body as null. A null that was sent is one, too, where a body may be missing: clients write it for none. */
function bodyOf(schema: z.ZodType, value: unknown): unknown {
  if (value === null) return undefined
  return Number.isNaN(value) && schema.safeParse(undefined).success ? undefined : value
}

/** `metadata[order]=12` in a query is the field `metadata` with the value `{order: '12'}`. */
function withNestedFields(query: unknown): unknown {
  const fields = Object.entries(query as Record<string, unknown>)
  if (!fields.some(([name]) => name.endsWith(']'))) return query
  const plain: [string, unknown][] = []
  const nested = new Map<string, [string, unknown][]>()
  for (const [name, value] of fields) {
    const [, outer, inner] = /^([a-z_]+)\[(?!__proto__\])([^[\]]+)\]$/.exec(name) ?? []
    if (outer === undefined || inner === undefined) plain.push([name, value])
    else nested.set(outer, [...(nested.get(outer) ?? []), [inner, value]])
  }
  // Sent in both forms, the plain value stays, and the schema of the field refuses it.
  return Object.fromEntries([...[...nested].map(([outer, values]) => [outer, Object.fromEntries(values)] as const), ...plain])
}

const saneRequestId = /^[A-Za-z0-9._-]{8,64}$/

const servedRoutes = new WeakMap<object, string[]>()

/** Every route of a server as `METHOD /path`, hidden ones included. A test compares this list with the expected behaviour of each route. */
export function routesOf(http: Http): string[] {
  return servedRoutes.get(http) ?? []
}

/** The methods that an address accepts. */
function methodsAt(served: readonly string[], path: string): string[] {
  const methods = served.flatMap((route) => {
    const [method, template] = route.split(' ') as [string, string]
    const pattern = template
      .replaceAll('.', String.raw`\.`)
      .replaceAll('*', '.*')
      .replaceAll(/:\w+/g, '[^/]+')
    // Browsers may send OPTIONS to any address, so it does not count.
    return method !== 'OPTIONS' && new RegExp(`^${pattern}/?$`).test(path) ? [method] : []
  })
  return [...new Set(methods)]
}

const twoCredentials = new Refusal(400, 'ambiguous_credentials', 'Send only one credential: an access token or an API key.', {
  evidence: { reason: 'two_credentials' },
})

/** Two of one of these would be joined, or one dropped: a new idempotency key would pay twice. */
const singleHeaders = ['Idempotency-Key', 'Content-Type']

/** The refusal of headers that came more often than they may: programs between the client and us may not agree on which one counts. */
function duplicateIn(rawHeaders: readonly string[]): Refusal | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  if (names.filter((name) => name === 'authorization' || name === 'x-api-key').length > 1) return twoCredentials
  const header = singleHeaders.find((one) => names.filter((name) => name === one.toLowerCase()).length > 1)
  if (header === undefined) return undefined
  const message = `The header ${header} came more than once. Send it once.`
  return new Refusal(400, 'header_duplicated', message, { details: { header }, evidence: { reason: 'header_duplicated' } })
}

const evidence = { reason: 'unknown_route' }
const noSuchRoute = new Refusal(404, 'not_found', 'No such endpoint. See the API reference at /reference.', {
  evidence,
})
const unreadableBody = new Refusal(
  400,
  'malformed_request',
  'The request has more than one Transfer-Encoding. Send only chunked, or Content-Length.',
  {
    evidence: { reason: 'transfer_encoding' },
  },
)
const noHost = new Refusal(400, 'malformed_request', 'The request has no Host header. HTTP/1.1 requires one.', {
  evidence: { reason: 'no_host' },
})
const unknownExpectation = new Refusal(417, 'malformed_request', 'The only supported expectation is `Expect: 100-continue`.')
const methodNotAllowed = new Refusal(405, 'method_not_allowed', 'This path does not support this method. See the Allow header.', {
  evidence,
})

/** The public ids in a routed address; an id begins with the letters of its kind. */
function publicIdsIn(params: unknown): string[] {
  return Object.values(params as Record<string, string>).filter((value) => /^[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}$/.test(value))
}

/** Up to a minute: uploads and exports take long, and a request that waits for a payment is held open on purpose. */
const requestBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Counts answers by the route's template, never by the requested address. */
function countRequests(http: Http, meters: Meters): void {
  const labels = ['method', 'route'] as const
  const answers = meters.counter('malipo_http_requests_total', 'Requests that were answered.', [...labels, 'status'])
  const durations = meters.histogram('malipo_http_request_seconds', 'How long requests took.', labels, requestBounds)
  const refusals = meters.counter('malipo_refusals_total', 'Requests that were refused, by the code of the refusal.', [
    'status',
    'code',
  ])
  http.addHook('onResponse', (request, reply, done) => {
    const status = String(reply.statusCode)
    const about = { method: request.method, route: request.routeOptions.url ?? '(no route)' }
    answers({ ...about, status })
    durations(about, reply.elapsedTime / 1000)
    if (request.refusedWith !== null) refusals({ status, code: request.refusedWith })
    done()
  })
}

/** The features of a device that pages may use. The names come from the features registry of the W3C; a browser ignores unknown ones. */
const features =
  'accelerometer ambient-light-sensor autoplay battery bluetooth browsing-topics camera display-capture encrypted-media fullscreen gamepad geolocation gyroscope hid idle-detection interest-cohort local-fonts magnetometer microphone midi payment picture-in-picture publickey-credentials-create publickey-credentials-get screen-wake-lock serial storage-access usb window-management xr-spatial-tracking'.split(
    ' ',
  )

/** A header that forbids every feature except these, the clipboard for copying a reference, and the share sheet for a receipt. */
export function permissionsPolicyWith(allowed: readonly ('fullscreen' | 'screen-wake-lock')[]): string {
  const own = [...allowed, 'clipboard-write', 'web-share']
  const forbidden = features.filter((feature) => !own.includes(feature))
  return [...forbidden.map((feature) => `${feature}=()`), ...own.map((feature) => `${feature}=(self)`)].join(', ')
}

const permissionsPolicy = permissionsPolicyWith([])

/** Headers that a browser obeys only for a document. On each poll of a payer's phone they would be half of the answer. */
const onlyForDocuments = [
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]

type SecurityHeaders = { ofEveryAnswer: Record<string, string>; ofDocuments: Record<string, string> }

/** The constant headers of answers. helmet makes them once, on a server without requests; a route may override them. */
async function securityHeaders(): Promise<SecurityHeaders> {
  const template = fastify()
  await template.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  let headers: Record<string, string> = {}
  template.get('/', async (_request, reply) => (headers = { ...(reply.raw.getHeaders() as Record<string, string>) }))
  await template.inject('/')
  const chosen = (isForDocuments: boolean) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => onlyForDocuments.includes(name) === isForDocuments))
  return { ofEveryAnswer: chosen(false), ofDocuments: { ...chosen(true), 'permissions-policy': permissionsPolicy } }
}

/** The CORS rules for requests from other origins. */
function corsOf(who: { origin: '*' | string[]; credentials: boolean }): FastifyCorsOptions {
  const allowed = [
    'authorization',
    'content-type',
    'idempotency-key',
    'x-api-key',
    'x-request-id',
    'x-checkout-token',
    'x-session-cookie',
  ]
  const exposed = ['x-request-id', 'retry-after', 'content-disposition', 'idempotency-replayed', 'ratelimit', 'ratelimit-policy']
  return {
    ...who,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: allowed.join(', '),
    exposedHeaders: exposed.join(', '),
    maxAge: 7200,
    strictPreflight: false,
  }
}

/**
 * Node counts a connection that has not sent anything as busy, and `close` waits for it for ever: browsers open some in advance. At the
 * end they are cut; one that has sent its first byte is answered.
 */
function closeUnused(http: Http): void {
  const open = new Set<Socket>()
  http.server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  http.addHook('preClose', (done) => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
}

/** Answers every refusal, and every request for an address or a method that the server does not have. */
function answerRefusals(http: Http, options: HttpOptions): void {
  const served: string[] = []
  servedRoutes.set(http, served)
  const refuseUnrouted = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allowed = methodsAt(served, request.url.split('?')[0]!)
    // If the request's own method is in the list, the address only resembles the template, for example with an empty name.
    const isElsewhere = allowed.length === 0 || allowed.includes(request.method)
    if (!isElsewhere) void reply.header('allow', allowed.join(', '))
    return sendRefusal(isElsewhere ? noSuchRoute : methodNotAllowed, request, reply, options)
  }
  http.setErrorHandler((error, request, reply) => {
    // Fastify has rules of its own for the body of a QUERY, before it looks at the path.
    if (request.is404 && (error as { code?: string }).code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE')
      return refuseUnrouted(request, reply)
    const refusal = refusalOf(error, request)
    if (refusal.httpStatus >= 500 && !(error instanceof Refusal)) {
      options.log.error('request.failed', error, { request_id: request.id, route: routeOf(request), status: refusal.httpStatus })
    }
    if (refusal.code !== 'not_found' || !options.explainMissing) return sendRefusal(refusal, request, reply, options)
    return options.explainMissing(request).then(
      (explained = refusal) => sendRefusal(explained, request, reply, options),
      () => sendRefusal(refusal, request, reply, options),
    )
  })
  http.setNotFoundHandler(refuseUnrouted)
  http.addHook('onRoute', ({ method, url }) => void served.push(...[method].flat().map((name) => `${name} ${url}`)))
}

/** Makes the server; the caller adds the routes. */
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
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    keepAliveTimeout: 65_000,
    // Node would answer such a request itself, without a body. It is refused below.
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Addresses that cannot be routed never reach a hook, so the common headers are set here.
    frameworkErrors(error, request, reply) {
      void reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
      if (options.isPublicPath(request.url.split('?')[0]!)) void reply.header('access-control-allow-origin', '*')
      return sendRefusal(refusalOf(error, request), request, reply, options)
    },
    clientErrorHandler(error, socket) {
      answerBrokenHttp(error, socket, options)
    },
  }).withTypeProvider<ZodTypeProvider>()
  // Replaces the type provider's compiler, which keeps only a joined path of an issue, so that field names with a slash would be
  // misread.
  http.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (value) => {
    // A schema with only optional fields uses `.prefault({})` and accepts undefined.
    const given =
      httpPart === 'querystring' ? withNestedFields(withoutNul(value)) : httpPart === 'body' ? bodyOf(schema, value) : value
    const { error, data } = schema.safeParse(given, { error: messageOf })
    return error ? { error: Object.assign(error, { given }) } : { value: data }
  })
  http.setSerializerCompiler(serializerCompiler)

  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    try {
      const value = bytes.length === 0 ? undefined : parseStrictJson(bytes, request.routeOptions.config.jsonMarks)
      // Fastify passes a missing body as null too; this one was sent, and no schema takes a NaN.
      done(null, value === null ? Number.NaN : value)
    } catch (error) {
      done(error as Error)
    }
  })
  http.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) done(null, undefined)
    else done(unsupportedMediaType)
  })

  answerRefusals(http, options)
  http.decorateRequest('actor', null)
  http.decorateRequest('refusedWith', null)
  http.decorateRequest('trace', null)

  const { ofEveryAnswer, ofDocuments } = await securityHeaders()
  http.addHook('onRequest', (request, reply, done) => {
    // Answers contain private data about money: no cache may store them, unless a route allows it.
    void reply.headers(ofEveryAnswer).header('x-request-id', request.id).header('cache-control', 'no-store')
    const traceId = traceIdOf(request.headers['traceparent']) ?? newTraceId()
    request.trace = { requestId: request.id, traceId, about: publicIdsIn(request.params) }
    inTrace(request.trace, done)
  })
  // After the body, the hooks run in the context of its stream, which belongs to the connection, so the trace is set again.
  http.addHook('preValidation', (request, _reply, done) => inTrace(request.trace!, done))
  http.addHook('onRequest', (request, reply, done) => {
    if (!request.headers['transfer-encoding']?.includes(',')) return done()
    // A proxy in front may have read another end of this body, and the bytes after it belong to no request. The parser itself
    // refuses every single coding except `chunked`.
    void reply.header('connection', 'close')
    done(unreadableBody)
  })
  http.addHook('onRequest', (request, _reply, done) => {
    done(duplicateIn(request.raw.rawHeaders))
  })
  // After the steps that read credentials, before the first byte of the body.
  http.addHook('preParsing', (request, _reply, body, done) => {
    // Some senders write a character set here, which changes no byte.
    const { 'content-encoding': encoding = '', 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers
    const hasBody = chunked !== undefined || length !== '0'
    done(hasBody && /gzip|deflate|compress|zstd|\bbr\b/i.test(encoding) ? compressedBody : null, body)
  })
  // Without a listener, Node would answer an unknown expectation itself, without a body.
  http.server.on('checkExpectation', (request, response) => void http.server.emit('request', request, response))
  http.addHook('onRequest', ({ raw }, reply, done) => {
    const { expect } = raw.headers
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      // It is unknown whether a body follows.
      void reply.header('connection', 'close')
      return done(unknownExpectation)
    }
    done(raw.headers.host === undefined && raw.httpVersion === '1.1' ? noHost : undefined)
  })
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html')) {
      // A route may have chosen its own.
      const chosen = reply.getHeader('permissions-policy')
      void reply.headers({ ...ofDocuments, ...(chosen !== undefined && { 'permissions-policy': chosen }) })
    }
    if (options.isDraining()) void reply.header('connection', 'close')
    done(null, payload)
  })
  http.addHook('onResponse', (request, reply, done) => {
    const { trace } = request
    log.info('request.answered', {
      request_id: request.id,
      ...(trace && { trace_id: trace.traceId, ...(trace.about.length > 0 && { about: trace.about }) }),
      route: routeOf(request),
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
    })
    done()
  })

  closeUnused(http)
  if (options.meters) countRequests(http, options.meters)

  const anyOrigin = corsOf({ origin: '*', credentials: false })
  const ourDashboards = corsOf({ origin: [...options.dashboardOrigins], credentials: true })
  await http.register(cors, {
    delegator: (request, callback) =>
      callback(null, options.isPublicPath(request.url?.split('?')[0] ?? '') ? anyOrigin : ourDashboards),
  })
  await http.register(underPressure, {
    maxEventLoopDelay: options.maxEventLoopDelayMs,
    pressureHandler: () => {
      throw new Refusal(503, 'overloaded', 'The service is overloaded. Try again shortly.', { retryAfterSeconds: 1 })
    },
  })
  return http
}
