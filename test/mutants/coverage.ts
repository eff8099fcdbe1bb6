/** Which test files run a place of a source file, as V8 counts it: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/ */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runTests } from './run-tests.ts'

/** The count holds from `startOffset` to `endOffset`, characters of the source, unless a shorter range says otherwise. */
type Range = { startOffset: number; endOffset: number; count: number }
type Report = { result: { url: string; functions: { ranges: Range[] }[] }[] }

/** The ranges of each file that a test file loads. */
type Ranges = Map<string, Range[]>

function readRanges(coverage: string): Ranges {
  const ranges: Ranges = new Map()
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Report
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue
      ranges.set(url, [...(ranges.get(url) ?? []), ...functions.flatMap((one) => one.ranges)])
    }
  }
  return ranges
}

export type Coverage = {
  /** Whether the test file runs what stands at this character of a source file. */
  runs(test: string, source: string, at: number): boolean
}

/** Runs each test file once, some at a time. */
export async function measureCoverage(folder: string, tests: readonly string[]): Promise<Coverage> {
  const found = new Map<string, Ranges>()
  const left = [...tests]
  const runNext = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const coverage = mkdtempSync(join(tmpdir(), 'malipo-coverage-'))
      await runTests({ folder, files: [next], options: [], longestMs: 300_000, coverage })
      found.set(next, readRanges(coverage))
      rmSync(coverage, { recursive: true })
    }
  }
  await Promise.all([runNext(), runNext(), runNext()])
  return {
    runs(test, source, at) {
      const around = (found.get(test)?.get(pathToFileURL(join(folder, source)).href) ?? []).filter(
        ({ startOffset, endOffset }) => startOffset <= at && at < endOffset,
      )
      const size = ({ startOffset, endOffset }: Range): number => endOffset - startOffset
      const smallest = Math.min(...around.map(size))
      return around.some((one) => size(one) === smallest && one.count > 0)
    },
  }
}
