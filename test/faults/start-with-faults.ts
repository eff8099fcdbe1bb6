/**
 * Starts a role with faults, for a parent that watches it. It may stop at one named step and report to its parent, so that the
 * parent can kill it exactly there; and its clock may be wrong. The steps are those of checkout (S1 store, S2 call the provider, S3
 * record), of a provider's message (C2 store, C4 settle), of a payout (P1 reserve, P2 send, P3 settle) and of a webhook (D1 claim,
 * D2 send, D3 record). Or it fails on the messages about one payment: throws, uses up all memory, or never returns. The slices know
 * nothing about this: only their dependencies are wrapped.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadConfig } from '../../server/config/config.ts'
import { openDependencies, type Dependencies } from '../../server/start/dependencies.ts'
import { Sql, type Db, type Runner, type Tx } from '../../server/platform/db/db.ts'
import { createLog } from '../../server/platform/process/log.ts'
import { wrapProviders } from '../../server/money/providers/provider.ts'
import { startRole } from '../../server/start/start-role.ts'
import { startDeliveries } from '../../server/merchants/webhooks/deliver-webhooks.ts'

type StepName = 'S1' | 'S2' | 'S3' | 'C2' | 'C4' | 'P1' | 'P2' | 'P3' | 'D1' | 'D2' | 'D3'
export type Step = `before ${StepName}` | `after ${StepName}`

/** The effect of each message about this payment. */
export type Poison = { paymentId: string; does: 'throw' | 'loop' | 'eat' }

/** The commands of the parent. */
export type Command = 'residentMb' | 'highestMb' | 'liveMb' | { clockOffsetMs: number }

type Wrong = { step?: Step; clockOffsetMs?: number; poison?: Poison }

const role = process.argv[2] as 'api' | 'worker' | 'dispatcher'
const wrong = JSON.parse(process.argv[3] ?? '{}') as Wrong
const { step, poison } = wrong

/** Collects garbage. As an option of the process it would prevent the use of code that other processes have compiled. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
}

let clockOffsetMs = wrong.clockOffsetMs ?? 0
const RealDate = Date
/** The clock of a machine with a wrong time: timers run normally, but reading the time returns a wrong value. */
class WrongDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + clockOffsetMs)
    else super(...(given as [number]))
  }
  static override now(): number {
    return RealDate.now() + clockOffsetMs
  }
}

/** Reports that the step is reached, and stops there forever. */
function stopHere(): Promise<never> {
  process.send!({ reached: step })
  return new Promise(() => undefined)
}

/** Stops before or after `work` if that is the step. */
function at<Args extends unknown[], Result>(name: StepName, work: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    if (step === `before ${name}`) await stopHere()
    const result = await work(...args)
    if (step === `after ${name}`) await stopHere()
    return result
  }
}

/** The steps that are SQL statements of a slice, each with text that no other statement contains. */
const statements: [name: StepName, says: RegExp][] = [
  ['P1', /insert into payouts /],
  ['P3', /update payouts p\s+set status =/],
  ['D1', /update webhook_deliveries d\s+set leased_by =/],
  ['D3', /insert into webhook_attempts /],
]

/** The text of a statement with the pieces in it. */
function textOf({ strings, values }: Sql): string {
  return strings.map((part, place) => part + (values[place] instanceof Sql ? textOf(values[place]) : ' ')).join('')
}

function stepOf(query: Sql): StepName | undefined {
  const text = textOf(query)
  return statements.find(([, says]) => says.test(text))?.[0]
}

/** For a statement in a transaction, "after" means after the commit. */
function wrapDb(db: Db): Db {
  const rows = async <Row>(runner: Runner, query: Sql, noted: (name: StepName) => void): Promise<Row[]> => {
    const name = stepOf(query)
    if (name !== undefined && step === `before ${name}`) await stopHere()
    const found = await runner.rows<Row>(query)
    // A claim that finds nothing is not a step.
    if (name !== undefined && (name !== 'D1' || found.length > 0)) noted(name)
    return found
  }
  const afterwards = async (names: ReadonlySet<StepName>): Promise<void> => {
    if ([...names].some((name) => step === `after ${name}`)) await stopHere()
  }
  return {
    ...db,
    async rows<Row>(query: Sql) {
      const names = new Set<StepName>()
      const found = await rows<Row>(db, query, (name) => names.add(name))
      await afterwards(names)
      return found
    },
    async tx<Result>(work: (tx: Tx) => Promise<Result>) {
      const names = new Set<StepName>()
      const result = await db.tx((tx) =>
        work({ ...tx, rows: <Row>(query: Sql) => rows<Row>(tx, query, (name) => names.add(name)) }),
      )
      await afterwards(names)
      return result
    },
  }
}

const eaten: string[][] = []

function crash({ does }: Poison): void {
  if (does === 'throw') throw new Error('poison')
  for (;;) if (does === 'eat') eaten.push(Array.from({ length: 100_000 }, (_, index) => `${index}`))
}

function wrap(deps: Dependencies): Dependencies {
  const settleMessage = at('C4', async (item: Parameters<Dependencies['settle']>[0]) => {
    if (poison && item.paymentId === poison.paymentId) crash(poison)
    return deps.settle(item)
  })
  const settleAnswer = at('S3', deps.settle)
  return {
    ...deps,
    db: wrapDb(deps.db),
    providers: wrapProviders(deps.providers, (provider) => ({
      ...provider,
      charge: at('S2', provider.charge),
      sendPayout: at('P2', provider.sendPayout),
    })),
    insertPayment: at('S1', deps.insertPayment),
    storeMessage: at('C2', deps.storeMessage),
    recordAcceptance: at('S3', deps.recordAcceptance),
    egress: { ...deps.egress, post: at('D2', deps.egress.post) },
    settle: (item) => (item.inboxEventId === undefined ? settleAnswer(item) : settleMessage(item)),
  }
}

if (wrong.clockOffsetMs !== undefined) globalThis.Date = WrongDate as DateConstructor

/** A worker that only sends webhooks: it starts fast, and exists to be killed. */
async function startDispatcher(): Promise<{ stop(): Promise<void> }> {
  const config = loadConfig()
  const deps = wrap(await openDependencies(config, createLog({ level: config.logLevel, role: 'dispatcher' }), 'worker'))
  const deliveries = startDeliveries(deps)
  deps.notifications.on('webhooks_due', () => deliveries.wake())
  return {
    async stop() {
      await deliveries.stop()
      await deps.close()
    },
  }
}

const running = await (role === 'dispatcher' ? startDispatcher() : startRole(role, wrap))
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)))
process.on('disconnect', () => process.exit(1))
process.on('message', (command: Command) => {
  const inMb = (bytes: number) => bytes / 1e6
  if (typeof command === 'object') {
    clockOffsetMs = command.clockOffsetMs
  } else if (command === 'residentMb') {
    collect()
    process.send!({ memoryMb: inMb(process.memoryUsage.rss()) })
  } else if (command === 'highestMb') {
    process.send!({ memoryMb: inMb(process.resourceUsage().maxRSS * 1024) })
  } else if (command === 'liveMb') {
    collect()
    // The second collection frees the objects that the first one finalised. It is not suitable before a measurement of resident
    // memory, because it moves objects to new pages.
    setImmediate(() => {
      collect()
      const { heapUsed, external } = process.memoryUsage()
      process.send!({ memoryMb: inMb(heapUsed + external) })
    })
  }
})
process.send!({ ready: true })
