/** The program that decodes untrusted files, one at a time, as a child process of the service; it ends with its parent. */
import { stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { inspectImage } from './inspect-image.ts'
import { inspectLogo } from './inspect-logo.ts'
import { inspectPdf } from './inspect-pdf.ts'
import type { Allowance } from './inspect-watchdog.ts'
import type { InspectionAnswer, InspectionJob, InspectionReport } from './inspector.ts'

const watchdog = new Worker(new URL('./inspect-watchdog.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 8 } })
const graceMs = 1_000

function inspect(job: InspectionJob): Promise<InspectionAnswer> {
  if (job.use === 'logo') return inspectLogo(job, job.type)
  return job.type === 'application/pdf'
    ? inspectPdf(job, (pages) => watchdog.postMessage(processorMsForPages(pages)))
    : inspectImage(job, job.type)
}

/**
 * A file may cost the processor less than a second, and more by its size and its pages: a PDF of three kilobytes whose only page never
 * ends is no larger than one of a single sentence.
 */
const processorMsFor = (bytes: number): number => 900 + bytes / 1000
const processorMsForPages = (pages: number): number => (pages - 1) * 150

async function answer(job: InspectionJob): Promise<void> {
  const { size } = await stat(job.file)
  watchdog.postMessage({ deadlineMs: job.deadlineMs + graceMs, processorMs: processorMsFor(size) } satisfies Allowance)
  const report: InspectionReport = { answer: await inspect(job), memoryBytes: process.memoryUsage.rss() }
  watchdog.postMessage('done')
  process.send!(report)
}

process.on('disconnect', () => process.exit(0))
// An unexpected error ends the process, and the parent refuses the file.
process.on('message', (job: InspectionJob) => void answer(job))
watchdog.on('online', () => process.send!('ready'))
