/** Runs a bench as a process of its own, as a terminal does. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

export function start(bench: string, words: string[], environment: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, '../bench', `${bench}.ts`), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    // A process group of its own, as a terminal makes one for each command.
    detached: true,
  })
  let output = ''
  let errors = ''
  child.stdout!.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  child.stderr!.on('data', (chunk: Buffer) => void (errors += chunk.toString()))
  const ended = new Promise<{ code: unknown; output: string; errors: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output, errors })),
  )
  return { child, ended }
}

export async function run(bench: string, ...words: string[]): Promise<any> {
  const { code, output, errors } = await start(bench, [...words, '--json']).ended
  assert.equal(code, 0, output + errors)
  return JSON.parse(output)
}
