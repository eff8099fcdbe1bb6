/** Calls that make something. Invariant: one call makes at most one object, with any number of retries. */
import { MalipoAbortedError, MalipoConnectionError, MalipoError } from './errors.js'
import type { Call, CallOptions, Transport } from './transport.js'
import { needCrypto } from './webhooks.js'

/** Without an `idempotencyKey` one is made. To be safe across restarts too, make your own and store it before you call. */
export type CreateOptions = CallOptions & { idempotencyKey?: string }

function newIdempotencyKey(): string {
  const bytes = needCrypto().getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const keyShape = /^[\x20-\x7e]{1,255}$/

/**
 * Makes the key of a call, or takes the caller's, and puts it on every error from then on. Refuses a given key that is none, because an
 * error or an order without one would get a new key, and with it a second object. The reason of a signal stays as it is: calls can share it.
 */
export async function underKey<Data>(
  options: CreateOptions,
  send: (key: string, options: CallOptions) => Promise<Data>,
): Promise<Data> {
  const { idempotencyKey = 'idempotencyKey' in options ? undefined : newIdempotencyKey(), ...rest } = options
  if (typeof idempotencyKey !== 'string' || !keyShape.test(idempotencyKey)) {
    throw new TypeError('An idempotency key is a text of 1 to 255 printable ASCII characters. Leave it out to get a new one.')
  }
  try {
    return await send(idempotencyKey, rest)
  } catch (error) {
    if (rest.signal?.aborted && error === rest.signal.reason) throw new MalipoAbortedError(idempotencyKey, error)
    if (error instanceof MalipoError || error instanceof MalipoConnectionError) error.idempotencyKey = idempotencyKey
    throw error
  }
}

/** Errors contain the `idempotencyKey` of the call: with it, a repeat returns the same object. */
export function createOnce<Data>(transport: Transport, path: string, body: unknown, options: CreateOptions): Promise<Data> {
  return sendOnce(transport, path, { body }, options)
}

/** The same for a file. */
export function sendOnce<Data>(
  transport: Transport,
  path: string,
  content: Pick<Call, 'body' | 'csv' | 'query'>,
  options: CreateOptions,
): Promise<Data> {
  return underKey(options, (idempotencyKey, rest) =>
    transport.data({ ...rest, ...content, method: 'POST', path, idempotencyKey, repeatable: true }),
  )
}
