/** Calls that make something. Invariant: one call makes at most one object, with any number of retries. */
import { MalipoConnectionError, MalipoError } from './errors.js'
import type { Call, CallOptions, Transport } from './transport.js'
import { needCrypto } from './webhooks.js'

/** Without an `idempotencyKey` one is made. To be safe across restarts too, make your own and store it before you call. */
export type CreateOptions = CallOptions & { idempotencyKey?: string }

export function newIdempotencyKey(): string {
  const bytes = needCrypto().getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Errors contain the `idempotencyKey` of the call: with it, a repeat returns the same object. */
export function createOnce<Data>(transport: Transport, path: string, body: unknown, options: CreateOptions): Promise<Data> {
  return sendOnce(transport, path, { body }, options)
}

/** The same for a file. */
export async function sendOnce<Data>(
  transport: Transport,
  path: string,
  content: Pick<Call, 'body' | 'csv' | 'query'>,
  options: CreateOptions,
): Promise<Data> {
  const { idempotencyKey = newIdempotencyKey(), ...rest } = options
  try {
    const call = { ...rest, ...content, method: 'POST', path, idempotencyKey, repeatable: true } as const
    return await transport.data(call)
  } catch (error) {
    if (error instanceof MalipoError || error instanceof MalipoConnectionError) error.idempotencyKey = idempotencyKey
    throw error
  }
}
