/**
 * Runs a bench, and closes what it has opened, in reverse order, when it ends, fails or is interrupted. Invariant: it leaves no process
 * and no folder. Ctrl-C prints one line; the exit code is 130.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What the scope closes, also when it is interrupted while it opens. */
export type Scope = {
  use<Opened>(opening: Promise<Opened>, close: (opened: Opened) => unknown): Promise<Opened>
  /** A new folder in the temp folder. */
  folder(name: string): Promise<string>
}

/** A statement or request in flight may keep a resource open for longer; the server is stopped after it in any case. */
export const closeWithinMs = 2_000

/** Waits for `closing`, but not longer than `closeWithinMs`. */
export const soon = (closing: Promise<unknown>): Promise<unknown> =>
  Promise.race([closing, sleep(closeWithinMs, undefined, { ref: false })])

type Closable = { scope: Scope; close(): Promise<void> }

function openScope(): Closable {
  const closings: (() => Promise<unknown>)[] = []
  let closing: Promise<void> | undefined
  const scope: Scope = {
    use(opening, close) {
      // After an interruption nothing more is used; what is opening is closed as soon as it is open.
      if (closing) return new Promise(() => void opening.then(close).catch(() => undefined))
      closings.push(async () => close(await opening))
      return opening
    },
    folder: (name) =>
      scope.use(mkdtemp(join(tmpdir(), `malipo-${name}-`)), (folder) => rm(folder, { recursive: true, force: true })),
  }
  return {
    scope,
    close: () =>
      (closing ??= (async () => {
        for (let close = closings.pop(); close; close = closings.pop()) await close().catch(() => undefined)
      })()),
  }
}

/** A part of a bench: what it opens is closed at its end. */
export async function within<Result>(outer: Scope, work: (scope: Scope) => Promise<Result>): Promise<Result> {
  const { scope, close } = openScope()
  await outer.use(Promise.resolve(), close)
  try {
    return await work(scope)
  } finally {
    await close()
  }
}

export async function runBench(work: (scope: Scope) => Promise<void>): Promise<void> {
  const { scope, close } = openScope()
  let isInterrupted = false
  const interrupt = () => {
    if (isInterrupted) return
    isInterrupted = true
    console.error('Interrupted: closing the servers and removing the folders.')
    void close().finally(() => process.exit(130))
  }
  // A connection that breaks while the servers stop is no fault.
  const fail = (error: unknown) => {
    if (isInterrupted) return
    console.error(error)
    void close().finally(() => process.exit(1))
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt).on('uncaughtException', fail)
  try {
    await work(scope)
  } catch (error) {
    fail(error)
  }
  // An interruption ends the process itself.
  if (isInterrupted) await new Promise(() => undefined)
  await close()
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt).off('uncaughtException', fail)
}
