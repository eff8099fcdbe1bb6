/**
 * Starts a role with faults in it, for a parent that watches: it may stop at one named step, telling its parent that it got there, so
 * that the parent can kill it exactly there; and its clock may be wrong. The steps are those of checkout (S1 store, S2 call the provider,
 * S3 record), of a provider's message (C2 store, C4 settle), of a payout (P1 reserve, P2 send, P3 settle) and of a webhook (D1 claim,
 * D2 send, D3 record). Or it stumbles over the messages about one payment: throws, eats all memory, or never lets go. No slice knows of
 * this: only what the slices receive is wrapped.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadConfig } from '../../server/config.ts'
import { openDependencies, type Dependencies } from '../../server/dependencies.ts'
import type { Db, Runner, Sql, Tx } from '../../server/platform/db/db.ts'
import { createLog } from '../../server/platform/process/log.ts'
import { wrapProviders } from '../../server/providers/provider.ts'
import { startRole } from '../../server/start-role.ts'
import { startDeliveries } from '../../server/webhooks/deliver-webhooks.ts'

type StepName = 'S1' | 'S2' | 'S3' | 'C2' | 'C4' | 'P1' | 'P2' | 'P3' | 'D1' | 'D2' | 'D3'
export type Step = `before ${StepName}` | `after ${StepName}`

/** What it does with each message about this payment. */
export type Poison = { paymentId: string; does: 'throw' | 'loop' | 'eat' }

/** What a parent may say to it. */
export type Command = 'residentMb' | 'liveMb' | { clockOffsetMs: number }

type Wrong = { step?: Step; clockOffsetMs?: number; poison?: Poison }

const role = process.argv[2] as 'api' | 'worker' | 'dispatcher'
const wrong = JSON.parse(process.argv[3] ?? '{}') as Wrong
const { step, poison } = wrong

/** Collects garbage. As an option of the process it would keep this process from using what others have compiled. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
}

let clockOffsetMs = wrong.clockOffsetMs ?? 0
const RealDate = Date
/** The clock of a machine that is set wrong: timers run on, what is asked for the time answers another one. */
class WrongDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + clockOffsetMs)
    else super(...(given as [number]))
  }
  static override now(): number {
    return RealDate.now() + clockOffsetMs
  }
}

/** Says that the step is reached, and stays there for ever. */
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

/** The steps that are statements of a slice's own, by what no other statement says. */
const statements: [name: StepName, says: RegExp][] = [
  ['P1', /insert into payouts /],
  ['P3', /update payouts\s+set status =/],
  ['D1', /update webhook_deliveries d\s+set leased_by =/],
  ['D3', /insert into webhook_attempts /],
]

function stepOf(query: Sql): StepName | undefined {
  const text = query.strings.join(' ')
  return statements.find(([, says]) => says.test(text))?.[0]
}

/** Of a statement in a transaction "after" is after the commit. */
function wrapDb(db: Db): Db {
  const rows = async <Row>(runner: Runner, query: Sql, noted: (name: StepName) => void): Promise<Row[]> => {
    const name = stepOf(query)
    if (name !== undefined && step === `before ${name}`) await stopHere()
    const found = await runner.rows<Row>(query)
    // A claim that finds nothing is no step of anything.
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

function stumble({ does }: Poison): void {
  if (does === 'throw') throw new Error('poison')
  for (;;) if (does === 'eat') eaten.push(Array.from({ length: 100_000 }, (_, index) => `${index}`))
}

function wrap(deps: Dependencies): Dependencies {
  const settleMessage = at('C4', async (item: Parameters<Dependencies['settle']>[0]) => {
    if (poison && item.paymentId === poison.paymentId) stumble(poison)
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
    settle: (item) => (item.inboxEventId === null ? settleAnswer(item) : settleMessage(item)),
  }
}

if (wrong.clockOffsetMs !== undefined) globalThis.Date = WrongDate as DateConstructor

/** A worker that does nothing but send webhooks: it starts fast, and is there to be killed. */
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
  } else if (command === 'liveMb') {
    collect()
    // What the first collection finalises is let go of by the second, which is no good before resident memory is asked for: it moves
    // things to new pages.
    setImmediate(() => {
      collect()
      const { heapUsed, external } = process.memoryUsage()
      process.send!({ memoryMb: inMb(heapUsed + external) })
    })
  }
})
process.send!({ ready: true })
