/**
 * A thread of the inspecting child that ends the whole process when one file takes too long. The parent does the same, and sooner;
 * this is for a parent that is gone while the child's own thread is too busy to notice.
 */
import { parentPort } from 'node:worker_threads'

let timer: NodeJS.Timeout | undefined

/** Milliseconds from now; 0 calls it off. */
parentPort!.on('message', (deadlineMs: number) => {
  clearTimeout(timer)
  if (deadlineMs > 0) timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), deadlineMs)
})
