/**
 * Collects what the statements of one pool have changed, and notifies all processes after the commit. Triggers raise a NOTICE with the
 * names of the changes on the connection that made them, so no writer can forget it; the names are sent when that connection returns to
 * the pool. Invariant: no name is sent before its commit. Names may get lost with a process or a connection: who listens also reads from
 * time to time. After a rollback a name says too much, which does no harm.
 */
import type pg from 'pg'
import type { Runner } from './db.ts'
import { notify } from './notify.sql.ts'

export const changesChannel = 'changes'

/** Instead of names: anything may have changed. */
export const anyChange = '*'

/** The SQLSTATE of the triggers' notices. */
const noticeCode = 'MLPCH'

/** Changes of this time are sent together: a busy process notifies at most forty times a second. */
const gatherMs = 25
const retryMs = 500
/** Above this number of names waiting, only `anyChange` is sent. */
const maxNames = 5_000
/** PostgreSQL limits a payload to 8,000 bytes. */
const maxPayloadBytes = 7_900

/** Joins names with commas into as few payloads as possible. */
export function payloadsOf(names: Iterable<string>): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const name of names) {
    if (payload !== '' && payload.length + 1 + name.length > maxPayloadBytes) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? name : `,${name}`
  }
  return payload === '' ? payloads : [...payloads, payload]
}

export type ChangeSender = {
  /** Sends what waits. */
  close(): Promise<void>
}

/** Sends the changes of all connections of `pool` with `runner`. */
export function sendChanges(pool: pg.Pool, runner: Runner): ChangeSender {
  const uncommitted = new WeakMap<pg.PoolClient, Set<string>>()
  let waiting = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let isClosed = false

  pool.on('connect', (client) => {
    const names = new Set<string>()
    uncommitted.set(client, names)
    client.on('notice', ({ code, detail }) => {
      if (code === noticeCode) for (const name of detail?.split(',') ?? []) names.add(name)
    })
  })
  pool.on('release', (_error, client) => {
    const names = uncommitted.get(client)
    if (!names || names.size === 0) return
    for (const name of names) waiting.add(name)
    names.clear()
    schedule(gatherMs)
  })

  function schedule(afterMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      sending ??= send().finally(() => (sending = undefined))
    }, afterMs)
  }

  async function send(): Promise<void> {
    const names = waiting.size > maxNames ? new Set([anyChange]) : waiting
    waiting = new Set()
    if (names.size === 0) return
    try {
      await notify(
        runner,
        payloadsOf(names).map((payload) => ({ channel: changesChannel, payload })),
      )
    } catch {
      // The pool is busy or the database away: the error was counted there.
      for (const name of names) waiting.add(name)
    }
    if (waiting.size > 0 && !isClosed) schedule(retryMs)
  }

  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await sending
      await send()
    },
  }
}
