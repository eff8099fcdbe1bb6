/** The signature of every webhook. Invariant: it covers the timestamp and the exact bytes sent. */
import { createHmac } from 'node:crypto'

/** Lowercase hex HMAC-SHA256 of `{timestamp}.{body}`; `timestamp` in unix seconds. */
export function sign(secret: string, timestamp: number, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
}
