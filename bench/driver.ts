/**
 * The process of `npm run bench -- --against` that measures the product of its own tree: it runs one window at a time, when its parent
 * asks. A line that cannot be opened in this tree is missing, with the reason.
 */
import type { Effort } from './against.ts'
import { serveParent } from './child.ts'
import { deliveryLines, httpLines, settleLines, startReceiver, type Lines, type Measured, type Variant } from './measures.ts'
import { startShop } from './members.ts'
import { makePages, openDatabase } from './postgres.ts'
import { runBench, type Scope } from './scope.ts'
import { startFleet, wholeLine } from './whole-payments.ts'

export type DriverQuestion = { do: 'open' } | { do: 'analyze' } | { do: 'prepare' | 'run'; line: string }
export type DriverAnswer =
  | { warmUps: Record<string, number>; missing: Record<string, string> }
  | { window: Measured }
  | { done: true }
  | { error: string }

const settings = process.env as Record<'DATABASE_URL' | 'DELIVERY_URL' | 'WHOLE_URL' | 'EFFORT', string>
const { windowMs, wholeMs, merchants, only } = JSON.parse(settings.EFFORT) as Effort

const lines: Record<string, Variant> = {}
const missing: Record<string, string> = {}
const analyses: (() => Promise<void>)[] = []

async function opened<Name extends string>(name: string, opening: () => Promise<Lines<Name>>): Promise<void> {
  if (only !== undefined && only !== name) return
  try {
    Object.assign(lines, await opening())
  } catch (error) {
    missing[name] = error instanceof Error ? error.message : String(error)
  }
}

async function openAll(scope: Scope): Promise<void> {
  const database = async (url: string) => {
    const made = await openDatabase(scope, url)
    analyses.push(() => made.owner.script('vacuum analyze'))
    return made
  }
  const main = await database(settings.DATABASE_URL)
  const pages = await makePages(main.db, merchants)
  await opened('settle', async () => {
    const { hot, spread } = settleLines(main.db, pages, windowMs)
    return { hot, spread }
  })
  await opened('http', () => httpLines(scope, main, pages, windowMs))
  await opened('delivery', async () =>
    deliveryLines(scope, await database(settings.DELIVERY_URL), await startReceiver(scope, settings.DELIVERY_URL), windowMs),
  )
  await opened('whole', async () => ({
    whole: wholeLine(await startFleet(scope, await database(settings.WHOLE_URL), await startShop(scope), 1), wholeMs),
  }))
}

async function answer(scope: Scope, question: DriverQuestion): Promise<DriverAnswer> {
  if (question.do === 'open') {
    await openAll(scope)
    return { warmUps: Object.fromEntries(Object.entries(lines).map(([name, { warmUps = 1 }]) => [name, warmUps])), missing }
  }
  if (question.do === 'analyze') {
    for (const analyze of analyses) await analyze()
    return { done: true }
  }
  const line = lines[question.line]!
  if (question.do === 'run') return { window: await line.run() }
  await line.prepare?.()
  return { done: true }
}

await runBench(async (scope) => {
  serveParent((question) =>
    answer(scope, question as DriverQuestion).catch((error: unknown): DriverAnswer => ({
      error: error instanceof Error ? error.message : String(error),
    })),
  )
  // Its parent ends it.
  await new Promise(() => undefined)
})
