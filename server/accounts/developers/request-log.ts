/**
 * The recent calls of an owner's keys: method, route, outcome, duration; never a body, a path with an id, or a query. Invariant:
 * no request waits for this log; calls that cannot be stored in time are dropped, and the log of the service says so.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { environmentSchema } from '../../domain/environment.ts'
import { insertRequests, type KeyRequest, type ListedRequest } from './request-log.sql.ts'
import { answerOf } from '../../platform/http/answer.ts'

/** Maximum number of calls kept for each merchant, for at most seven days. */
export const keptRequests = 5_000
const flushMs = 1_000
const writtenAtOnce = 500
/** Above this the database is too slow: newer calls are dropped. */
const mostWaiting = 5_000

export type RequestLog = {
  note(request: Omit<KeyRequest, 'id'>): void
  /** Stores the waiting calls. */
  flush(): Promise<void>
}

export function createRequestLog({ db, log }: { db: Db; log: Log }): RequestLog {
  let waiting: KeyRequest[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const taken = waiting.slice(0, writtenAtOnce)
      waiting = waiting.slice(writtenAtOnce)
      try {
        await insertRequests(db, taken, keptRequests)
      } catch (error) {
        dropped += taken.length
        log.error('request_log.write_failed', error, { dropped })
        return
      }
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    flushing ??= write().finally(() => void (flushing = undefined))
    return flushing
  }

  return {
    note(request) {
      if (waiting.length >= mostWaiting) {
        dropped += 1
        return
      }
      waiting.push({ ...request, id: newId() })
      // An idle process may end before the timer.
      timer ??= setTimeout(() => void flush(), flushMs).unref()
    },
    flush,
  }
}

/** Notes each answered call of a key on this server. */
export function noteRequests(http: Pick<FastifyInstance, 'addHook'>, deps: { requestLog: RequestLog; clock: Clock }): void {
  http.addHook('onResponse', (request, reply, done) => {
    const { usedKey } = request
    if (!usedKey) return done()
    deps.requestLog.note({
      ...usedKey,
      method: request.method,
      route: request.routeOptions.url ?? '',
      status: reply.statusCode,
      errorCode: request.refusedWith,
      durationMs: Math.round(reply.elapsedTime),
      requestId: request.id,
      requestedAt: new Date(deps.clock.now() - reply.elapsedTime),
    })
    done()
  })
}

export const requestSchema = z
  .object({
    request_id: z.string().meta({ description: 'The `X-Request-Id` of the answer.' }),
    method: z.string(),
    route: z
      .string()
      .meta({ description: 'The path with parameter names in place of their values.', example: '/v1/payouts/:id' }),
    status: z.int(),
    error_code: z.string().nullable(),
    duration_ms: z.int(),
    environment: environmentSchema,
    app_id: z.string(),
    key: z.object({ id: z.string(), key_name: z.string(), key_prefix: z.string(), last4: z.string() }),
    requested_at: z.iso.datetime(),
  })
  .meta({ id: 'ApiRequest' })

export function requestToJson(request: ListedRequest): z.infer<typeof requestSchema> {
  return answerOf(requestSchema, request, {
    request_id: request.requestId,
    app_id: toWire('app', request.appId),
    key: {
      id: toWire('key', request.keyId),
      key_name: request.keyName,
      key_prefix: `svc_${request.environment}_`,
      last4: request.last4,
    },
  })
}
