/**
 * The queue of a test run. Invariant: a machine of two cores runs three jobs that compute, or four that wait, or one that measures and
 * nothing beside it; a bigger machine runs more of the first two.
 */

/** What a job needs of the machine: `cpu` computes, `wait` waits for pauses and processes, `alone` measures times or memory. */
export type Tag = 'cpu' | 'wait' | 'alone'

/** `seconds` is the recorded duration, which decides the order: the longest job starts first. */
export type Job = { title: string; tag: Tag; seconds: number }

/** The sixths of a core that a job takes. One that computes waits for its database at times: two would leave a quarter of two cores idle. */
const sixthsFor: Record<Exclude<Tag, 'alone'>, number> = { cpu: 4, wait: 3 }

/** The order in which jobs start: the longest first, and those that run alone at the end. */
export function inOrder<Next extends Job>(jobs: readonly Next[]): Next[] {
  return jobs.toSorted((one, other) => Number(one.tag === 'alone') - Number(other.tag === 'alone') || other.seconds - one.seconds)
}

/**
 * Runs the jobs and returns when all have ended. `atMost` limits the jobs at once, because each may need a gigabyte of memory. A job
 * that does not fit is passed by a later one that does, except that nothing passes a job that runs alone.
 */
export async function runQueue<Next extends Job>(
  jobs: readonly Next[],
  { cores, atMost }: { cores: number; atMost: number },
  run: (job: Next) => Promise<void>,
): Promise<void> {
  const waiting = inOrder(jobs)
  const running = new Set<Promise<void>>()
  const sixths = 6 * cores
  let used = 0
  const needs = ({ tag }: Job): number => (tag === 'alone' ? sixths : sixthsFor[tag])
  const fits = (job: Job): boolean =>
    running.size === 0 || (job.tag !== 'alone' && running.size < atMost && used + needs(job) <= sixths)
  const next = (): Next | undefined => {
    const index = waiting.findIndex(fits)
    return index < 0 || (waiting[index]!.tag === 'alone' && running.size > 0) ? undefined : waiting.splice(index, 1)[0]
  }
  while (waiting.length > 0 || running.size > 0) {
    for (let job = next(); job; job = next()) {
      const started = job
      used += needs(started)
      const ended: Promise<void> = run(started).finally(() => {
        used -= needs(started)
        running.delete(ended)
      })
      running.add(ended)
    }
    await Promise.race(running)
  }
}

/** Divides files into batches of about the same recorded time, at most `seconds` each where a single file allows it. */
export function inBatches<File extends { seconds: number }>(files: readonly File[], seconds: number): File[][] {
  const total = files.reduce((sum, file) => sum + file.seconds, 0)
  const batches = Array.from({ length: Math.max(1, Math.ceil(total / seconds)) }, () => ({ seconds: 0, files: [] as File[] }))
  for (const file of files.toSorted((one, other) => other.seconds - one.seconds)) {
    const least = batches.reduce((smallest, batch) => (batch.seconds < smallest.seconds ? batch : smallest))
    least.seconds += file.seconds
    least.files.push(file)
  }
  return batches.map((batch) => batch.files).filter((batch) => batch.length > 0)
}
