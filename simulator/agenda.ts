/**
 * Future tasks: scenario steps, expiries, webhook deliveries. Invariant: a task leaves the books only in the transaction that did
 * it, so a restart continues where a kill stopped.
 */
import type { Books, Task } from './books.sql.ts'

/** Does one task. It must drop or replace the task's key in the transaction that records its effect. */
type TaskHandler = (task: Task) => Promise<void> | void

const longestSleepMs = 60_000
const takenAtOnce = 200

export class Agenda {
  readonly #books: Books
  readonly #now: () => number
  readonly #report: (error: unknown) => void
  readonly #handlers = new Map<string, TaskHandler>()
  readonly #running = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #wakesAt = Infinity
  #open = false

  constructor(books: Books, now: () => number, report: (error: unknown) => void) {
    this.#books = books
    this.#now = now
    this.#report = report
  }

  on(kind: string, handler: TaskHandler): void {
    this.#handlers.set(kind, handler)
  }

  /** Stores a task; replaces a task with the same key. Call it in the transaction that makes it necessary. */
  put(key: string, kind: string, dueAt: number, payload: Record<string, unknown>): void {
    this.#books.putTask({ key, kind, dueAt, payload: JSON.stringify(payload) })
    this.#wakeBy(dueAt)
  }

  drop(key: string): void {
    this.#books.dropTask(key)
  }

  start(): void {
    this.#open = true
    this.#wakeBy(this.#books.nextDueAt() ?? Infinity)
  }

  /** Checks again for due tasks: the clock was moved. */
  wake(): void {
    clearTimeout(this.#timer)
    this.#wakesAt = Infinity
    this.#wakeBy(this.#books.nextDueAt() ?? Infinity)
  }

  /** The number of running tasks, and the due time of the next one: milliseconds since 1970, null without one. */
  view(): { running: number; nextAt: number | null } {
    return { running: this.#running.size, nextAt: this.#books.nextDueAt() }
  }

  /** Claims no new task and waits for the running ones. */
  async stop(): Promise<void> {
    this.#open = false
    clearTimeout(this.#timer)
    await Promise.allSettled(this.#running)
  }

  #wakeBy(dueAt: number): void {
    if (!this.#open || dueAt >= this.#wakesAt) return
    clearTimeout(this.#timer)
    this.#wakesAt = dueAt
    this.#timer = setTimeout(() => this.#turn(), Math.min(Math.max(0, dueAt - this.#now()), longestSleepMs))
  }

  #turn(): void {
    this.#wakesAt = Infinity
    if (!this.#open) return
    for (const task of this.#books.takeDueTasks(this.#now(), takenAtOnce)) this.#run(task)
    this.#wakeBy(this.#books.nextDueAt() ?? Infinity)
  }

  #run(task: Task): void {
    const done = this.#handled(task).finally(() => this.#running.delete(done))
    this.#running.add(done)
  }

  /** Never rejects: a bug in one task must not stop the others. */
  async #handled(task: Task): Promise<void> {
    try {
      const handler = this.#handlers.get(task.kind)
      if (!handler) throw new Error(`No handler for tasks of kind ${task.kind}`)
      await handler(task)
    } catch (error) {
      this.#report(error)
    }
  }
}
