/**
 * Notifications between processes: one connection that LISTENs and passes on each notification. Notifications may get lost while
 * it reconnects, so every listener also polls from time to time.
 */
import pg from 'pg'
import type { Log } from '../process/log.ts'
import { connectionTo } from './primary.ts'

export type Notifications = {
  on(channel: string, listener: (payload: string) => void): void
  /** Calls `listener` when the connection is back after a loss: notifications may be missing. */
  onGap(listener: () => void): void
  close(): Promise<void>
}

const reconnectMs = 500
const connectTimeoutMs = 5_000

export async function openNotifications(options: { url: string; channels: string[]; log: Log }): Promise<Notifications> {
  const { url, channels, log } = options
  const listeners = new Map<string, Set<(payload: string) => void>>(channels.map((channel) => [channel, new Set()]))
  const gapListeners = new Set<() => void>()
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const { connectionString, Client } = connectionTo(url, connectTimeoutMs)

  async function connect(): Promise<void> {
    const next = new Client({
      connectionString,
      application_name: 'malipo-listen',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: connectTimeoutMs,
    })
    next.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '')
    })
    next.on('error', () => lost(next))
    next.on('end', () => lost(next))
    try {
      await next.connect()
      await next.query(channels.map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; '))
      client = next
    } catch (error) {
      lost(next)
      throw error
    }
  }

  function lost(which: pg.Client): void {
    which.removeAllListeners('end')
    void which.end().catch(() => undefined)
    if (isClosed || timer !== undefined) return
    log.warn('notifications.connection_lost')
    timer = setTimeout(() => {
      timer = undefined
      connect().then(
        () => gapListeners.forEach((listener) => listener()),
        (error: unknown) => log.error('notifications.reconnect_failed', error),
      )
    }, reconnectMs)
  }

  await connect()
  return {
    on: (channel, listener) => void listeners.get(channel)!.add(listener),
    onGap: (listener) => void gapListeners.add(listener),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}
