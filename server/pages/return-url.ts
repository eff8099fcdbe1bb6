/**
 * Where a payer goes on to after paying: the merchant's own address with the payment's reference. Invariant: whatever is stored, no
 * payer is sent to anything but https, or to this machine where a developer tries things out.
 */
import type { Config } from '../config.ts'
import { isHonestHost } from './redirect-host.ts'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Printable, in one piece, and read in one way only by every browser: no user name, no backslash. */
function plainUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || text.includes('\\') || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

function isAllowed({ protocol, hostname }: URL, mode: Config['mode']): boolean {
  if (protocol === 'http:') return mode === 'local' && loopbackHosts.has(hostname)
  return protocol === 'https:' && hostname.includes('.')
}

/** The host, and its port where it is not the usual one, of an address that payers may be sent to; undefined where they may not. */
export function hostOfReturnUrl(text: string, mode: Config['mode']): string | undefined {
  const url = plainUrl(text)
  if (!url || !isAllowed(url, mode)) return undefined
  return url.protocol === 'http:' || isHonestHost(url.hostname) ? url.host : undefined
}

/** Whether payers may be sent there: https to a named host, in local mode also http to this machine. */
export function isReturnUrl(text: string, mode: Config['mode']): boolean {
  return hostOfReturnUrl(text, mode) !== undefined
}

/**
 * The merchant's address with `reference` and `status=completed` behind the query that it has and before its fragment; undefined where
 * payers may not be sent there, however it came to be stored.
 */
export function returnUrl(text: string | null, reference: string, mode: Config['mode']): string | undefined {
  const url = text === null ? undefined : plainUrl(text)
  if (!url || !isAllowed(url, mode)) return undefined
  // Not through searchParams: that would write the merchant's own query anew, in another spelling.
  const own = url.search.replace(/^\?/, '').replace(/&$/, '')
  url.search = `${own}${own === '' ? '' : '&'}reference=${reference}&status=completed`
  return url.href
}
