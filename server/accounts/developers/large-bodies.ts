/**
 * Bodies above 64 KiB. Invariant: one is read only of a verified caller that may do what its route does and has quota left, so that an
 * account which costs nothing cannot make the service read and parse megabytes.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Http } from '../../platform/http/http.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { assert, Refusal } from '../../platform/refusal.ts'
import { scopeOfHook } from './authenticate-key.ts'
import { resolverOfHook } from './owner-auth.ts'

/** An honest body of most routes has less than one. */
export const smallBodyBytes = 64 * 1024

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

/** Must be called after `resolveOwners` and before the routes are added. A route without an owner reads small bodies only. */
export function guardLargeBodies(http: Http, { limits }: { limits: { largeBody: Limit } }): void {
  http.addHook('onRoute', (route) => {
    const hooks = [route.onRequest ?? []].flat()
    const resolve = hooks.map(resolverOfHook).find((found) => found !== undefined)?.resolve
    if (!resolve && !hooks.some(scopeOfHook)) {
      route.bodyLimit = Math.min(route.bodyLimit ?? Number.POSITIVE_INFINITY, smallBodyBytes)
      return
    }
    const guard = async (request: FastifyRequest, reply: FastifyReply, body: Readable): Promise<Readable> => {
      const declared = request.headers['content-length']
      if (declared === undefined ? request.headers['transfer-encoding'] === undefined : Number(declared) <= smallBodyBytes)
        return body
      await resolve?.(request)
      const owner = request.access?.owner ?? request.keyCaller.owner
      assert(owner, 'a route of an owner has a caller')
      const allow = async (): Promise<void> => {
        // In the test environment, too: its accounts cost nothing.
        if (owner.merchant.verificationStatus !== 'verified' || owner.merchant.suspendedAt !== null) throw notYet
        await limits.largeBody.take(owner.merchant.id, reply)
      }
      if (declared === undefined) {
        const asked = Readable.from(askWhenLarge(body, allow), { objectMode: false })
        // A connection may end after the answer, when no one reads the rest.
        asked.on('error', () => undefined)
        return asked
      }
      await allow()
      return body
    }
    route.preParsing = [guard, route.preParsing ?? []].flat()
  })
}
