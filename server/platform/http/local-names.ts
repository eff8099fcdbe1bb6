/** Keeps pages that show secrets of a local start from other sites. */
import type { FastifyRequest } from 'fastify'
import { notFound } from '../refusal.ts'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/**
 * A hook for `onRequest` that answers 404 unless the request names this machine, or the host of `apiUrl`: a page of another site can give
 * its own name the address of this machine, and the name of the request shows that.
 */
export function refuseOtherNames(apiUrl: string): (request: FastifyRequest) => Promise<void> {
  const names = new Set([...loopback, new URL(apiUrl).hostname])
  return async ({ headers: { host = '' } }) => {
    if (!names.has(URL.parse(`http://${host}`)?.hostname ?? '')) throw notFound()
  }
}
