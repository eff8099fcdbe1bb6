/** The processor time of the run and of all its processes, which a busy machine changes little. Read from `/proc` (Linux). */
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** User and system time in seconds, with that of ended children; and the parent. */
async function readStat(id: string): Promise<{ parent: string; seconds: number }> {
  const stat = await readFile(`/proc/${id}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { parent: fields[1]!, seconds: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100 }
}

async function isServerOf(cluster: string, id: string): Promise<boolean> {
  const words = (await readFile(`/proc/${id}/cmdline`, 'utf8')).split('\0')
  return basename(words[0]!) === 'postgres' && words.includes(cluster)
}

/** The seconds of the database server and its sessions so far, while it runs. */
export async function readDatabaseSeconds(cluster: string): Promise<number> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const isServer = await Promise.all(ids.map((id) => isServerOf(cluster, id).catch(() => false)))
  const server = ids[isServer.indexOf(true)]
  const seconds = await Promise.all(
    ids.map((id) =>
      readStat(id).then(
        (one) => ([id, one.parent].includes(server!) ? one.seconds : 0),
        () => 0,
      ),
    ),
  )
  return seconds.reduce((sum, one) => sum + one, 0)
}

/**
 * The seconds used by one process so far, with its children that have ended; none for a process that is gone, and where there is no
 * `/proc`.
 */
export async function readSeconds(id: number | 'self'): Promise<number> {
  return readStat(String(id)).then(
    ({ seconds }) => seconds,
    () => 0,
  )
}

/** Seconds by their purpose. */
export type Effort = Map<string, number>

export function addEffort(effort: Effort, what: string, seconds: number): void {
  effort.set(what, (effort.get(what) ?? 0) + seconds)
}

/** One line: real time and processor time, of the whole run and of a day. */
export function formatEffort(effort: Effort, realSeconds: number, days: number): string {
  const sum = [...effort.values()].reduce((total, one) => total + one, 0)
  const perDay = (seconds: number): string => `${Math.round(seconds)} s (${(seconds / Math.max(1, days)).toFixed(1)} a day)`
  const parts = [...effort].map(([what, seconds]) => `${what} ${Math.round(seconds)}`).join(', ')
  return `real time: ${perDay(realSeconds)}, processor time: ${perDay(sum)}: ${parts}`
}
