/**
 * A file that is the same for every caller, such as a style sheet or the description of the API. Invariant: each form of it is
 * compressed once for the life of the process, outside of the event loop, and a caller who has it gets 304 without a body.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const encoders: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
}
/** The best first. */
export const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

export type PublicFile = {
  type: string
  bytes: Buffer
  /** A hash of the content, which may be part of the file's name. */
  hash: string
  encode(encoding: Encoding): Promise<Buffer>
}

export function publicFile(type: string, content: string | Buffer): PublicFile {
  const bytes = Buffer.from(content)
  const made = new Map<Encoding, Promise<Buffer>>()
  return {
    type,
    bytes,
    hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    encode(encoding) {
      const known = made.get(encoding) ?? encoders[encoding](bytes)
      made.set(encoding, known)
      return known
    },
  }
}

/** The encodings in an `Accept-Encoding` that the caller does not refuse with `q=0`. */
function acceptedEncodings(header: string): string[] {
  return header
    .split(',')
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*q=/),
    )
    .filter(([, weight]) => weight === undefined || Number(weight) > 0)
    .map(([name]) => name!)
}

/** Sends the file in the smallest form that the caller accepts, or 304 if the caller has it. `cacheControl` says how long a cache keeps it. */
export async function sendPublicFile(
  file: PublicFile,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl: string,
): Promise<FastifyReply> {
  // Weak, because the compressed forms share it.
  const etag = `W/"${file.hash}"`
  const others = reply.getHeader('vary')
  const vary = others === undefined ? 'accept-encoding' : `${String(others)}, accept-encoding`
  void reply.headers({ etag, vary, 'cache-control': cacheControl })
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^(?!W\/)/, 'W/')) ?? []
  if (known.includes(etag)) return reply.code(304).send()
  const accepted = acceptedEncodings(request.headers['accept-encoding'] ?? '')
  const encoding = encodings.find((name) => accepted.includes(name))
  void reply.type(file.type)
  if (!encoding) return reply.send(file.bytes)
  return reply.header('content-encoding', encoding).send(await file.encode(encoding))
}
