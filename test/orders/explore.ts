/** Runs all orders of a pair with at most two pre-emptions, and compares each with the two serial ones. */
import { differenceOf, readFacts } from './facts.ts'
import { wordOf } from './gates.ts'
import type { Pair } from './pairs.ts'
import { play, readOrder, type Played } from './schedule.ts'
import type { World } from './world.ts'

type Result = { facts: string[]; outcomes: readonly [string, string]; played: Played }

export type Found = { pair: string; order: string; says: string }
export type Explored = { pair: string; orders: number; seconds: number; found: Found[] }

async function runOrder(world: World, pair: Pair, order: string): Promise<Result> {
  const object = await pair.prepare(world)
  const before = await readFacts(world.app, object.merchantId)
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
  const after = await readFacts(world.app, object.merchantId)
  return { facts: differenceOf(before, after), outcomes: played.outcomes, played }
}

const isLossy = (order: string): boolean => order.includes('!')
const written = ({ facts, outcomes }: Pick<Result, 'facts' | 'outcomes'>, order: string): string =>
  [...(isLossy(order) ? [] : [`answers: ${outcomes.join(' / ')}`]), ...facts].join('\n  ')

/** What is right: one of the two serial orders. */
async function serialOf(world: World, pair: Pair): Promise<Result[]> {
  return [await runOrder(world, pair, '1,2'), await runOrder(world, pair, '2,1')]
}

function judge(pair: Pair, order: string, result: Result, serial: readonly Result[]): Found | undefined {
  const got = written(result, order)
  if (serial.some((one) => written(one, order) === got)) return undefined
  const isRefused = result.outcomes.some((outcome) => pair.refusals?.includes(outcome))
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

/** Plays every order, or those that the filter keeps, until the time is over. */
export async function explore(
  world: World,
  pair: Pair,
  keeps: (order: string) => boolean = () => true,
  untilMs = Infinity,
): Promise<Explored> {
  const began = performance.now()
  const serial = await serialOf(world, pair)
  const found: Found[] = []
  let orders = 2

  async function tryOrder(order: string): Promise<Result> {
    orders += 1
    const result = await runOrder(world, pair, order)
    const wrong = judge(pair, order, result, serial)
    if (wrong) found.push(wrong)
    return result
  }

  const isOver = (): boolean => performance.now() > untilMs || found.length >= 3

  for (const [of, then] of [
    ['1', '2'],
    ['2', '1'],
  ] as const) {
    for (let count = 1; !isOver(); count += 1) {
      const { played } = await tryOrder(`${of}x${count}`)
      if (played.ran[0]! < count) break
      for (const loss of ['lost', 'killed']) {
        const order = `${of}x${count}!${loss}`
        if (keeps(order) && !isOver()) await tryOrder(order)
      }
      for (let next = 1; !isOver(); next += 1) {
        const order = `${of}x${count},${then}x${next}`
        if (!keeps(order)) {
          if (next > 60) break
          continue
        }
        const inner = await tryOrder(order)
        if (inner.played.ran[1]! < next) break
      }
    }
  }
  return { pair: pair.name, orders, seconds: (performance.now() - began) / 1000, found }
}
