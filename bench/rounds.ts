/** Rounds of measured windows, and what they say about a line. */
import { availableParallelism, cpus, loadavg } from 'node:os'
import { spawnSync } from 'node:child_process'
import type { Db } from '../server/platform/db/db.ts'
import type { Measured, Variant } from './measures.ts'
import type { BenchServer } from './postgres.ts'
import { median, shuffled } from './ratios.ts'

/**
 * Each round runs every variant once, in random order, so that a busy second of the machine affects no side more than the other.
 */
export async function runRounds<Name extends string>(
  owners: Db[],
  rounds: number,
  variants: Record<Name, Variant>,
): Promise<Record<Name, Measured[]>> {
  const entries = Object.entries(variants) as [Name, Variant][]
  const measured = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<Name, Measured[]>
  for (let round = -Math.max(...entries.map(([, { warmUps = 1 }]) => warmUps)); round < rounds; round += 1) {
    // A database in use has statistics; these would otherwise collect their first ones inside some window.
    if (round === 0) for (const owner of owners) await owner.script('vacuum analyze')
    for (const [name, variant] of shuffled(entries)) {
      if (round < -(variant.warmUps ?? 1)) continue
      await variant.prepare?.()
      const window = await variant.run()
      if (round >= 0) measured[name].push(window)
    }
  }
  return measured
}

/** The middle of one figure of the windows; NaN where they do not have it. */
export const middle = (windows: Measured[], figure: keyof Measured): number =>
  median(windows.map((window) => window[figure] ?? Number.NaN))

/** The median of the rounds' ratios. */
export const ratioOf = (windows: Measured[], floors: Measured[], figure: keyof Measured = 'perSecond'): number =>
  median(windows.map((window, round) => (window[figure] ?? Number.NaN) / (floors[round]![figure] ?? Number.NaN)))

export const number = (value: number, digits: number): string =>
  Number.isNaN(value) ? '–' : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** One line of a table: the first cell to the left, the others to the right. */
export const row = (widths: number[], cells: string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!))).join('')

export function git(...words: string[]): string {
  return spawnSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' }).stdout?.trim() ?? ''
}

export const commitHere = (): string =>
  `${git('rev-parse', '--short', 'HEAD') || 'unknown'}${git('status', '--porcelain', '--', 'server', 'migrations') ? ', changed' : ''}`

export const machineOf = ({ postgresVersion, syncMs, logFileMs }: BenchServer) => ({
  commit: commitHere(),
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? 'unknown',
  node: process.versions.node,
  postgres: postgresVersion,
  syncMs: Number(syncMs.toFixed(2)),
  logFileMs: Number(logFileMs.toFixed(0)),
  load: Number(loadavg()[0]!.toFixed(1)),
})

export const describe = ({ commit, cores, processor, node, postgres, syncMs, logFileMs, load }: ReturnType<typeof machineOf>) =>
  `commit ${commit} · ${cores} cores, ${processor} · Node ${node} · PostgreSQL ${postgres}, durable
sync of 8 KiB ${syncMs} ms, a new file of the log ${logFileMs} ms · load ${load}, best near 0 before the start`
