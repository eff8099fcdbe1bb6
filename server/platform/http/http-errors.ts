/**
 * Errors at the edge: only this file turns each refusal, schema error, framework error and internal error into the contract's one
 * shape. Invariant: an answer never shows a stack, a statement or a secret; the request id finds the rest in the log.
 */
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isUnavailable } from '../db/db.ts'
import { pooledRandomBytes } from '../ids.ts'
import { wantsFile } from './csv.ts'
import { meantBy, namesIn, plainName, rangeIn, schemaAt, shownName } from './field-hints.ts'
import {
  inRange,
  keyGoesInHeader,
  meantField,
  notAnObject,
  required,
  sentenceOf,
  sentTwice,
  swahiliOfField,
  tooLarge,
  tooLow,
  unknownField,
  unstorable,
  type Sentence,
} from './field-words.ts'
import { notFound, plainFieldCodes, Refusal, type ErrorType, type FieldError } from '../refusal.ts'
import type { RefusedRequest, SecurityLog } from './security-log.ts'

export type AnswerOptions = {
  /** The page that explains the codes, each at its own anchor. */
  docUrl: string
  /** The Swahili sentence of an error code, or of a field's own English sentence. */
  swahiliOf(codeOrSentence: string): string | undefined
  security: SecurityLog
  sendMissing?(request: FastifyRequest, reply: FastifyReply): FastifyReply
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

export function errorTypeOf(httpStatus: number, code: string): ErrorType {
  if (code.startsWith('idempotency_')) return 'idempotency'
  return errorTypes[httpStatus] ?? (httpStatus < 500 ? 'invalid_request' : 'api_error')
}

const internalError = new Refusal(
  500,
  'internal_error',
  'An internal error occurred. Nothing is lost. Quote the request id if you contact us.',
)
const databaseAway = new Refusal(503, 'overloaded', 'The service is temporarily unavailable. Try again shortly.', {
  retryAfterSeconds: 2,
})

export const unsupportedMediaType = new Refusal(415, 'unsupported_media_type', 'Send the body as application/json.')
export const compressedBody = new Refusal(
  415,
  'unsupported_media_type',
  'Compressed bodies are not read. Send the body without Content-Encoding.',
  { messageSw: 'Mwili uliobanwa hausomwi. Tuma mwili bila Content-Encoding.' },
)

const frameworkRefusals: Record<string, Refusal> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new Refusal(
    400,
    'invalid_json',
    'The body does not have the length given in Content-Length.',
  ),
  FST_ERR_BAD_URL: new Refusal(400, 'validation_error', 'The URL cannot be decoded. Check its percent-encoding.'),
  FST_ERR_MAX_PARAM_LENGTH: notFound(),
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined),
    root,
  )
}

/** A request that does not match its route's schema: what was checked, and, from Fastify, the part of the request. */
type ShapeError = z.ZodError & { given: unknown; validationContext: 'querystring' | 'params' | 'headers' | 'body' }

function isShapeError(error: unknown): error is ShapeError {
  return error instanceof z.ZodError && 'validationContext' in error
}

const said = (field: string, code: string, { en, sw }: Sentence): FieldError => ({ field, code, message: en, messageSw: sw })

const readsKeyHeader = ({ config, schema }: FastifyRequest['routeOptions']): boolean =>
  config.idempotencyKey !== undefined || namesIn(schema?.headers).includes('idempotency-key')

function sentenceOfUnknown(name: string, known: readonly string[], request: FastifyRequest): Sentence {
  const meant = meantBy(name, known)
  if (meant !== undefined) return meantField(shownName(name), meant)
  const isKey = plainName(name.slice(0, 40)) === 'idempotencykey' && readsKeyHeader(request.routeOptions)
  return isKey ? keyGoesInHeader : unknownField(shownName(name))
}

/** What is wrong with a parameter of the query: it has only texts, and a list of them if it came twice. */
function sentenceOfParameter(value: unknown, schema: unknown): Sentence | undefined {
  if (Array.isArray(value)) return sentTwice
  // See `withoutNul`.
  if (Number.isNaN(value)) return unstorable
  const range = rangeIn(schema)
  return range && inRange(range.least, range.most)
}

/** The code and sentence of a value that its schema refuses. A schema may set both itself: `amount_invalid: The amount is …`. */
function refusedValue(field: string, issue: z.core.$ZodIssue, value: unknown, schema: unknown): FieldError {
  const [, code = 'invalid', sentence = issue.message] = /^([a-z]+_[a-z_]+): (.+)$/s.exec(issue.message) ?? []
  const isOfOtherKind = issue.code === 'invalid_type' && issue.expected !== 'number' && issue.expected !== 'int'
  if (!isOfOtherKind && (value === Infinity || value === -Infinity)) {
    const size = value > 0 ? 'too_large' : 'too_small'
    return said(field, code === 'amount_invalid' ? `amount_${size}` : code, value > 0 ? tooLarge : tooLow)
  }
  const ofKind = sentenceOf(issue)
  if (issue.message !== ofKind.en) return { field, code, message: sentence }
  const range = issue.code === 'too_big' || issue.code === 'too_small' ? rangeIn(schema) : undefined
  return said(field, 'invalid', range ? inRange(range.least, range.most) : ofKind)
}

/** So many fields are named. */
const mostErrors = 20

