/**
 * `npm run sbom [folder]`: what the service and its dashboards are made of, as CycloneDX, one file each, in `sbom` or the folder that is
 * named. From the lock files, so that it says what an installation gets, whatever is installed here. What only builds and tests is in it
 * and marked as such: npm leaves out too much where it is told to leave that out.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = join(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? 'sbom')

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
