/**
 * `npm run sbom [folder]`: lists the packages of the service and its dashboards as CycloneDX, one file each, in `sbom` or the
 * given folder. It reads the lock files, so the result describes an installation, independent of the packages on this machine.
 * Packages for build and test are included and marked: npm leaves out too much when it is asked to omit them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOptions } from './read-options.ts'

const root = join(import.meta.dirname, '..')
const [folder = 'sbom'] = readOptions({ allowPositionals: true }).positionals
const target = resolve(folder)

mkdirSync(target, { recursive: true })
for (const [name, folder] of [
  ['service', '.'],
  ['dashboards', 'dashboard'],
] as const) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const { status, stdout, stderr } = spawnSync('npm', words, {
    cwd: join(root, folder),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) {
    process.stderr.write(stderr)
    process.exit(status ?? 1)
  }
  const file = join(target, `${name}.cdx.json`)
  writeFileSync(file, stdout)
  process.stdout.write(`${file}: ${(JSON.parse(stdout) as { components: unknown[] }).components.length} components\n`)
}
