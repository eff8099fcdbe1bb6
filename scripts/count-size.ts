/**
 * `node scripts/count-size.ts [--write]`: hand-written production lines by folder; what is generated, migrations, tests and fixtures are
 * printed apart. `--write` stores the figures in test/size.json, which test/size.test.ts keeps from growing unnoticed.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(import.meta.dirname, '..')
export const sizeFile = 'test/size.json'

/** Hand-written production lines, in all and by folder: `server/collect/payments`, `dashboard`, … */
export type Size = { total: number; folders: Record<string, number> }

type Kind = 'production' | 'generated' | 'migrations' | 'tests' | 'fixtures'

const production = /^(server|dashboard|sdk|cli|simulator|scripts)\/.*\.(ts|tsx|mjs|css|html)$/
const generated = 'schema.sql'

export function kindOf(path: string): Kind | undefined {
  if (path === generated) return 'generated'
  if (path.startsWith('migrations/')) return 'migrations'
  if (/\.test\.tsx?$/.test(path)) return 'tests'
  if (/^test\/.*\.(ts|mjs)$/.test(path)) return 'fixtures'
  return production.test(path) ? 'production' : undefined
}

/** `server/collect/payments` for a file of a slice, `server/start` for a wing without slices, `dashboard` for all files of the dashboard. */
function folderOf(path: string): string {
  const [top, wing, ...inside] = path.split('/')
  if (top !== 'server') return top!
  return inside.length > 1 && wing !== 'platform' ? `server/${wing}/${inside[0]}` : `server/${wing}`
}

const linesOf = (path: string): number => readFileSync(join(root, path), 'utf8').split('\n').length - 1

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
}

export function countSize(): Size & { apart: Record<Exclude<Kind, 'production'>, number> } {
  const folders: Record<string, number> = {}
  const apart = { generated: 0, migrations: 0, tests: 0, fixtures: 0 }
  for (const path of trackedFiles()) {
    const kind = kindOf(path)
    if (kind === undefined) continue
    if (kind !== 'production') apart[kind] += linesOf(path)
    else folders[folderOf(path)] = (folders[folderOf(path)] ?? 0) + linesOf(path)
  }
  const sorted = Object.fromEntries(Object.entries(folders).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return { total: Object.values(sorted).reduce((sum, lines) => sum + lines, 0), folders: sorted, apart }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { apart, ...size } = countSize()
  for (const [folder, lines] of Object.entries(size.folders)) console.log(`${String(lines).padStart(7)}  ${folder}`)
  console.log(`${String(size.total).padStart(7)}  hand-written production lines`)
  for (const [kind, lines] of Object.entries(apart)) console.log(`${String(lines).padStart(7)}  ${kind}, apart`)
  if (process.argv.includes('--write')) writeFileSync(join(root, sizeFile), `${JSON.stringify(size, null, 2)}\n`)
}
