/**
 * HTTP routes of the changes: a stream for `Accept: text/event-stream`, a list with `?wait=` for networks that cut streams. Neither keeps a
 * session alive: a stream ends with the access token that opened it.
 */
import { operatorRoute, personRoute, type SignedInRouteDeps } from '../identity/route.ts'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { dataOf, wholeNumber, type Http } from '../../platform/http/http.ts'
import { changesSchema } from './change.ts'
import type { Hub } from './hub.ts'
import type { Caller } from './open-streams.ts'

/** Keeps the connection open in proxies, which close idle ones after 30 to 60 seconds. */
const heartbeatMs = 15_000

/** A reader that leaves this much unread is cut off: it reconnects and reads everything again. */
const maxUnreadBytes = 32_768

const query = z.strictObject({
  cursor: z.string().max(40).optional().meta({ description: 'From the last answer. Without it: `is_gap`.' }),
  wait: wholeNumber(0, 25).default(0).meta({ description: 'Seconds for which the answer waits for a change.' }),
})

const description =
  'Says that something has changed, and where: read it again with its own endpoint. With `Accept: text/event-stream`, the answer is a stream of such answers (without `data` around them) until the access token expires; its last event, `end`, has a `reason`. Otherwise it is one answer, delayed until something changes or `wait` seconds have passed. A hint names only what your role may read.'

type Query = z.infer<typeof query>

const wantsStream = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/event-stream') === true

function callerOf({ signedIn }: FastifyRequest, isOperator: boolean): Caller {
  const { userId, sessionId, tokenEndsAt } = signedIn
  return { userId, sessionId, isOperator, endsAt: tokenEndsAt }
}

async function stream(
  hub: Hub,
  caller: Caller,
  cursor: string | undefined,
  reply: FastifyReply,
  beats: Set<Readable>,
): Promise<Readable> {
  const body = new Readable({ read() {} })
  const write = (text: string): void => {
    if (body.destroyed) return
    if (body.readableLength > maxUnreadBytes) body.destroy()
    else body.push(text)
  }
  const opened = await hub.open(caller, cursor, {
    tell: (changes) => write(`data: ${JSON.stringify(changes)}\n\n`),
    end(reason) {
      write(`event: end\ndata: {"reason":"${reason}"}\n\n`)
      body.push(null)
    },
  })
  beats.add(body)
  body.once('close', () => {
    beats.delete(body)
    opened.close()
  })
  void reply
    .header('content-type', 'text/event-stream')
    // Proxies pass each event on at once, as it is.
    .header('x-accel-buffering', 'no')
    .header('cache-control', 'no-store, no-transform')
  return body
}

async function answer(
  hub: Hub,
  caller: Caller,
  { cursor, wait }: Query,
  reply: FastifyReply,
): Promise<z.infer<typeof changesSchema>> {
  let told: z.infer<typeof changesSchema> | undefined
  let wake = (): void => {}
  const opened = await hub.open(caller, cursor, {
    tell(changes) {
      const isNews = told !== undefined || changes.is_gap || changes.hints.length > 0
      told = changes
      if (isNews) wake()
    },
    end: () => wake(),
  })
  const isOver = told === undefined || told.is_gap || told.hints.length > 0
  if (!isOver && wait > 0) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait * 1000)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      reply.raw.once('close', wake)
    })
  }
  opened.close()
  return told ?? { cursor: cursor ?? '', is_gap: true, hints: [] }
}

export async function liveRoutes(http: Http, deps: SignedInRouteDeps & { hub: Hub }): Promise<void> {
  const { hub } = deps
  const beats = new Set<Readable>()
  const heart = setInterval(() => {
    for (const body of beats) if (!body.destroyed) body.push(':\n\n')
  }, heartbeatMs)
  http.addHook('onClose', async () => clearInterval(heart))

  const changes = {
    summary: 'Wait for changes',
    description,
    query,
    answers: { 200: dataOf(changesSchema) },
  }
  const answerChanges =
    (isOperator: boolean) => async (request: FastifyRequest<{ Querystring: z.infer<typeof query> }>, reply: FastifyReply) => {
      const caller = callerOf(request, isOperator)
      if (wantsStream(request)) {
        // Not of the described form: a stream has its own media type.
        return reply.send((await stream(hub, caller, request.query.cursor, reply, beats)) as never) as never
      }
      return { data: await answer(hub, caller, request.query, reply) }
    }
  personRoute(http, deps, {
    route: 'GET /v1/changes',
    operationId: 'listChanges',
    ...changes,
    handler: answerChanges(false),
  })
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/changes',
    operationId: 'listOperatorChanges',
    ...changes,
    handler: answerChanges(true),
  })
}
