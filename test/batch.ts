/**
 * Several test files in one process, one after the other, each as a separate suite. Loading the service takes longer than most
 * files' tests do, and the files of a batch share the loaded code. The batches depend only on the names and sizes of the files, so
 * that a failure can be repeated.
 */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')

/** Enough for the processes of a big machine to end at about the same time. */
const batchCount = 12

const fileTimeoutMs = 300_000

/** Runs the files, given as paths from the root of the repository. */
export async function runBatch(files: string[]): Promise<void> {
  for (const file of files) {
    await suite(file, { timeout: fileTimeoutMs }, async () => {
      await import(pathToFileURL(join(root, file)).href)
    })
  }
}

/** Divides files into batches of about the same size, and writes a test file for each into `folder`. */
export function writeBatches(files: string[], folder: string): string[] {
  const sized = files.map((file) => ({ file, size: statSync(join(root, file)).size }))
  sized.sort((one, other) => other.size - one.size)
  const batches = Array.from({ length: Math.min(batchCount, files.length) }, () => ({ size: 0, files: [] as string[] }))
  for (const { file, size } of sized) {
    const smallest = batches.reduce((least, batch) => (batch.size < least.size ? batch : least))
    smallest.size += size
    smallest.files.push(file)
  }
  const runner = JSON.stringify(import.meta.filename)
  return batches.map((batch, index) => {
    const path = join(folder, `batch-${index + 1}.test.mjs`)
    writeFileSync(path, `import { runBatch } from ${runner}\nawait runBatch(${JSON.stringify(batch.files.sort(), null, 2)})\n`)
    return path
  })
}
