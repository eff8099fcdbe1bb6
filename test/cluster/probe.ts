/**
 * Writes to each node directly, all the time. Invariants: writes are accepted on one node for each timeline of PostgreSQL, none is
 * accepted on an old timeline once one was accepted on a newer, and each accepted write is there in the end.
 */
import pg from 'pg'
import { eventually } from '../app.ts'
import { readInTheEnd } from './clients.ts'
import type { Cluster, Unit } from './cluster.ts'

type Write = { number: number; node: string; timeline: number; sentAt: number; acceptedAt: number }

export type Probe = {
  /** The longest time without an accepted write since the last call, in ms. */
  longestGap(): number
  /** What is wrong, after everything has healed. */
  findings(): Promise<string[]>
  stop(): Promise<void>
}

export function startProbe(cluster: Cluster): Probe {
  const writes: Write[] = []
  let next = 0
  let isOver = false
  let gap = 0
  let lastAt = performance.now()

  async function write(node: Unit, client: pg.Client): Promise<void> {
    const number = ++next
    const sentAt = performance.now()
    const { rows } = await client.query<{ timeline: string }>(
      `insert into writes (number, node) values ($1, $2) returning substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline`,
      [number, node.name],
    )
    const acceptedAt = performance.now()
    gap = Math.max(gap, acceptedAt - lastAt)
    lastAt = Math.max(lastAt, acceptedAt)
    writes.push({ number, node: node.name, timeline: Number.parseInt(rows[0]!.timeline, 16), sentAt, acceptedAt })
  }

  async function probe(node: Unit): Promise<void> {
    while (!isOver) {
      const client = new pg.Client({
        connectionString: cluster.urlOf(node, 'postgres'),
        connectionTimeoutMillis: 2_000,
        // An unanswered write counts as unknown; the server may still accept it.
        query_timeout: 4_000,
      })
      client.on('error', () => undefined)
      try {
        await client.connect()
        while (!isOver) {
          await write(node, client)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      void client.end().catch(() => undefined)
    }
  }
  const probes = cluster.nodes.map(probe)

  async function storedNumbers(): Promise<number[]> {
    const primary = await eventually('there is a primary', cluster.primary, 30_000)
    const client = new pg.Client({ connectionString: cluster.urlOf(primary, 'postgres') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ number: string }>('select number from writes')
      return rows.map(({ number }) => Number(number))
    } finally {
      void client.end().catch(() => undefined)
    }
  }

  return {
    longestGap() {
      const longest = Math.max(gap, performance.now() - lastAt)
      gap = 0
      return longest
    },
    async findings() {
      const found: string[] = []
      // The probes go on: what they write after the table was read is not in it.
      const accepted = [...writes]
      const stored = new Set(await readInTheEnd(storedNumbers))
      for (const { number, node } of accepted)
        if (!stored.has(number)) found.push(`write ${number}, accepted by ${node}, is lost`)
      const nodeOf = new Map<number, string>()
      let newest = 0
      let newestAt = 0
      for (const one of accepted) {
        const known = nodeOf.get(one.timeline) ?? one.node
        nodeOf.set(one.timeline, known)
        if (known !== one.node) found.push(`${known} and ${one.node} accepted writes on timeline ${one.timeline}`)
        if (one.timeline > newest) [newest, newestAt] = [one.timeline, one.acceptedAt]
        else if (one.timeline < newest && one.sentAt > newestAt) {
          found.push(`${one.node} accepted write ${one.number} on timeline ${one.timeline} after one on ${newest}`)
        }
      }
      return found
    },
    async stop() {
      isOver = true
      await Promise.all(probes)
    },
  }
}
