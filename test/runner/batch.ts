/**
 * Several test files in one process, one after the other, each as a separate suite. Loading the service takes longer than most
 * files' tests do, and the files of a batch share the loaded code.
 */
import { createHook } from 'node:async_hooks'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite } from 'node:test'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')

export const fileTimeoutMs = 300_000

type Hook = { enable(): Hook; disable(): Hook }

/** The hook with which node:test follows every promise of the process, to know which test it belongs to. */
function hookOfRunner(): Hook | undefined {
  const hooks = Object.getPrototypeOf(createHook({})) as Hook
  const { enable } = hooks
  let hook: Hook | undefined
  hooks.enable = function () {
    return (hook = enable.call(this))
  }
  // The first call starts the runner.
  before(() => undefined)
  hooks.enable = enable
  return hook
}

/** Runs the files, given as paths from the root of the repository. An uncaught error fails the file that runs, and ends it. */
export async function runBatch(files: string[]): Promise<void> {
  // While a file is loaded, the runner needs the hook to know whose tests they are. While they run, each promise would cost ten times
  // as much.
  const hook = hookOfRunner()
  let running: AbortController | undefined
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, (error) => running?.abort(error))
  for (const file of files) {
    running = new AbortController()
    hook?.enable()
    await suite(file, { timeout: fileTimeoutMs, signal: running.signal }, async () => {
      before(() => void hook?.disable())
      await import(pathToFileURL(join(root, file)).href)
    })
  }
}

/** Writes a test file that runs these files, and returns its path. */
export function writeBatch(path: string, files: string[]): string {
  const runner = JSON.stringify(import.meta.filename)
  writeFileSync(path, `import { runBatch } from ${runner}\nawait runBatch(${JSON.stringify(files, null, 2)})\n`)
  return path
}
