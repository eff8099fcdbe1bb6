/**
 * Finds the database server that accepts writes. A DATABASE_URL may name several hosts in libpq's notation:
 * `postgresql://a:5432,b:5432/malipo`. Invariant: a connection goes to the host that is no replica at that moment, so that after
 * a promotion every process finds the new primary by itself, and, without a pooler, never to a replica, whose rows are older than what was answered. This code cannot decide between two servers that both act as
 * primary: the operator who promotes one must stop the old one first.
 */
import { callbackify } from 'node:util'
import pg from 'pg'

/** One URL for each host; commas separate the hosts with their ports. */
export function urlsOf(url: string): string[] {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url) ?? []
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${start}${host}${rest}`)
}

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

async function mustTakeWrites(url: string, timeoutMs: number): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ readOnly: string }>(`select current_setting('transaction_read_only') as "readOnly"`)
    if (rows[0]!.readOnly !== 'off') throw new Error('it is read-only')
    return url
  } finally {
    await client.end().catch(() => undefined)
  }
}

export const noPrimary = 'No host of DATABASE_URL takes writes'

async function findPrimary(urls: string[], timeoutMs: number): Promise<string> {
  try {
    // All at the same time, so that a host without power, which answers nothing, causes no wait.
    return await Promise.any(urls.map((url) => mustTakeWrites(url, timeoutMs)))
  } catch (error) {
    const reasons = (error as AggregateError).errors.map(String)
    throw new Error(`${noPrimary} (${reasons.join('; ')}).`, { cause: error })
  }
}

/** A proxy leads to the next primary as soon as that one has been chosen, while it still replays what was already answered. */
export const onlyStandby = 'The database is a standby: it takes no writes, and what it shows may be old.'

/**
 * The connection settings for `pg`: the URL of one host, or the first of several, of which the client finds the primary. The client
 * refuses a standby.
 */
export function connectionTo(url: string, timeoutMs: number): { connectionString: string; Client: typeof pg.Client } {
  const urls = urlsOf(url)
  let looking: Promise<string> | undefined

  class PrimaryClient extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null) => void): void
    override connect(callback?: (error: Error | null) => void): Promise<pg.Client> | void {
      if (!callback) return this.#connect()
      callbackify(() => this.#connect())(callback)
    }

    async #connect(): Promise<pg.Client> {
      if (urls.length > 1) {
        // Connections that open at the same time share one search.
        looking ??= findPrimary(urls, timeoutMs).finally(() => (looking = undefined))
        const { hostname, port } = new URL(await looking)
        Object.assign(this, { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 5432) })
      }
      // PostgreSQL says it at the start of each session, from version 14 on, and a pooler repeats what it once heard: so a session that
      // looks like a standby's is asked. One that does not may still be a standby's behind a pooler: docs/operations/proxies.md.
      let isStandby = false
      this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
        if (parameterName === 'in_hot_standby') isStandby = parameterValue === 'on'
      })
      await super.connect()
      if (!isStandby) return this
      const { rows } = await this.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"')
      if (!rows[0]!.isStandby) return this
      await this.end()
      throw new Error(onlyStandby)
    }
  }
  return { connectionString: urls[0]!, Client: PrimaryClient }
}
