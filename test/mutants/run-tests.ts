/** Runs test files in a copy of the tree, for a change that they should notice. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { serverVariable } from '../databases.ts'

/** The names of the failed and passed tests, without nested tests. */
export type Results = { failed: string[]; passed: string[] }

/** For `--test-name-pattern`: the tests whose name begins so. */
export const patternOf = (name: string): string => `^${name.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)}`

type Run = {
  folder: string
  files: Iterable<string>
  /** Further options of `node --test`. */
  options: string[]
  /** A change of the schema needs a separate template. */
  hasOwnServer?: boolean
  /** After this time everything that still runs is ended. */
  longestMs: number
  /** Ends at the first test that fails. */
  isShort?: boolean
  /** Ends the run early. */
  signal?: AbortSignal
  /** A folder for what V8 knows about the lines that ran. */
  coverage?: string
}

export function runTests({
  folder,
  files,
  options,
  hasOwnServer = false,
  longestMs,
  isShort = false,
  signal,
  coverage,
}: Run): Promise<Results> {
  return new Promise((resolve) => {
    const child = spawn(
      'node',
      ['--test', '--test-reporter=tap', '--test-global-setup=test/global-setup.ts', ...options, ...files],
      {
        cwd: folder,
        env: {
          ...process.env,
          NODE_ENV: 'test',
          // Of the copy, where most files stay the same from one guard to the next.
          NODE_COMPILE_CACHE: join(folder, '.compiled'),
          ...(hasOwnServer && { [serverVariable]: '' }),
          ...(coverage !== undefined && { NODE_V8_COVERAGE: coverage }),
        },
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      },
    )
    const end = (): void => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    }
    // A test that waits for an event that its guard would have prevented may never end, nor its processes.
    const deadline = setTimeout(end, longestMs)
    signal?.addEventListener('abort', end)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (isShort && /^not ok .*\n/m.test(output)) end()
    })
    child.on('close', () => {
      clearTimeout(deadline)
      const lines = [...output.matchAll(/^(not ok|ok) \d+ - (.*)$/gm)]
      const of = (state: string) =>
        lines.filter((line) => line[1] === state).map((line) => line[2]!.replaceAll(String.raw`\#`, '#'))
      resolve({ failed: of('not ok'), passed: of('ok') })
    })
  })
}
