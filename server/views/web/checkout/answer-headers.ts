/** The headers of every answer of the checkout's host, and the compression of its pages. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Http } from '../../../platform/http/http.ts'
import { contentSecurityPolicy } from './look.ts'

// Most of a page is the same constant style and script; below this size compression costs more than it saves.
const compressFromBytes = 1024

function compressed(text: string, accepted: string): { bytes: Buffer; encoding: string } | undefined {
  if (/\bbr\b/.test(accepted)) {
    return { bytes: brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }), encoding: 'br' }
  }
  if (/\bgzip\b/.test(accepted)) return { bytes: gzipSync(text), encoding: 'gzip' }
  return undefined
}

export function addHeaders(scope: Http, apiUrl: string): void {
  const policy = contentSecurityPolicy(apiUrl)
  // Before the route: one with a merchant's colour, and a logo, replace some of them.
  scope.addHook('onRequest', async (_request, reply) => {
    void reply.headers({
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    })
  })
  scope.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < compressFromBytes) return payload
    void reply.header('vary', 'accept-encoding')
    const smaller = compressed(payload, String(request.headers['accept-encoding'] ?? ''))
    if (!smaller) return payload
    void reply.header('content-encoding', smaller.encoding)
    return smaller.bytes
  })
}
