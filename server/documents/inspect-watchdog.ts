/**
 * A thread of the inspecting child that ends the whole process when one file takes too long or too much memory. The parent also
 * enforces the time, and earlier: this watchdog is for the case that the parent is gone while the child's main thread is too busy
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

/** Milliseconds from now; 0 cancels the deadline. */
parentPort!.on('message', (deadlineMs: number) => {
  clearTimeout(deadline)
  clearInterval(look)
  if (deadlineMs === 0) return
  deadline = setTimeout(end, deadlineMs)
  const before = process.memoryUsage.rss()
  look = setInterval(() => {
    if (process.memoryUsage.rss() - before > memoryPerFileBytes) end()
  }, checkIntervalMs)
})
