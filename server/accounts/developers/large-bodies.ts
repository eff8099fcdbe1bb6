/**
 * Bodies above 64 KiB. Invariant: one is read only of a verified caller that may do what its route does and has quota left, so that an
 * account which costs nothing cannot make the service read and parse megabytes.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import type { Limit } from '../../platform/http/limits.ts'
import { smallBodyBytes, type Step } from '../../platform/http/route.ts'
import { must, Refusal } from '../../platform/refusal.ts'

const notYet = new Refusal(
  413,
  'payload_too_large',
  'Until your account is verified, and while it is suspended, a body may have at most 64 KiB.',
)

/** Passes on a body whose length was not declared, and asks `allow` when it stops being small. */
async function* askWhenLarge(body: Readable, allow: () => Promise<void>): AsyncIterable<Buffer> {
  let [bytes, isAsked] = [0, false]
  // After a refusal the connection is still needed for the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (!isAsked && bytes > smallBodyBytes) {
      isAsked = true
      await allow()
    }
    yield chunk
  }
}

/** A step before the body is read. `findOwner`: what finds the merchant that a signed-in person acts for, by the query alone. */
export function guardLargeBody(limit: Limit, findOwner?: Step) {
  return async (request: FastifyRequest, reply: FastifyReply, body: RequestPayload): Promise<RequestPayload> => {
    const declared = request.headers['content-length']
    if (declared === undefined ? request.headers['transfer-encoding'] === undefined : Number(declared) <= smallBodyBytes)
      return body
    await findOwner?.(request, reply)
    const owner = must(request.access?.owner ?? request.keyCaller.owner, 'a route of an owner has a caller')
    const allow = async (): Promise<void> => {
      // In the test environment, too: its accounts cost nothing.
      if (owner.merchant.verificationStatus !== 'verified' || owner.merchant.suspendedAt !== null) throw notYet
      await limit.take(owner.merchant.id, reply)
    }
    if (declared === undefined) {
      const asked = Readable.from(askWhenLarge(body as Readable, allow), { objectMode: false })
      // A connection may end after the answer, when no one reads the rest.
      asked.on('error', () => undefined)
      return asked
    }
    await allow()
    return body
  }
}
