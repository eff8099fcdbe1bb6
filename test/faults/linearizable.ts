/**
 * Whether a history of concurrent operations is linearizable: whether each can be given one moment between its call and its answer, so that
 * one after the other explains all answers. The algorithm of Wing and Gong ("Testing and verifying concurrent objects", Journal of Parallel
 * and Distributed Computing 17, 1993), with the memory of configurations that Lowe adds ("Testing for linearizability", Concurrency and
 * Computation 29(4), 2017). Its work is bounded.
 */

/** `effect`: what it does, and what it was answered. `returned`: Infinity if the outcome is unknown: it may also never happen. */
export type Operation<Effect> = { effect: Effect; invoked: number; returned: number }

export type Model<State, Effect> = {
  /** The next state; undefined: no operation with this effect and this answer is possible in this state. */
  apply(state: State, effect: Effect): State | undefined
  /** The same for equal states only. */
  stateKey(state: State): string
  /** The same only for operations with the same effect and the same answer. */
  effectKey(effect: Effect): string
}

export type Verdict<Effect> =
  | { kind: 'linearizable'; steps: number }
  /** `unexplained`: the operation before which the search always ended. */
  | { kind: 'not linearizable'; steps: number; unexplained: Operation<Effect> }
  | { kind: 'undecided'; steps: number }

/**
 * A configuration of the search. `choices`: the operations that may be next, of which those before `next` were tried, the last one is
 * `tried`. All before `low` have their place.
 */
type Frame<State> = { state: State; low: number; choices: number[]; next: number; tried: number }

/** `maxSteps`: how many operations it applies before it gives up. */
export function checkLinearizable<State, Effect>(
  { apply, stateKey, effectKey }: Model<State, Effect>,
  first: State,
  history: readonly Operation<Effect>[],
  maxSteps = 300_000,
): Verdict<Effect> {
  const operations = history.toSorted((a, b) => a.invoked - b.invoked)
  const keys = operations.map(({ effect }) => effectKey(effect))
  const byReturn = operations.map((_, index) => index).toSorted((a, b) => operations[a]!.returned - operations[b]!.returned)
  const isDone = new Uint8Array(operations.length)
  const bits = new Uint16Array(Math.ceil(operations.length / 16))
  const mark = (index: number, done: boolean): void => {
    isDone[index] = done ? 1 : 0
    bits[index >> 4]! ^= 1 << (index & 15)
  }
  const seen = new Set<string>()
  let steps = 0
  let farthest = -1
  let unexplained = operations[0]!

  /** Operations that began before any other that is left has ended; of equal ones only the one that ends first, because they are interchangeable. */
  function choicesAt(low: number, end: number): number[] {
    const firstOf = new Map<string, number>()
    for (let index = low; index < operations.length && operations[index]!.invoked <= end; index += 1) {
      if (isDone[index]) continue
      const known = firstOf.get(keys[index]!)
      if (known === undefined || operations[index]!.returned < operations[known]!.returned) firstOf.set(keys[index]!, index)
    }
    return [...firstOf.values()].toSorted((a, b) => operations[a]!.returned - operations[b]!.returned)
  }

  /** Undefined: all that must have happened is done. */
  function frameAt(state: State, from: number): Frame<State> | undefined {
    let low = from
    while (low < operations.length && isDone[low]) low += 1
    const next = byReturn.find((index) => !isDone[index])
    if (next === undefined || operations[next]!.returned === Number.POSITIVE_INFINITY) return undefined
    if (stack.length > farthest) {
      farthest = stack.length
      unexplained = operations[next]!
    }
    return { state, low, choices: choicesAt(low, operations[next]!.returned), next: 0, tried: -1 }
  }

  const stack: Frame<State>[] = []
  let frame = frameAt(first, 0)
  while (frame) {
    if (frame.next === frame.choices.length) {
      frame = stack.pop()
      if (!frame) return { kind: 'not linearizable', steps, unexplained }
      mark(frame.tried, false)
      continue
    }
    const index = frame.choices[frame.next++]!
    if (++steps > maxSteps) return { kind: 'undecided', steps }
    const state = apply(frame.state, operations[index]!.effect)
    if (state === undefined) continue
    const key = stateKey(state)
    // What changes nothing and is possible now needs no other place.
    if (key === stateKey(frame.state)) frame.next = frame.choices.length
    mark(index, true)
    const configuration = `${String.fromCharCode(...bits)}|${key}`
    if (seen.has(configuration)) {
      mark(index, false)
      continue
    }
    seen.add(configuration)
    frame.tried = index
    stack.push(frame)
    frame = frameAt(state, frame.low)
  }
  return { kind: 'linearizable', steps }
}
