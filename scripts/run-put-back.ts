/**
 * `npm run year:put-back`: puts each fault of `test/year/put-back.ts` back into a copy of the tree and simulates the year there,
 * which must fail because of it. `--only 2,4` runs those; prints the day and the line that reported the fault.
 */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutated } from '../test/mutants/apply.ts'
import { copyTree } from '../test/mutants/copy-tree.ts'
import { putBack, type PutBack } from '../test/year/put-back.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions({ options: { only: { type: 'string' } } })
const only = values.only?.split(',').map(Number)

function live(folder: string, { words: options }: PutBack): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('node', ['scripts/run-year.ts', ...options], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
    child.on('close', () => resolve(output))
  })
}

let unnoticed = 0
for (const one of putBack.filter(({ fault }) => only === undefined || only.includes(fault))) {
  const folder = copyTree()
  const changed = mutated(one.edits, (file) => readFileSync(join(folder, file), 'utf8'))
  if (typeof changed === 'string') throw new Error(`fault ${one.fault}: ${changed}`)
  for (const [file, text] of changed) writeFileSync(join(folder, file), text)
  const lines = (await live(folder, one)).split('\n')
  const days = lines.filter((line) => /^day \d+ /.test(line))
  const sign = lines.find((line) => one.sign.test(line))
  if (sign === undefined) unnoticed += 1
  const verdict = sign === undefined ? 'NOT NOTICED' : 'noticed'
  process.stdout.write(
    `${verdict}: fault ${one.fault}: ${one.what}\n  npm run year -- ${one.words.map((word) => word || "''").join(' ')}\n  ${days.at(-1)}\n  ${sign?.trim() ?? lines.slice(-40).join('\n  ')}\n`,
  )
  rmSync(folder, { recursive: true, force: true })
}
process.exit(unnoticed > 0 ? 1 : 0)
