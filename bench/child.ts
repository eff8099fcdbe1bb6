/** Child processes of a bench: they report their processor time and memory, and end with their parent. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Scope } from './scope.ts'

export type Usage = { cpuMs: number; residentMb: number }

export type Child = {
  ask<Answer>(question: unknown): Promise<Answer>
  usage(): Promise<Usage>
  stop(): Promise<void>
}

// From the start on: a parent may end while its child is still starting.
if (process.send) process.on('disconnect', () => process.exit(0))

/** Starts a file of `folder` and waits until it is ready. */
export function startChild(
  scope: Scope,
  words: [file: string, ...words: string[]],
  settings: Record<string, string>,
  folder: string = import.meta.dirname,
): Promise<Child> {
  const [file, ...rest] = words
  const child = fork(join(folder, file), rest, {
    env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], ...settings },
    cwd: join(folder, '..'),
    serialization: 'advanced',
    // A process group of its own: only its parent reacts to Ctrl-C.
    detached: true,
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const ask = <Answer>(question?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`${words.join(' ')} ended with ${code}.`))
      child.once('exit', ended)
      child.once('message', (answer) => {
        child.off('exit', ended)
        resolve(answer as Answer)
      })
      if (question !== undefined) child.send(question as object)
    })
  const started: Child = {
    ask,
    usage: () => ask('usage'),
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
  return scope.use(
    ask().then(() => started),
    () => started.stop(),
  )
}

/** In the child: says that it is ready, and answers its parent, one question at a time. */
export function serveParent(answer: (question: unknown) => Promise<unknown> = async () => undefined): void {
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage()
    const usage: Usage = { cpuMs: (user + system) / 1000, residentMb: process.memoryUsage.rss() / 1e6 }
    void (question === 'usage' ? Promise.resolve(usage) : answer(question)).then((value) => process.send!(value ?? {}))
  })
  process.send!({ ready: true })
}
