/**
 * The parent's side of the program that decodes untrusted files. Invariant: such a file is decoded only in a child process with
 * no environment, little memory and a deadline; whatever happens to the child, the parent gets an answer. One file of an account
 * is inspected at a time, so that expensive files delay only their sender.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { DocumentType, ImageType, LogoType } from '../../domain/document.ts'
import { createFairQueue } from '../../platform/process/fair-queue.ts'
import type { Log } from '../../platform/process/log.ts'
import { Refusal } from '../../platform/refusal.ts'

export type RefusalCode =
  | 'document_content_mismatch'
  | 'document_active_content'
  | 'document_encrypted'
  | 'document_too_complex'
  | 'document_infected'

/** What one file is for: a copy for reviewers, or the small picture of a merchant's logo. */
export type InspectionWork = {
  file: string
  /** The path for the new picture. */
  copy: string
  /** The maximum size of the new picture. */
  maxBytes: number
} & ({ use: 'review'; type: DocumentType } | { use: 'logo'; type: LogoType })

export type InspectionJob = InspectionWork & { deadlineMs: number }

/** The message of the child after each job; its first message is `ready`. */
export type InspectionReport = { answer: InspectionAnswer; memoryBytes: number }

export type InspectionAnswer =
  | { kind: 'clean'; contentType: ImageType; width: number; height: number }
  | { kind: 'unreadable' }
  | { kind: 'refused'; code: RefusalCode; reason: string }

export type Inspector = {
  /**
   * Inspects one file of `owner` at a time, the others wait; `undecided` when too many wait, no child can be started, or the
   * inspector was closed.
   */
  inspect(owner: string, job: InspectionWork): Promise<InspectionAnswer | { kind: 'undecided' }>
  close(): Promise<void>
}

const program = join(import.meta.dirname, 'inspect-child.ts')
const startDeadlineMs = 15_000
// Memory that decoders leak is freed with the process.
const filesPerChild = 50
const memoryPerChildBytes = 400_000_000

const tooComplex: InspectionAnswer = {
  kind: 'refused',
  code: 'document_too_complex',
  reason:
    'Reading the file takes too long or needs too much memory. Scan the document at 300 dpi, or upload the page as a JPEG image.',
}

/** The next message of a child, or undefined when it ended, failed to start, or sent nothing within the time. */
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
  inspect(job: InspectionWork): Promise<InspectionAnswer | { kind: 'undecided' }>
  close(): Promise<void>
}

/** One child, which gets one file at a time. */
function createWorker({ deadlineMs, log }: { deadlineMs: number; log: Log }): Inspecting {
  let child: ChildProcess | undefined
  let filesSeen = 0
  let isClosed = false
  let closing: Promise<void> | undefined
  let queue: Promise<unknown> = Promise.resolve()

  async function start(): Promise<ChildProcess | undefined> {
    const started = fork(program, {
      // None of our variables: the child reads untrusted files.
      env: {},
      execArgv: ['--max-old-space-size=160'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // Needs a listener from now on: otherwise a failed start, or a message to a dead child, would end this process.
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

  async function inspectNow(job: InspectionWork): Promise<InspectionAnswer | { kind: 'undecided' }> {
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
      // The second call ends a child that was still starting during the first.
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

  async function inspectByIdle(job: InspectionWork): Promise<InspectionAnswer | { kind: 'undecided' }> {
    if (isClosed) return { kind: 'undecided' }
    // Use the most recently used child first: further children are started only when needed.
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
