/** The program that decodes untrusted files, one at a time, as a child process of the service; it ends with its parent. */
import { Worker } from 'node:worker_threads'
import { inspectImage } from './inspect-image.ts'
import { inspectLogo } from './inspect-logo.ts'
import { inspectPdf } from './inspect-pdf.ts'
import type { InspectionAnswer, InspectionJob, InspectionReport } from './inspector.ts'

const watchdog = new Worker(new URL('./inspect-watchdog.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 8 } })
const graceMs = 1_000

function inspect(job: InspectionJob): Promise<InspectionAnswer> {
  if (job.use === 'logo') return inspectLogo(job, job.type)
  return job.type === 'application/pdf' ? inspectPdf(job) : inspectImage(job, job.type)
}

async function answer(job: InspectionJob): Promise<void> {
  watchdog.postMessage(job.deadlineMs + graceMs)
  const report: InspectionReport = { answer: await inspect(job), memoryBytes: process.memoryUsage.rss() }
  watchdog.postMessage(0)
  process.send!(report)
}

process.on('disconnect', () => process.exit(0))
// An unexpected error ends the process, and the parent refuses the file.
process.on('message', (job: InspectionJob) => void answer(job))
watchdog.on('online', () => process.send!('ready'))
