/**
 * Several test files in one process, one after the other, each as a separate suite. Loading the service takes longer than most
 * files' tests do, and the files of a batch share the loaded code.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')

export const fileTimeoutMs = 300_000

/** Runs the files, given as paths from the root of the repository. */
export async function runBatch(files: string[]): Promise<void> {
  for (const file of files) {
    await suite(file, { timeout: fileTimeoutMs }, async () => {
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
