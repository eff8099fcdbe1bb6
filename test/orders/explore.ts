/** Runs all orders of a pair with at most two pre-emptions, and compares each with the two serial ones. */
import { createDice } from '../fuzz/dice.ts'
import { differenceOf, readFacts, readProvider } from './facts.ts'
import { wordOf } from './gates.ts'
import type { Pair } from './pair.ts'
import { play, readOrder, type Played } from './schedule.ts'
import type { World } from './world.ts'

type Result = { facts: string[]; outcomes: readonly [string, string]; played: Played }

export type Found = { pair: string; order: string; says: string }
/** `of`: how many orders there are, as far as known. */
export type Explored = { pair: string; orders: number; of: number; seconds: number; found: Found[] }

async function runOrder(world: World, pair: Pair, order: string): Promise<Result> {
  const since = new Date()
  const object = await pair.prepare(world)
  const before = await readFacts(world.app, object)
  const segments = readOrder(order)
  const [one, other] = world.sides
  const played = await play(
    segments,
    world.sessions,
    [() => pair.first(one, object), () => pair.second(other, object)],
    world.findBlocked,
  )
  // A side that lost its answer, or its backend, does its work again, as its caller would.
  for (const { of, last } of segments) {
    if (last === 'runs') continue
    const again = await (of === '1' ? pair.first(one, object) : pair.second(other, object)).catch(wordOf)
    played.trace.push(`${of} again: ${again}`)
  }
  await Promise.all(world.sides.map(({ deps }) => deps.backgroundDone()))
  await world.work(object, since)
  const [after, there] = [await readFacts(world.app, object), await readProvider(world.app, object, since)]
  const alike = new Map(pair.alike)
  const facts = [...differenceOf(before, after), ...there].map((fact) => alike.get(fact) ?? fact).toSorted()
  return { facts, outcomes: played.outcomes, played }
}

const isLossy = (order: string): boolean => order.includes('!')
const written = ({ facts, outcomes }: Pick<Result, 'facts' | 'outcomes'>, order: string): string =>
  [...(isLossy(order) ? [] : [`answers: ${outcomes.join(' / ')}`]), ...facts].join('\n  ')

/** How many statements a side has until its first transaction is committed. */
function untilCommit(trace: readonly string[], side: '1' | '2'): number {
  const own = trace.filter((line) => line.startsWith(`${side}:`))
  return own.indexOf(`${side}: commit`, Math.max(0, own.indexOf(`${side}: begin`))) + 1
}

/** What is right: one of the two serial orders, and those between the parts of a side. */
async function serialOf(world: World, pair: Pair): Promise<Result[]> {
  const serial = [await runOrder(world, pair, '1,2'), await runOrder(world, pair, '2,1')]
  for (const side of pair.inParts ?? []) {
    const { trace } = serial[side === '1' ? 0 : 1]!.played
    serial.push(await runOrder(world, pair, `${side}x${untilCommit(trace, side)}`))
  }
  return serial
}

/** A side that waited too long for a lock, on a slow machine, has changed nothing. */
const busy = '503 overloaded'

function judge(pair: Pair, order: string, result: Result, serial: readonly Result[]): Found | undefined {
  const got = written(result, order)
  if (serial.some((one) => written(one, order) === got)) return undefined
  const isRefused = result.outcomes.some((outcome) => outcome === busy || pair.refusals?.includes(outcome))
  const facts = result.facts.join()
  if (isRefused && serial.some((one) => one.facts.join() === facts)) return undefined
  const wanted = serial.map((one) => written(one, order)).join('\n or\n  ')
  return { pair: pair.name, order, says: `${got}\n instead of\n  ${wanted}\n statements:\n  ${result.played.trace.join('\n  ')}` }
}

/** Plays one order, for a replay. */
export async function replay(world: World, pair: Pair, order: string): Promise<{ found: Found | undefined; trace: string[] }> {
  const serial = await serialOf(world, pair)
  const result = await runOrder(world, pair, order)
  return {
    found: judge(pair, order, result, serial),
    trace: [...result.played.trace, `answers: ${result.outcomes.join(' / ')}`, ...result.facts],
  }
}

/** Which orders with at most two pre-emptions there are, if the sides have so many statements. */
function ordersOf([first, second]: readonly [number, number], isLossless = false): string[] {
  const counts = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
  const begun = (of: '1' | '2', own: number, other: number): string[] => {
    const then = of === '1' ? '2' : '1'
    return counts(own).flatMap((count) => {
      const order = `${of}x${count}`
      return [
        order,
        ...(isLossless ? [] : [`${order}!lost`, `${order}!killed`]),
        ...counts(other).map((next) => `${order},${then}x${next}`),
      ]
    })
  }
  return [...begun('1', first, second), ...begun('2', second, first)]
}

/** Plays every order, in an order that follows from the seed, until the time is over. */
export async function explore(world: World, pair: Pair, seed: string, untilMs = Infinity): Promise<Explored> {
  const began = performance.now()
  world.forget()
  const dice = createDice(seed)
  const serial = await serialOf(world, pair)
  const found: Found[] = []
  const done = new Set<string>()
  const lengths: [number, number] = [0, 0]
  let left: string[] = []

  /** An order in which a side tries again shows more statements of it, and so more orders. */
  function learn({ played }: Result): void {
    const known = lengths.join()
    played.passed.forEach((count, index) => (lengths[index] = Math.max(lengths[index]!, count)))
    if (lengths.join() !== known) left = ordersOf(lengths, pair.isLossless).filter((order) => !done.has(order))
  }

  async function tryOrder(order: string): Promise<void> {
    done.add(order)
    const result = await runOrder(world, pair, order)
    learn(result)
    const wrong = judge(pair, order, result, serial)
    if (wrong) found.push(wrong)
  }

  serial.forEach(learn)
  // First, one side has written and not committed: the other waits with what it has read before.
  for (const [side, { played }] of [
    ['1', serial[0]!],
    ['2', serial[1]!],
  ] as const) {
    const count = untilCommit(played.trace, side) - 1
    if (count > 0) await tryOrder(`${side}x${count}`)
  }
  left = left.filter((order) => !done.has(order))
  while (left.length > 0 && found.length < 3 && performance.now() < untilMs) {
    await tryOrder(left.splice(dice.between(0, left.length - 1), 1)[0]!)
  }
  return {
    pair: pair.name,
    orders: done.size + 2,
    of: done.size + left.length + 2,
    seconds: (performance.now() - began) / 1000,
    found,
  }
}
