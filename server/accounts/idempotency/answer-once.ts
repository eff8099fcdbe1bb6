/**
 * The header `Idempotency-Key` of every route that makes an object and declares `idempotencyKey`. Invariant: the object and the stored
 * answer commit in one transaction, so a key makes at most one object, and its repeat finds the answer whenever the object exists.
 */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { waitedTooLong, type Db } from '../../platform/db/db.ts'
import { readKey } from '../../platform/http/idempotency-key.ts'
import type { AnyRoute, Step } from '../../platform/http/route.ts'
import { assert, Refusal } from '../../platform/refusal.ts'
import { claimKey, findAnswer, storeAnswer, type Claim, type StoredAnswer } from './answer.sql.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The idempotency key of the request; null without one, and on other routes. */
    idempotency: Claim | null
  }
}

/** JSON whose objects have their keys in order, so that the order in which a client writes them makes no difference. */
function orderedJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

const hashOf = (parts: readonly unknown[]): Buffer => createHash('sha256').update(orderedJson(parts)).digest()

/** Who sends a request. Keys of one caller never meet those of another one, nor those of another `scope` of the caller: an environment. */
export type Sender = { callerId: string; scope: readonly unknown[] }

/** The key of a request; 400 for a malformed one. Read before the body is validated: defaults may change with a new version. */
function claimOf(request: FastifyRequest, operation: string, senderOf: (request: FastifyRequest) => Sender): Claim | null {
  const sent = request.headers['idempotency-key']
  if (sent === undefined) return null
  const key = readKey(sent)
  const { callerId, scope } = senderOf(request)
  const { params, query, body = null } = request
  return { callerId, operation, keyHash: hashOf([callerId, scope, operation, key]), requestHash: hashOf([params, query, body]) }
}

function repeat(reply: FastifyReply, claim: Claim, { requestHash, status, objectId, body }: StoredAnswer): FastifyReply {
  if (requestHash !== null && !requestHash.equals(claim.requestHash)) {
    const message = 'This idempotency key was used with a different request. Use a new key for a new object.'
    throw new Refusal(422, 'idempotency_key_reused', message, { param: 'idempotency_key' })
  }
  if (body === null) {
    const message =
      'This key has already created the object in details.id. Its answer is not repeated. Use a new key to create another.'
    throw new Refusal(409, 'already_created', message, { details: { id: objectId } })
  }
  assert(status !== null, 'an answer is stored with its status')
  return send(reply.header('idempotency-replayed', 'true'), status, body)
}

function send(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

function idIn(payload: unknown): string | null {
  const { id } = ((payload as { data?: unknown }).data ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : null
}

export type Once = {
  /** A step after the access checks, as every refusal of a malformed request. */
  readKey: Step
  /** A step before limits and rules that have changed since: a repeat makes nothing. */
  answerRepeat: Step
  /** The handler of the route, at most once for each key. */
  answerFirst: (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
}

/** The steps of a route with `idempotencyKey`; undefined for another one. */
export function answerOnce(
  { db }: { db: Db },
  { idempotencyKey: kind, operationId, handler }: Pick<AnyRoute, 'idempotencyKey' | 'operationId' | 'handler'>,
  senderOf: (request: FastifyRequest) => Sender,
): Once | undefined {
  if (kind === undefined) return undefined
  const handle = handler as Once['answerFirst']
  return {
    async readKey(request) {
      request.idempotency = claimOf(request, operationId, senderOf)
    },
    async answerRepeat({ idempotency }, reply) {
      const stored = idempotency && (await findAnswer(db, idempotency.keyHash))
      return stored ? repeat(reply, idempotency, stored) : undefined
    },
    async answerFirst(request, reply) {
      const claim = request.idempotency
      if (!claim) return handle.call(this, request, reply)
      const first = await db.joinedTx(async (tx) => {
        const isMine = await claimKey(tx, claim).catch((error: unknown) => {
          throw waitedTooLong(error) ? inProgress : error
        })
        if (!isMine) return undefined
        const payload: unknown = await handle.call(this, request, reply)
        assert(!reply.sent && payload !== reply, 'a handler with idempotency keys returns its answer')
        const status = reply.statusCode
        const body = reply.getSerializationFunction(String(status))?.(payload as Record<string, unknown>)
        assert(body !== undefined, 'the answer of a route with idempotency keys has a schema')
        const objectId = idIn(payload)
        await storeAnswer(tx, claim.keyHash, { status, objectId, body: kind === 'name_object' ? null : body })
        return { status, body }
      })
      if (first) return send(reply, first.status, first.body)
      const stored = await findAnswer(db, claim.keyHash)
      // The row was removed a moment after it was found, at the end of its period.
      if (!stored) throw inProgress
      return repeat(reply, claim, stored)
    },
  }
}

const inProgress = new Refusal(409, 'idempotency_in_progress', 'A request with this key is in progress. Try again shortly.', {
  retryAfterSeconds: 1,
})
