/**
 * One call of the API: one deadline for all its tries, and retries only for requests that are safe to send twice. Invariant: a
 * request that is not `repeatable` is sent at most once.
 */
import type { ErrorAnswer as ApiErrorBody } from './api-types.js'
import { MalipoConnectionError, MalipoError } from './errors.js'

export type MalipoOptions = {
  /** A key of one of your apps: `svc_test_…` or `svc_live_…`. */
  apiKey: string
  /** The address of the service; by default the one that `npm start` runs on your machine. */
  baseUrl?: string
  fetch?: typeof globalThis.fetch
  /** For a whole call, including its retries and the pauses between them; 30,000 by default. */
  timeoutMs?: number
  /** Retries after the first try; 3 by default. */
  maxRetries?: number
}

export type CallOptions = { signal?: AbortSignal; timeoutMs?: number }

type Query = Record<string, string | number | boolean | Record<string, string> | undefined>

export type Call = CallOptions & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: Query
  body?: unknown
  /** Sent as it is, in place of `body`. */
  csv?: string | Uint8Array
  /** Sent as a header: a repeat makes no second object. */
  idempotencyKey?: string
  /** The public routes are called without the key. */
  isPublic?: boolean
  /** Sending the same request twice has the effect of one; of a GET it always has. */
  repeatable?: boolean
}

const firstPauseMs = 250
const longestPauseMs = 8_000

const mayPass = new Set([429, 502, 503, 504])

/** Whether a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MalipoConnectionError) return true
  return error instanceof MalipoError && (mayPass.has(error.httpStatus) || error.code === 'idempotency_in_progress')
}

/** Resolves after `ms`, or throws the signal's reason as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** A timer cannot be set to more: it would end at once. */
const longestTimeoutMs = 2 ** 31 - 1

function checkedTimeout(timeoutMs: number): number {
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs is a number of milliseconds above 0.')
  return Math.min(timeoutMs, longestTimeoutMs)
}

function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Every successful answer of the service contains `data`. */
function holdsData(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'data' in body
}

function errorOf(response: Response, body: unknown): MalipoError {
  const answer = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers),
  }
  const errorBody = (body as Partial<ApiErrorBody> | null | undefined)?.error
  if (typeof errorBody?.code === 'string') return new MalipoError(errorBody, answer)
  // Another system between us and the service has answered.
  const message = `The answer is not one of the service (HTTP ${response.status}).`
  return new MalipoError({ type: 'api_error', code: 'unexpected_answer', message }, answer)
}

export class Transport {
  readonly timeoutMs: number
  readonly #apiKey: string
  readonly #baseUrl: string
  readonly #fetch: typeof globalThis.fetch
  readonly #maxRetries: number

  constructor({
    apiKey,
    baseUrl = 'http://127.0.0.1:3000',
    fetch = globalThis.fetch,
    timeoutMs = 30_000,
    maxRetries = 3,
  }: MalipoOptions) {
    if (!apiKey) throw new TypeError('An API key is needed: new Malipo({ apiKey }).')
    this.timeoutMs = checkedTimeout(timeoutMs)
    if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) throw new TypeError('maxRetries is a whole number, 0 or more.')
    this.#apiKey = apiKey
    this.#baseUrl = new URL(baseUrl).href.replace(/\/+$/, '')
    // Called as a plain function: a browser's fetch fails when it is called as a method of another object.
    this.#fetch = (input, init) => fetch(input, init)
    this.#maxRetries = maxRetries
  }

  /** The JSON of a 2xx; throws `MalipoError`, `MalipoConnectionError`, or the reason of the caller's signal. */
  async call<Answer>(call: Call): Promise<Answer> {
    const deadline = Date.now() + checkedTimeout(call.timeoutMs ?? this.timeoutMs)
    // Written once: a retry sends the same, also when the program has changed its object since.
    const body = call.body === undefined ? call.csv : JSON.stringify(call.body)
    const isRepeatable = call.method === 'GET' || call.repeatable === true
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#once(call, body, deadline)) as Answer
      } catch (error) {
        if (!isRepeatable || !isPassing(error) || tries > this.#maxRetries) throw error
        const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1))
        const asked = error instanceof MalipoError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
        // Jitter prevents many clients from retrying at the same moment after an outage.
        const pauseMs = Math.max(longest / 2, asked) + (Math.random() * longest) / 2
        if (Date.now() + pauseMs >= deadline) throw error
        await pause(pauseMs, call.signal)
      }
    }
  }

  /** The `data` of the answer. */
  async data<Data>(call: Call): Promise<Data> {
    return (await this.call<{ data: Data }>(call)).data
  }

  #addressOf({ path, query = {} }: Call): string {
    const words = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (typeof value === 'object') for (const [key, one] of Object.entries(value)) words.set(`${name}[${key}]`, one)
      else if (value !== undefined) words.set(name, String(value))
    }
    const text = words.toString()
    return `${this.#baseUrl}${path}${text === '' ? '' : `?${text}`}`
  }

  async #once(call: Call, sent: Call['csv'], deadline: number): Promise<unknown> {
    const { signal } = call
    signal?.throwIfAborted()
    const ended = new AbortController()
    const stop = () => ended.abort(signal!.reason)
    const timer = setTimeout(() => ended.abort(), Math.max(0, deadline - Date.now()))
    signal?.addEventListener('abort', stop, { once: true })
    try {
      const response = await this.#fetch(this.#addressOf(call), {
        method: call.method,
        headers: {
          accept: 'application/json',
          ...(!call.isPublic && { 'x-api-key': this.#apiKey }),
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
          ...(call.csv !== undefined && { 'content-type': 'text/csv' }),
          ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
        },
        ...(sent !== undefined && { body: sent as string }),
        // The key is sent only to the configured address, never to one in an answer.
        redirect: 'manual',
        signal: ended.signal,
      })
      const body = parse(await response.text())
      if (!response.ok || !holdsData(body)) throw errorOf(response, body)
      return body
    } catch (error) {
      if (error instanceof MalipoError) throw error
      if (signal?.aborted) throw signal.reason
      if (ended.signal.aborted) throw new MalipoConnectionError('timeout', 'No whole answer came in time.', error)
      throw new MalipoConnectionError('network', 'The service could not be reached, or its answer broke off.', error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }
}
