/**
 * `npm run release [folder]`: builds what is published for the version at this commit, in `release` or the given folder: the tree
 * with built dashboards, the SDK and the command line as packages, the notes from CHANGELOG.md, the lists of packages (SBOM), and
 * the hashes of all of it. The commit must have the tag that `npm version` made, and nothing may be changed.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readOptions } from './read-options.ts'

const root = join(import.meta.dirname, '..')
const [folder = 'release'] = readOptions({ allowPositionals: true }).positionals
const target = resolve(folder)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const run = (command: string, args: string[], cwd = root): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] })

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function notesOf(wanted: string): string {
  const parts = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const part = parts.find((each) => each.startsWith(`${wanted}, `))
  if (part === undefined) refuse(`CHANGELOG.md has no part "${wanted}": make the version with npm version.`)
  return `${part.slice(part.indexOf('\n')).trim()}\n`
}

/** The tracked files and the dashboards, in a fixed order and with the time of the commit, so that equal commits give equal bytes. */
function packTree(): void {
  const name = `malipo-${version}`
  const stage = mkdtempSync(join(tmpdir(), 'malipo-release-'))
  try {
    run('git', ['archive', '--format=tar', `--prefix=${name}/`, '-o', join(stage, 'tree.tar'), 'HEAD'])
    run('tar', ['-xf', 'tree.tar'], stage)
    cpSync(join(root, 'dashboard/dist'), join(stage, name, 'dashboard/dist'), { recursive: true })
    const time = run('git', ['show', '-s', '--format=%ct', 'HEAD']).trim()
    const fixed = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w']
    run('tar', [...fixed, '-I', 'gzip -9n', '-cf', join(target, `${name}.tar.gz`), name], stage)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

if (existsSync(target) && readdirSync(target).length > 0) refuse(`${target} is not empty: delete it, or name another folder.`)
if (run('git', ['status', '--porcelain']).trim() !== '') refuse('Files have changed since the last commit: commit them first.')
if (!run('git', ['tag', '--points-at', 'HEAD']).split('\n').includes(`v${version}`))
  refuse(`This commit is not v${version}: make a version with npm version patch, minor or major.`)

const notes = notesOf(version)
mkdirSync(target, { recursive: true })
writeFileSync(join(target, 'NOTES.md'), notes)
run(process.execPath, ['scripts/ensure-dashboard.mjs'])
packTree()
for (const part of ['sdk', 'cli']) {
  run('npm', ['run', '-s', `build:${part}`])
  run('npm', ['pack', '--silent', '--pack-destination', target], join(root, part))
}
run(process.execPath, ['scripts/write-sbom.ts', target])

const files = readdirSync(target).toSorted()
const hashOf = (file: string): string =>
  createHash('sha256')
    .update(readFileSync(join(target, file)))
    .digest('hex')
writeFileSync(join(target, 'SHA256SUMS'), files.map((file) => `${hashOf(file)}  ${file}\n`).join(''))
process.stdout.write(`${[...files, 'SHA256SUMS'].join('\n')}\n`)
