/**
 * A thread of the inspecting child that ends the whole process when one file takes too long or too much memory. For the time the
 * parent does the same, and sooner: here it is for a parent that is gone while the child's own thread is too busy to notice.
 */
import { parentPort } from 'node:worker_threads'

/**
 * What one file may take beyond what the program had before it: enough for a page that was scanned at 300 dpi. What decoders allocate is
 * outside of the heap's own limit.
 */
const memoryPerFileBytes = 200_000_000
const lookEveryMs = 20

let deadline: NodeJS.Timeout | undefined
let look: NodeJS.Timeout | undefined

function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Milliseconds from now; 0 calls it off. */
parentPort!.on('message', (deadlineMs: number) => {
  clearTimeout(deadline)
  clearInterval(look)
  if (deadlineMs === 0) return
  deadline = setTimeout(end, deadlineMs)
  const before = process.memoryUsage.rss()
  look = setInterval(() => {
    if (process.memoryUsage.rss() - before > memoryPerFileBytes) end()
  }, lookEveryMs)
})
