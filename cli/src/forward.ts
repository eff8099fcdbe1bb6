/**
 * Sends events to a receiver on this machine in the format of a webhook: the same bytes, the same headers, and a new signature
 * for every attempt. Invariant: a receiver that is down delays only the events that it has not accepted.
 */
import { randomBytes } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebhookEvent } from '@malipo/sdk'
import { signWebhook } from '@malipo/sdk/testing'
import { UsageError } from './command.ts'
import { eventColumns, timeOfDay, type Output } from './output.ts'

/** The same deadline as the service has for a receiver. */
const deadlineMs = 10_000
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]
/** A development server can handle few requests at once; the others wait here. */
const atOnce = 8

export type Attempt = { status: number | null; error: string | null; ms: number }

export function readTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new UsageError(`--forward-to is a URL, as in http://localhost:4000/hooks, not ${JSON.stringify(text)}.`)
}

/** The exact body of an event's webhook: the service writes the same keys in the same order. */
function bodyOf(event: WebhookEvent): string {
  return JSON.stringify(event)
}

const wordsFor: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection broken off',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'no answer in time',
}

/** Uses node:http, because `fetch` adds browser headers that a webhook does not have. */
function post(url: URL, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: false,
      headers,
      signal,
    })
    const timer = setTimeout(() => request.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), deadlineMs)
    request.once('close', () => clearTimeout(timer))
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume()
      response.once('error', reject)
      response.once('end', () => resolve(response.statusCode!))
    })
    request.end(body)
  })
}

/** One attempt. A refusal by the receiver is an outcome; only the signal makes it throw. */
export async function sendOnce(url: URL, event: WebhookEvent, secret: string, signal: AbortSignal): Promise<Attempt> {
  const body = bodyOf(event)
  const headers = {
    ...(await signWebhook(body, secret)),
    'user-agent': 'Malipo-Webhooks/1',
    'accept-encoding': 'identity',
    'content-length': String(Buffer.byteLength(body)),
    // Each request of the service belongs to a trace (W3C Trace Context); this one starts a new trace.
    traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
  }
  const startedAt = performance.now()
  const outcome = await post(url, headers, body, signal).then(
    (status) => ({ status, error: null }),
    (error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }) => {
      signal.throwIfAborted()
      // A name with several addresses fails with one error for each.
      const code = error.code ?? error.errors?.[0]?.code
      return { status: null, error: (code && wordsFor[code]) ?? code ?? error.message }
    },
  )
  return { ...outcome, ms: Math.round(performance.now() - startedAt) }
}

export const wasTaken = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300

export function attemptColumns(event: WebhookEvent, { status, error, ms }: Attempt): string {
  return `${timeOfDay(new Date())}  ${eventColumns(event)}  -> ${status ?? error}  ${ms} ms`
}

export type Forwarder = {
  take(event: WebhookEvent): void
  /** The number of events that no receiver has accepted yet. */
  pending(): number
}

export function createForwarder(deps: { url: URL; secret: string; out: Output; signal: AbortSignal }): Forwarder {
  const { url, secret, out, signal } = deps
  const waiting: (() => void)[] = []
  let [running, pending] = [0, 0]

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    // A finished send passes its place to a waiting one, so that no new send can take it first.
    if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  function report(event: WebhookEvent, attempt: Attempt, number: number, pauseMs: number | undefined): void {
    const isTaken = wasTaken(attempt)
    const again =
      pauseMs === undefined
        ? `given up: malipo events resend ${event.id} --forward-to ${url.href}`
        : `again in ${pauseMs / 1000} s`
    const { status, error, ms } = attempt
    out.line(`${attemptColumns(event, attempt)}${isTaken ? '' : `  ${again}`}`, {
      kind: 'delivery',
      at: new Date().toISOString(),
      event_id: event.id,
      event_type: event.type,
      amount: 'amount' in event.data ? event.data.amount : null,
      attempt: number,
      outcome: isTaken ? 'succeeded' : 'failed',
      status,
      error,
      duration_ms: ms,
      next_attempt_in_ms: isTaken ? null : (pauseMs ?? null),
    })
  }

  async function deliver(event: WebhookEvent): Promise<void> {
    for (let number = 1; ; number += 1) {
      const attempt = await inTurn(() => sendOnce(url, event, secret, signal))
      const pauseMs = pausesMs[number - 1]
      report(event, attempt, number, pauseMs)
      if (wasTaken(attempt) || pauseMs === undefined) return
      // The place is free during the pause, so other events continue.
      await sleep(pauseMs, undefined, { signal })
    }
  }

  return {
    take(event) {
      pending += 1
      deliver(event).then(
        () => (pending -= 1),
        (error: unknown) => {
          if (!signal.aborted) throw error
        },
      )
    },
    pending: () => pending,
  }
}
