/**
 * Notifies other processes, after the commit that the notification is about. A transaction that notifies holds a lock over the
 * whole database until it is flushed, so no two of them commit at the same time; this transaction does not wait for the disk.
 * Invariant: notifications may be lost, so every listener polls.
 */
import type { Runner, Tx } from './db.ts'
import { recordset } from './recordset.ts'
import { sql } from './sql.ts'

export type News = { channel: string; payload: string }

/** Deliveries of events may be sent now. */
export const webhooksDue: News = { channel: 'webhooks_due', payload: '' }

const newsColumns = { channel: 'text', payload: 'text' } as const

/** Sends each notification once, even if the list repeats it. */
export async function notify(db: Runner, news: News[]): Promise<void> {
  await db.rows(sql`
    with quick as materialized (select set_config('synchronous_commit', 'off', true))
    select pg_notify(n.channel, n.payload)
    from quick, ${recordset(news, 'n', newsColumns)}`)
}

const isTx = (runner: Runner): runner is Tx => 'kind' in runner && runner.kind === 'tx'

/** Notifies of rows that `runner` has just written: at once, or after the commit if `runner` is a transaction. */
export async function notifyAfterCommit(runner: Runner, news: News[]): Promise<void> {
  if (isTx(runner)) runner.afterCommit((committed) => notify(committed, news))
  else await notify(runner, news)
}

/** Names no change of this transaction, which will be rolled back: screens that follow changes would read again what is still the same. */
export async function silenceChanges(tx: Tx): Promise<void> {
  await tx.rows(sql`select set_config('client_min_messages', 'warning', true)`)
}
