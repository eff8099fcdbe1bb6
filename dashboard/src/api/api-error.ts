/** A refusal of the API, or a failed connection, for the screens: branch on `code`. */
import type { ErrorAnswer as ErrorBody } from './operations.ts'

export type FieldProblem = { field: string; code: string; message: string; message_sw: string }

export class ApiError extends Error {
  /** 0 without an answer. */
  readonly status: number
  readonly code: string
  /** Undefined if the answer was not from the API. */
  readonly messageSw: string | undefined
  /** The field, if the error concerns one. */
  readonly param: string | undefined
  readonly fields: readonly FieldProblem[]
  readonly details: Record<string, unknown>
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: number,
    error: Partial<ErrorBody['error']> & { code: string; message: string },
    retryAfter?: string | null,
  ) {
    super(error.message)
    this.name = 'ApiError'
    this.status = status
    this.code = error.code
    this.messageSw = error.message_sw
    this.param = error.param
    this.fields = error.errors ?? []
    this.details = error.details ?? {}
    this.requestId = error.request_id
    this.retryAfterSeconds = retryAfter ? Number(retryAfter) : undefined
  }
}

/** They promise that nothing was stored or sent. A time to try again promises nothing: proxies give one for a lost answer, too. */
const notBegun = ['provider_unavailable', 'network_unavailable']

/** Whether the action may have happened, or may still happen, although no answer confirms it. */
export function isUnsure(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.code === 'idempotency_in_progress') return true
  return (error.status === 0 || error.status >= 500) && !notBegun.includes(error.code)
}

/** The same after a repeat with the key: it may be refused before the service looks for the first request. */
export function isUnsureAfter(error: unknown, wasUnsure: boolean): boolean {
  if (isUnsure(error) || !wasUnsure || !(error instanceof ApiError)) return isUnsure(error)
  return error.status >= 500 || [401, 403, 429].includes(error.status) || error.code === 'idempotency_key_reused'
}

/** Makes the error of an unsuccessful answer. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as ErrorBody | undefined
  const error = body?.error ?? { code: 'unreadable_answer', message: `The service answered ${response.status}.` }
  return new ApiError(response.status, error, response.headers.get('retry-after'))
}

/** The body of a successful answer, which a lost connection can cut. */
export async function jsonOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return (await response.json()) as unknown
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
}

export const unreachable = (): ApiError => new ApiError(0, { code: 'unreachable', message: 'The service cannot be reached.' })

/** `fetch` with one kind of error. */
export async function fetchOrFail(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw unreachable()
  }
}