function fieldErrorsOf({ issues, given, validationContext: part }: ShapeError, request: FastifyRequest): FieldError[] {
  const root = request.routeOptions.schema?.[part]
  const errors = issues.slice(0, mostErrors).flatMap((issue): FieldError[] => {
    const { path } = issue
    const field = path.map(shownName).join('.')
    const schema = schemaAt(root, path)
    if (issue.code === 'unrecognized_keys') {
      const known = namesIn(schema)
      const at = (name: string): string => [...path, name].map(shownName).join('.')
      return issue.keys
        .slice(0, mostErrors)
        .map((name) => said(at(name), 'unknown_field', sentenceOfUnknown(name, known, request)))
    }
    if (path.length === 0) return [said('body', 'required', notAnObject)]
    const value = valueAt(given, path)
    if (value === undefined) return [said(field, 'required', required)]
    const ofParameter = part === 'querystring' ? sentenceOfParameter(value, schema) : undefined
    if (ofParameter) return [said(field, 'invalid', ofParameter)]
    return [refusedValue(field, issue.code === 'invalid_key' ? (issue.issues[0] ?? issue) : issue, value, schema)]
  })
  return errors.slice(0, mostErrors)
}

function bodyTooLarge({ routeOptions }: FastifyRequest): Refusal {
  const kibibytes = routeOptions.bodyLimit / 1024
  const limit = kibibytes >= 1024 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`
  return new Refusal(413, 'payload_too_large', `The body is larger than ${limit}.`, {
    messageSw: `Mwili wa ombi unazidi ${limit}.`,
  })
}

/** The refusal for an error. An error that is not the caller's fault and has no public explanation becomes an internal error. */
export function refusalOf(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  if (isShapeError(error)) {
    const fields = fieldErrorsOf(error, request)
    const codes = new Set(fields.map((field) => field.code))
    const [only] = codes.size === 1 ? codes : []
    const isNamed = only !== undefined && !plainFieldCodes.has(only)
    return new Refusal(
      400,
      isNamed ? only : 'validation_error',
      isNamed ? fields[0]!.message : 'Some fields are invalid. See errors.',
      {
        errors: fields,
        param: fields[0]?.field,
      },
    )
  }
  if (isUnavailable(error)) return databaseAway
  if ((error as { code?: string }).code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request)
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code !== undefined && frameworkRefusals[code]) return frameworkRefusals[code]
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal(statusCode, 'validation_error', 'The request is malformed.')
  return internalError
}

const knownStatusTitles: Record<ErrorType, string> = {
  invalid_request: 'Invalid request',
  authentication: 'Authentication required',
  permission: 'Permission denied',
  not_found: 'Not found',
  conflict: 'Not possible in the current state',
  idempotency: 'Idempotency key conflict',
  rate_limit: 'Too many requests',
  payment: 'Payment not possible',
  api_error: 'Internal error',
}

export function routeOf(request: FastifyRequest): string {
  return `${request.method} ${request.routeOptions.url ?? '(no route)'}`
}

/** The facts about a request that the security log may contain. */
export function refusedRequest(request: FastifyRequest): RefusedRequest {
  return { requestId: request.id, route: routeOf(request), ip: request.ip, actor: request.actor }
}

/** Sends a refusal in the contract's one shape, or as RFC 9457 if the client asks for it. */
export function sendRefusal(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  options: AnswerOptions,
): FastifyReply {
  const { code, httpStatus, message, detail } = refusal
  options.security.note(refusal, refusedRequest(request))
  request.refusedWith = code
  const isUnknown = httpStatus === 404 && detail.evidence?.reason === 'unknown_route'
  // Some programs ask for HTML by default.
  const isOfPrograms = request.method !== 'GET' || /^\/(?:v1|developers|\.well-known)(?:\/|$)/.test(request.url)
  if (isUnknown && !isOfPrograms && options.sendMissing && wantsFile(request, 'text/html'))
    return options.sendMissing(request, reply.code(404).header('cache-control', 'no-store'))
  const errors = detail.errors?.map(({ messageSw, ...error }) => ({
    ...error,
    message_sw: messageSw ?? options.swahiliOf(error.message) ?? swahiliOfField(error.code) ?? options.swahiliOf(error.code),
  }))
  const type = errorTypeOf(httpStatus, code)
  if (detail.retryAfterSeconds !== undefined) void reply.header('retry-after', detail.retryAfterSeconds)
  const facts = {
    code,
    message,
    message_sw: detail.messageSw ?? options.swahiliOf(code),
    ...(detail.param !== undefined && { param: detail.param }),
    ...(errors !== undefined && { errors }),
    ...(detail.details !== undefined && { details: detail.details }),
    request_id: request.id,
    doc_url: `${options.docUrl}#${code}`,
  }
  // Skip the response schema of the route: an error always has the one shape.
  void reply
    .code(httpStatus)
    .header('cache-control', 'no-store')
    .serializer((body: unknown) => JSON.stringify(body))
  // Generated clients name every described type, and prefer the plain one by its weight.
  if (wantsFile(request, 'application/problem+json')) {
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

const brokenHttpStatuses: Record<string, [status: number, reason: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** Input that is not HTTP has no request to answer, but its sender still gets the one shape of an error. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket, options: AnswerOptions): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] = brokenHttpStatuses[error.code ?? ''] ?? [400, 'Bad Request']
  const requestId = newRequestId()
  const code = 'malformed_request'
  // Connections break, and load balancers open connections before they use them: neither is an attack.
  if (status !== 408 && error.code !== 'HPE_INVALID_EOF_STATE') {
    const evidence = { reason: error.code?.startsWith('HPE_') ? error.code : 'unreadable' }
    const request = { requestId, route: '(no route)', ip: socket.remoteAddress ?? '', actor: null }
    options.security.note(new Refusal(status, code, reason, { evidence }), request)
  }
  const body = JSON.stringify({
    error: {
      type: 'invalid_request',
      code,
      message: `The request is not valid HTTP: ${reason}.`,
      message_sw: options.swahiliOf(code),
      request_id: requestId,
      doc_url: `${options.docUrl}#${code}`,
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

export function newRequestId(): string {
  return `req_${pooledRandomBytes(12).toString('base64url')}`
}
