/**
 * One order of the statements of two sessions. An order is a text such as `1x3,2x5`: three statements of the first session, five of the
 * second, then the first to its end and the rest of the second. `1x3` alone: three of the first, all of the second, the rest of the first.
 * `1x3!lost` cuts the connection after the third statement ran and before its answer; `1x3!killed` kills its backend before it runs.
 */
import assert from 'node:assert/strict'
import type { Passage, Session } from './gates.ts'

export type Segment = { of: '1' | '2'; count: number; last: Passage }

const shape = /^([12])(?:x(\d+))?(?:!(lost|killed))?$/

export function readOrder(text: string): Segment[] {
  return text.split(',').map((part) => {
    const found = shape.exec(part)
    assert.ok(found, `An order is written like 1x3,2x5 or 1x3!lost: ${text}`)
    const [, of, count, last] = found
    return { of: of as '1' | '2', count: count === undefined ? Infinity : Number(count), last: (last ?? 'runs') as Passage }
  })
}

export type Played = {
  outcomes: [first: string, second: string]
  /** How many statements of each side passed. */
  passed: [first: number, second: number]
  trace: string[]
}

/** Which of these backends wait for a lock of another session. */
export type FindBlocked = (pids: number[]) => Promise<number[]>

const stuckAfterMs = 20_000
const lookEveryMs = 3

/**
 * Plays the order. A session that waits for a lock of the other one cannot go on until the other one does: it is left, and continued when
 * it can be.
 */
export async function play(
  order: readonly Segment[],
  sessions: readonly [Session, Session],
  works: readonly [() => Promise<string>, () => Promise<string>],
  findBlocked: FindBlocked,
): Promise<Played> {
  let changed: () => void = () => undefined
  const listener = (): void => changed()
  const blocked = new Set<Session>()
  const trace: string[] = []

  const isAtGate = (one: Session): boolean => one.running.size === 0 && one.waiting.length > 0

  /** Waits until each session is at its gate, done, or waits for a lock. */
  async function settleDown(): Promise<void> {
    const deadline = performance.now() + stuckAfterMs
    for (;;) {
      const busy = sessions.filter((one) => !one.isDone && !isAtGate(one))
      if (busy.length === 0) return blocked.clear()
      if (performance.now() > deadline) throw new Error(`The sessions are stuck:\n${trace.join('\n')}`)
      let timer: NodeJS.Timeout | undefined
      const isNews = await Promise.race([
        new Promise<boolean>((resolve) => (changed = () => resolve(true))),
        new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), lookEveryMs))),
      ])
      clearTimeout(timer)
      if (isNews) continue
      const pids = busy.flatMap((one) => [...one.running])
      const waiting = new Set(pids.length === 0 ? [] : await findBlocked(pids))
      blocked.clear()
      for (const one of busy) if (one.running.size > 0 && [...one.running].every((pid) => waiting.has(pid))) blocked.add(one)
      // Two that wait for each other are parted by the database.
      if (busy.every((one) => blocked.has(one)) && sessions.some((one) => !one.isDone && !blocked.has(one))) return undefined
    }
  }

  function step(one: Session, passage: Passage): void {
    one.step(passage)
    trace.push(one.passed.at(-1)!)
  }

  const ends = sessions.map((one, index) => one.begin(works[index]!, listener))
  await settleDown()
  for (const { of, count, last } of [...order, ...restOf(order)]) {
    const [chosen, other] = of === '1' ? [sessions[0], sessions[1]] : [sessions[1], sessions[0]]
    let steps = 0
    while (steps < count && !chosen.isDone) {
      if (isAtGate(chosen)) {
        steps += 1
        step(chosen, steps === count ? last : 'runs')
      } else if (isAtGate(other)) step(other, 'runs')
      await settleDown()
    }
  }
  const [first, second] = await Promise.all(ends)
  const [one, two] = sessions
  return { outcomes: [first!, second!], passed: [one.passed.length, two.passed.length], trace }
}

/** What an order leaves open: the other session first. */
function restOf(order: readonly Segment[]): Segment[] {
  const next = order.at(-1)!.of === '1' ? '2' : '1'
  const all = (of: '1' | '2'): Segment => ({ of, count: Infinity, last: 'runs' })
  return [all(next), all(next === '1' ? '2' : '1')]
}
