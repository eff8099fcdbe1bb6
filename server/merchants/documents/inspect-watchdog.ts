/**
 * A thread of the inspecting child that ends the whole process when one file takes too long or too much memory. The parent also
 * enforces the time of the clock, and earlier: this watchdog is for the case that the parent is gone while the child's main thread is too busy
 * to notice.
 */
import { parentPort } from 'node:worker_threads'

/**
 * The memory that one file may use in addition to the program's: enough for a page that was scanned at 300 dpi. Memory of
 * decoders is outside the heap limit.
 */
const memoryPerFileBytes = 200_000_000
const checkIntervalMs = 20

let deadline: NodeJS.Timeout | undefined
let look: NodeJS.Timeout | undefined

function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** The most that one file may take from now on, in milliseconds of the clock and of the processor. */
export type Allowance = { deadlineMs: number; processorMs: number }

let processorMs = 0

/** A new file with its allowance, more time of the processor for it, or its end. */
parentPort!.on('message', (allowed: Allowance | number | 'done') => {
  if (typeof allowed === 'number') return void (processorMs += allowed)
  clearTimeout(deadline)
  clearInterval(look)
  if (allowed === 'done') return
  processorMs = allowed.processorMs
  deadline = setTimeout(end, allowed.deadlineMs)
  const [memory, processor] = [process.memoryUsage.rss(), process.cpuUsage()]
  look = setInterval(() => {
    const { user, system } = process.cpuUsage(processor)
    const isTooLong = (user + system) / 1000 > processorMs
    if (isTooLong || process.memoryUsage.rss() - memory > memoryPerFileBytes) end()
  }, checkIntervalMs)
})
