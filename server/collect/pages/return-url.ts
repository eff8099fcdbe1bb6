/**
 * The address that a payer is sent to after paying: the merchant's address with the payment's reference. Invariant: independent of the
 * stored value, a payer is sent only to https, or to this machine in local mode.
 */
import type { Config } from '../../config/config.ts'
import { isUnambiguousHost } from './redirect-host.ts'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Printable, without spaces, and read in the same way by every browser: no user name, no backslash. */
function plainUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || text.includes('\\') || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

function isAllowed({ protocol, hostname }: URL, mode: Config['mode']): boolean {
  if (protocol === 'http:') return mode === 'local' && loopbackHosts.has(hostname)
  return protocol === 'https:' && hostname.includes('.')
}

/** The host, with its port if it is not the default, of an address to which payers may be sent; undefined if they may not. */
export function hostOfReturnUrl(text: string, mode: Config['mode']): string | undefined {
  const url = plainUrl(text)
  if (!url || !isAllowed(url, mode)) return undefined
  return url.protocol === 'http:' || isUnambiguousHost(url.hostname) ? url.host : undefined
}

/** Whether payers may be sent there: https to a named host, in local mode also http to this machine. */
export function isReturnUrl(text: string, mode: Config['mode']): boolean {
  return hostOfReturnUrl(text, mode) !== undefined
}

/**
 * The merchant's address with `reference` and `status=completed` after its own query and before its fragment; undefined if payers may not
 * be sent there, even if the address is stored.
 */
export function returnUrl(text: string | null, reference: string, mode: Config['mode']): string | undefined {
  const url = text === null ? undefined : plainUrl(text)
  if (!url || !isAllowed(url, mode)) return undefined
  // Without searchParams, which would rewrite the merchant's own query with another encoding.
  const own = url.search.replace(/^\?/, '').replace(/&$/, '')
  url.search = `${own}${own === '' ? '' : '&'}reference=${reference}&status=completed`
  return url.href
}
