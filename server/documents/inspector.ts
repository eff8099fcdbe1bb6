/**
 * The parent's side of the program that takes files of strangers apart. Invariant: such a file is decoded in a child process only,
 * which is given no environment, little memory and a deadline; whatever happens to the child, the parent has an answer. One account has
 * one file looked at, at once, so that costly files hold up only whoever sent them.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createFairQueue } from '../platform/process/fair-queue.ts'
import type { Log } from '../platform/process/log.ts'
import { Refusal } from '../platform/refusal.ts'

export type DocumentType = 'image/jpeg' | 'image/png' | 'application/pdf'

export type RefusalCode =
  | 'document_content_mismatch'
  | 'document_active_content'
  | 'document_encrypted'
  | 'document_too_complex'
  | 'document_infected'

export type InspectionJob = {
  file: string
  type: DocumentType
  /** Where the copy for reviewers is written. */
  copy: string
  /** The copy may be so large. */
  maxBytes: number
  deadlineMs: number
}

/** What the child says after each job; first of all it says `ready`. */
export type InspectionReport = { answer: InspectionAnswer; memoryBytes: number }

export type InspectionAnswer =
  | { kind: 'clean'; contentType: 'image/jpeg' | 'image/png' }
  | { kind: 'unreadable' }
  | { kind: 'refused'; code: RefusalCode; reason: string }

export type Inspector = {
  /**
   * One file of `owner` at a time, the others wait; `undecided` when too many do, no child can be started, or the inspector was closed.
   */
  inspect(owner: string, job: Omit<InspectionJob, 'deadlineMs'>): Promise<InspectionAnswer | { kind: 'undecided' }>
  close(): Promise<void>
}

const program = join(import.meta.dirname, 'inspect-child.ts')
const startDeadlineMs = 15_000
// What decoders leak ends with the process.
const filesPerChild = 50
const memoryPerChildBytes = 400_000_000

const tooComplex: InspectionAnswer = {
  kind: 'refused',
  code: 'document_too_complex',
  reason:
    'Reading the file takes too long or needs too much memory. Scan the document at 300 dpi, or upload the page as a JPEG image.',
}

/** The next message of a child, or undefined when it ended, never began, or said nothing within the time. */
function nextMessage(child: ChildProcess, deadlineMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    function finish(message?: unknown): void {
      clearTimeout(timer)
      child.off('message', finish).off('exit', end).off('error', end)
      resolve(message)
    }
    const end = () => finish()
    const timer = setTimeout(finish, deadlineMs)
    child.on('message', finish).on('exit', end).on('error', end)
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.ref()
  child.kill('SIGKILL')
  await ended
}

type Inspecting = {
  inspect(job: Omit<InspectionJob, 'deadlineMs'>): Promise<InspectionAnswer | { kind: 'undecided' }>
  close(): Promise<void>
}

/** One child, which is handed one file at a time. */
function createWorker({ deadlineMs, log }: { deadlineMs: number; log: Log }): Inspecting {
  let child: ChildProcess | undefined
  let filesSeen = 0
  let isClosed = false
  let closing: Promise<void> | undefined
  let queue: Promise<unknown> = Promise.resolve()

  async function start(): Promise<ChildProcess | undefined> {
    const started = fork(program, {
      // Nothing of ours: the child reads files of strangers.
      env: {},
      execArgv: ['--max-old-space-size=160'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // Someone must listen from now on, or a failed start or a message to a dead child would end this process.
    started.on('error', (error) => log.error('inspector.failed', error))
    if ((await nextMessage(started, startDeadlineMs)) === 'ready') {
      // An idle child does not keep the service alive; the deadline of a job does.
      started.unref()
      started.channel?.unref()
      return started
    }
    await stop(started)
    return undefined
  }

  async function discard(): Promise<void> {
    const old = child
    child = undefined
    filesSeen = 0
    if (old) await stop(old)
  }

  async function inspectNow(job: Omit<InspectionJob, 'deadlineMs'>): Promise<InspectionAnswer | { kind: 'undecided' }> {
    if (child && !child.connected) await discard()
    if (isClosed) return { kind: 'undecided' }
    child ??= await start()
    if (!child || isClosed) {
      await discard()
      return { kind: 'undecided' }
    }
    const answering = nextMessage(child, deadlineMs)
    child.send({ ...job, deadlineMs } satisfies InspectionJob, () => undefined)
    const report = (await answering) as InspectionReport | undefined
    if (report !== undefined) {
      filesSeen += 1
      if (filesSeen >= filesPerChild || report.memoryBytes > memoryPerChildBytes) await discard()
      return report.answer
    }
    if (isClosed) return { kind: 'undecided' }
    log.warn('inspector.document_too_complex', { type: job.type, signal: child.signalCode, exit_code: child.exitCode })
    await discard()
    return tooComplex
  }

  return {
    inspect(job) {
      const result = queue.then(() => inspectNow(job))
      queue = result.catch(() => undefined)
      return result
    },
    close() {
      isClosed = true
      // A child that is just being started is seen by the second look.
      closing ??= discard()
        .then(() => queue)
        .then(discard)
      return closing
    },
  }
}

const overloaded = new Refusal(503, 'overloaded', 'Too many documents are being checked at the moment. Try again shortly.')

export function createInspector(options: { children: number; deadlineMs: number; maxWaiting: number; log: Log }): Inspector {
  const { children, maxWaiting } = options
  const workers = Array.from({ length: children }, () => createWorker(options))
  const idle = [...workers]
  const queue = createFairQueue({ maxRunning: children, maxRunningPerKey: 1, maxWaiting, first: 'oldest', overloaded })
  let isClosed = false

  async function inspectByIdle(job: Omit<InspectionJob, 'deadlineMs'>): Promise<InspectionAnswer | { kind: 'undecided' }> {
    if (isClosed) return { kind: 'undecided' }
    // The last that was used comes first: the others are started only where they are needed.
    const worker = idle.pop()!
    try {
      return await worker.inspect(job)
    } finally {
      idle.push(worker)
    }
  }

  return {
    async inspect(owner, job) {
      try {
        return await queue.run([owner], () => inspectByIdle(job))
      } catch (error) {
        if (error === overloaded) return { kind: 'undecided' }
        throw error
      }
    },
    async close() {
      isClosed = true
      await Promise.all(workers.map((worker) => worker.close()))
    },
  }
}
