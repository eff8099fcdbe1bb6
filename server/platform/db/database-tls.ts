/** Finds database connections that cross a network unencrypted. */
import { urlsOf } from './primary.ts'

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/
const modesWithTls = new Set(['require', 'verify-ca', 'verify-full'])

/** The hosts of a DATABASE_URL on other machines that are used without TLS; a path is a socket of this machine. */
export function plainRemoteHosts(url: string): string[] {
  const query = new URLSearchParams(url.split('?')[1] ?? '')
  if (modesWithTls.has(query.get('sslmode') ?? '')) return []
  const hosts = query.getAll('host')
  const named = hosts.length > 0 ? hosts : urlsOf(url).map((one) => one.replace(/^\w+:\/\/(?:[^@/?]*@)?([^/?]*).*$/, '$1'))
  return named.filter((host) => host !== '' && !decodeURIComponent(host).startsWith('/') && !loopback.test(host))
}
