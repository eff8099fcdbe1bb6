/** The idempotency key of one form: sending it again has no second effect. Created when the form opens. */

export function newIdempotencyKey(): string {
  // `randomUUID` exists only on https and localhost.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
