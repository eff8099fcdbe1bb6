/** The idempotency key of a request: repeated requests with it take effect once. */
export function newIdempotencyKey(): string {
  // `randomUUID` exists only on https and localhost.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
