/** The key of one form: sent again with it, what the form asks for is done once. Made when the form opens. */

export function newIdempotencyKey(): string {
  // `randomUUID` is there on https and on this machine only.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
