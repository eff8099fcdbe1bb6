/**
 * Requests JSON from one other server. Invariant: every call ends by its deadline, reads no more than its limit, follows no
 * redirect, and separates requests that were certainly not sent from requests that may have arrived.
 */
import { Agent, request } from 'undici'
import { currentTrace, traceparentOf } from '../process/trace.ts'

export type JsonAnswer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Undefined when the answer is not JSON. */
  body: unknown
}

export type JsonCall =
  | { kind: 'answered'; answer: JsonAnswer }
  /** No connection was made: the request was certainly not sent. */
  | { kind: 'not_sent'; reason: string }
  | { kind: 'unknown'; reason: string }

export type JsonMethod = 'GET' | 'POST'

export type JsonRequest = {
  headers: Record<string, string>
  body?: string
  /** Overrides the client's timeout. */
  timeoutMs?: number
  maxResponseBytes?: number
}

export type JsonClient = {
  call(method: JsonMethod, path: string, request: JsonRequest): Promise<JsonCall>
  close(): Promise<void>
}

export type JsonClientOptions = { baseUrl: string; timeoutMs: number; maxResponseBytes: number; connections: number }

const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

export function createJsonClient(options: JsonClientOptions): JsonClient {
  const agent = new Agent({
    connections: options.connections,
    pipelining: 1,
    connect: { timeout: Math.min(options.timeoutMs, 5_000) },
  })

  async function call(method: JsonMethod, path: string, wanted: JsonRequest): Promise<JsonCall> {
    const { headers, body, timeoutMs = options.timeoutMs, maxResponseBytes = options.maxResponseBytes } = wanted
    // One deadline for connecting, headers and body; undici's timers only detect silence.
    const trace = currentTrace()
    const signal = AbortSignal.timeout(Math.max(1, Math.round(timeoutMs)))
    try {
      const response = await request(`${options.baseUrl}${path}`, {
        dispatcher: agent,
        method,
        signal,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(trace && { traceparent: traceparentOf(trace.traceId) }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      })
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxResponseBytes) {
          response.body.destroy()
          return { kind: 'unknown', reason: 'answer_too_large' }
        }
        chunks.push(chunk)
      }
      let parsed: unknown
      try {
        parsed = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      } catch {
        parsed = undefined
      }
      return { kind: 'answered', answer: { status: response.statusCode, headers: response.headers, body: parsed } }
    } catch (error) {
      const code = errorCode(error)
      return neverConnected.has(code) ? { kind: 'not_sent', reason: code } : { kind: 'unknown', reason: code }
    }
  }

  return { call, close: () => agent.close() }
}
