/** A copy of the current working tree, which may be changed. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A copy of the current working tree, with the packages as hard links. */
export function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-mutant-'))
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of files.split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  execFileSync('cp', ['-al', join(root, 'node_modules'), folder])
  return folder
}
