/**
 * Checks packages and commits: advisories about packages, secrets in files, the licences of all installed packages.
 *
 *   npm run supply-chain
 *
 * Asks the registry for advisories; if the registry does not answer, that is reported but is no failure. The rest needs no
 * network.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSecrets } from './find-secrets.ts'

const root = join(import.meta.dirname, '..')
const folders = ['.', 'dashboard', 'test/browser', 'test/clients', 'examples/shop-node']

type Audit = { metadata?: { vulnerabilities: Record<string, number> }; vulnerabilities?: Record<string, { severity: string }> }

/** Packages with a high or critical advisory; undefined when the registry does not answer. */
function advisoriesOf(folder: string): string[] | undefined {
  const { stdout } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: join(root, folder),
    encoding: 'utf8',
    timeout: 60_000,
  })
  try {
    const { metadata, vulnerabilities = {} } = JSON.parse(stdout) as Audit
    if (!metadata) return undefined
    return Object.entries(vulnerabilities).flatMap(([name, { severity }]) =>
      severity === 'high' || severity === 'critical' ? [`${name} (${severity})`] : [],
    )
  } catch {
    return undefined
  }
}

function licences(): string {
  const counts = new Map<string, number>()
  for (const folder of folders) {
    const lock = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { license?: string; link?: boolean }>
    }
    for (const [path, { license = 'none stated', link }] of Object.entries(lock.packages)) {
      if (path !== '' && !link) counts.set(license, (counts.get(license) ?? 0) + 1)
    }
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

const problems: string[] = []
for (const folder of folders) {
  const found = advisoriesOf(folder)
  if (found === undefined) console.log(`advisories of ${folder}: SKIPPED, the registry does not answer`)
  else console.log(`advisories of ${folder}: ${found.length === 0 ? 'none of high severity' : found.join(', ')}`)
  problems.push(...(found ?? []))
}

const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
const secrets = findSecrets(root, files)
for (const { file, line, what } of secrets) console.log(`secret: ${file}:${line}: ${what}`)
console.log(`secrets: ${secrets.length} in ${files.length} files`)
problems.push(...secrets.map(({ file }) => file))

// test/supply-chain.test.ts decides which licences are allowed.
console.log(`licences: ${licences()}`)
process.exitCode = problems.length > 0 ? 1 : 0
