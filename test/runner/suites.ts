/**
 * Which test files belong to which run, and what each needs of the machine. A file needs no entry: it computes or waits as its last
 * recorded run shows (`seconds.json`, written by `--record`). Only files that measure times or memory are listed.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Tag } from './queue.ts'

const root = join(import.meta.dirname, '../..')

export type TestFile = { path: string; seconds: number; tag: Tag }

/** The suites, each of which is one run. */
export const suites = {
  fast: '`npm test -- --all`: everything that is not in another suite; the files share processes',
  long: 'slow tests and tests that measure: *.long.test.ts',
  faults: 'killed processes, stopped databases, cut connections, and two use cases that meet',
  fuzz: 'random requests to every route',
  browser: 'everything that drives a browser',
  clients: 'clients that are generated from the description',
  image: 'the image, built and run in containers',
  soak: 'half an hour of load',
}
export type Suite = keyof typeof suites

const folders: Partial<Record<string, Suite>> = {
  'test/faults': 'faults',
  'test/orders': 'faults',
  'test/fuzz': 'fuzz',
  'test/browser': 'browser',
  'test/clients': 'clients',
  'test/image': 'image',
  'test/soak': 'soak',
}

/** Runs that a file is in: a smoke test of the browser is also fast, a long test of a folder is also in the long run. */
export function suitesOf(path: string): Suite[] {
  const folder = folders[dirname(path)]
  if (path.endsWith('.long.test.ts')) return folder === undefined ? ['long'] : [folder, 'long']
  if (path.endsWith('.smoke.test.ts')) return ['browser', 'fast']
  return [folder ?? 'fast']
}

/** Files that measure times or memory, by the beginning of their paths: anything beside them would change what they measure. */
const measuring: readonly string[] = [
  'test/attacks/hostile-bodies.',
  'server/merchants/documents/check-content.long',
  'server/accounts/identity/fair-sign-in.long',
  'server/views/merchant-account/export-memory.long',
  'server/views/merchant-account/summary.long',
  'server/collect/payments/flood.long',
  'server/pay-out/payout-batches/large-batch.long',
  'test/bench-floors.long',
  'test/benches.long',
  'test/cells/one-cell-down',
  'test/cells/proxy-cost',
  'test/browser/dashboard-speed',
  'test/browser/speed',
  'test/faults/exhausted-pool',
  'test/faults/hot-merchant',
  'test/payment-lists.long',
  'test/soak/',
  'test/uploads-memory.long',
]

/** The duration and the processor time of each file in its last recorded run, in seconds. */
type Recorded = Record<string, [seconds: number, processor: number]>

const recordFile = join(import.meta.dirname, 'seconds.json')
const readRecord = (): Recorded => JSON.parse(readFileSync(recordFile, 'utf8')) as Recorded

/** Replaces the figures of these files, and drops those of files that are gone. */
export function writeRecord(files: readonly { file: string; seconds: number; processor: number }[]): void {
  const isThere = new Set(findFiles().map(({ path }) => path))
  const rounded = (seconds: number): number => Number(seconds.toFixed(1))
  const known = {
    ...readRecord(),
    ...Object.fromEntries(files.map(({ file, seconds, processor }) => [file, [seconds, processor]])),
  }
  const lines = Object.entries(known as Recorded)
    .filter(([file]) => isThere.has(file))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, figures]) => `  ${JSON.stringify(file)}: [${figures.map(rounded).join(', ')}]`)
  writeFileSync(recordFile, `{\n${lines.join(',\n')}\n}\n`)
}

/** A file that has no record yet. In a browser they take longer. */
const unknownSeconds = (path: string): number => (path.startsWith('test/browser/') ? 50 : path.includes('.long.') ? 30 : 10)

function tagOf(path: string, record: Recorded): Tag {
  if (measuring.some((start) => path.startsWith(start))) return 'alone'
  const [seconds, processor] = record[path] ?? [1, 1]
  return processor < seconds / 4 ? 'wait' : 'cpu'
}

/** All test files of the repository. */
export function findFiles(): TestFile[] {
  const record = readRecord()
  return globSync('{server,simulator,scripts,test,dashboard/src}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .sort()
    .map((path) => ({ path, seconds: record[path]?.[0] ?? unknownSeconds(path), tag: tagOf(path, record) }))
}
