/**
 * The faults of the model test, drawn from its seed: connections to the database, the provider and the receivers hang, slow down or
 * break; processes are killed (anywhere, or at a named step), stopped for seconds and started again; clocks are wrong, the provider
 * sends nonsense, and receivers answer badly. This file counts the faults and ends them all.
 */
import type { TestContext } from 'node:test'
import type { Fleet, Member } from '../fleet.ts'
import { diceOf, type Dice } from './model-clients.ts'
import type { ModelReceiver } from './model-receiver.ts'
import type { OwnDatabase } from './own-database.ts'
import type { ProviderAnswer, ProviderProxy } from './provider-proxy.ts'
import type { Step } from './start-with-faults.ts'
import { startDatabaseProxy, startTcpProxy, type TcpProxy, type Way } from './tcp-proxy.ts'

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const stepsOf: Record<'api' | 'worker', Step[]> = {
  api: (['S1', 'S2', 'S3', 'C2', 'C4', 'P1', 'P2', 'P3'] as const).flatMap(
    (name) => [`before ${name}`, `after ${name}`] as Step[],
  ),
  worker: (['S2', 'S3', 'P2', 'P3', 'D1', 'D2', 'D3'] as const).flatMap((name) => [`before ${name}`, `after ${name}`] as Step[]),
}

/** A place in the fleet, with its own connection to the database. The process in it may change. */
export type Place = {
  role: 'api' | 'worker'
  member: Member
  database: TcpProxy & { url: string }
  isBusy: boolean
}

export type Faults = {
  places: Place[]
  counts: Map<string, number>
  /** Causes faults until `isOver`; then all faults are off and every process runs. */
  run(seed: number, isOver: () => boolean): Promise<void>
  clear(): Promise<void>
}

const nonsense: ((answer: ProviderAnswer) => ProviderAnswer)[] = [
  ({ body }) => ({ status: 200, body: body.slice(0, body.length / 2) }),
  () => ({ status: 200, body: '' }),
  () => ({ status: 200, body: '[]' }),
  () => ({ status: 502, body: '<html>Bad Gateway</html>' }),
  () => ({ status: 500, body: '{"status":"error","code":500}' }),
]

const hourMs = 3_600_000

export async function startFaults(
  t: TestContext,
  fleet: Fleet,
  tools: {
    provider: ProviderProxy
    receivers: ModelReceiver[]
    /** When it belongs to the test, the database server also stops and restarts. */
    database: OwnDatabase | undefined
    note(line: string): void
  },
): Promise<Faults> {
  const { app } = fleet
  const { provider, receivers, database: ownDatabase, note } = tools
  const providerPort = Number(new URL(provider.url).port)
  const providerLine = await startTcpProxy(t, () => ({ port: providerPort }))
  const counts = new Map<string, number>()

  function count(what: string, detail = ''): void {
    counts.set(what, (counts.get(what) ?? 0) + 1)
    note(`faults: ${what} ${detail}`)
  }

  async function start(
    role: 'api' | 'worker',
    databaseUrl: string,
    fault: { step?: Step; clockOffsetMs?: number } = {},
  ): Promise<Member> {
    const settings = { DATABASE_URL: databaseUrl, SNIPPE_TEST_BASE_URL: `http://127.0.0.1:${providerLine.port}` }
    return fleet[role]({ clockOffsetMs: 0, ...fault, settings })
  }

  const places: Place[] = []
  for (const role of ['api', 'api', 'worker', 'worker'] as const) {
    const database = await startDatabaseProxy(t, app.config.database.url)
    places.push({ role, database, member: await start(role, database.url), isBusy: false })
  }

  /** Locks the place against other faults during the work. */
  async function withPlace(place: Place, work: () => Promise<void>): Promise<void> {
    place.isBusy = true
    try {
      await work()
    } finally {
      place.isBusy = false
    }
  }

  async function replace(place: Place, step?: Step): Promise<void> {
    // No process starts without a database.
    place.database.heal()
    place.database.slowDown(0)
    for (let tries = 1; ; tries += 1) {
      try {
        place.member = await start(place.role, place.database.url, { step })
        return
      } catch (error) {
        // A process that exits during its start is started again, as a supervisor does. One that always exits is a finding.
        count('process ended at its start', String(error))
        if (tries === 5) throw error
        await sleep(200)
      }
    }
  }

  const clockOf = (role: 'api' | 'worker', dice: Dice): number =>
    // Sign-ins tolerate half a minute; a process without sign-ins may be hours off.
    role === 'api' ? dice.between(-25_000, 25_000) : dice.one([-2 * hourMs, -hourMs, -1_000, 0, hourMs, 2 * hourMs])

  async function injectProcessFault(place: Place, dice: Dice): Promise<void> {
    const index = places.indexOf(place)
    const ms = dice.between(200, 2_500)
    const kind = dice.weighted([
      ['partition', 20],
      ['cut', 12],
      ['slow', 12],
      ['freeze', 14],
      ['kill', 7],
      ['step', 9],
      ['clock', 16],
    ] as const)
    switch (kind) {
      case 'partition': {
        const ways = dice.one<Way[]>([['to_server'], ['to_client'], ['to_server', 'to_client']])
        count(
          ways.length === 2 ? 'database line deaf' : 'database line deaf one way',
          `${place.role} ${index} ${ways.join()} ${ms} ms`,
        )
        place.database.partition(...ways)
        await sleep(ms)
        place.database.heal()
        break
      }
      case 'cut':
        count('database line cut', `${place.role} ${index}`)
        place.database.cut()
        await sleep(ms / 8)
        place.database.heal()
        break
      case 'slow':
        count('database line slow', `${place.role} ${index} ${ms} ms`)
        place.database.slowDown(dice.between(5, 60))
        await sleep(ms)
        place.database.slowDown(0)
        break
      case 'freeze':
        count('process stopped', `${place.role} ${index} ${ms} ms`)
        await place.member.freeze(ms)
        break
      case 'kill':
        count('process killed', `${place.role} ${index}`)
        await place.member.kill()
        await replace(place)
        break
      case 'step': {
        const step = dice.one(stepsOf[place.role])
        const { member: old } = place
        await old.kill()
        await replace(place, step)
        const isReached = await Promise.race([
          place.member.reached.then(
            () => true,
            () => false,
          ),
          sleep(4_000).then(() => false),
        ])
        count(isReached ? 'process killed at a step' : 'process killed', `${place.role} ${index} ${step}`)
        await place.member.kill()
        await replace(place)
        break
      }
      case 'clock': {
        const offset = clockOf(place.role, dice)
        count('clock set wrong', `${place.role} ${index} ${offset} ms`)
        place.member.setClock(offset)
        break
      }
    }
  }

  async function injectProviderFault(dice: Dice): Promise<void> {
    const ms = dice.between(200, 2_000)
    switch (
      dice.weighted([
        ['deaf', 20],
        ['cut', 20],
        ['slow', 20],
        ['truncated', 20],
        ['nonsense', 25],
      ] as const)
    ) {
      case 'deaf':
        count('provider line deaf')
        providerLine.partition(...dice.one<Way[]>([['to_server'], ['to_client'], ['to_server', 'to_client']]))
        await sleep(ms)
        providerLine.heal()
        break
      case 'cut':
        count('provider line cut')
        providerLine.cut()
        await sleep(ms / 4)
        providerLine.heal()
        break
      case 'slow':
        count('provider line slow')
        providerLine.slowDown(dice.between(20, 400))
        await sleep(ms)
        providerLine.slowDown(0)
        break
      case 'truncated':
        count('provider answer truncated')
        providerLine.truncateNextAnswer(dice.between(1, 200))
        break
      case 'nonsense': {
        const change = dice.one(nonsense)
        count('provider talks nonsense')
        provider.change((_method, _path, answer) => change(answer))
        await sleep(ms / 4)
        provider.change(undefined)
        break
      }
    }
  }

  async function injectReceiverFault(receiver: ModelReceiver, dice: Dice): Promise<void> {
    const ms = dice.between(200, 2_500)
    const { line } = receiver
    switch (
      dice.weighted([
        ['manner', 40],
        ['cut', 15],
        ['deaf', 15],
        ['slow', 10],
        ['truncated', 20],
      ] as const)
    ) {
      case 'manner':
        receiver.manner = dice.one(['fault', 'late', 'huge', 'redirect'] as const)
        count('receiver answers badly', receiver.manner)
        await sleep(ms)
        receiver.manner = 'well'
        break
      case 'cut':
        count('receiver line cut')
        line.cut()
        await sleep(ms / 2)
        line.heal()
        break
      case 'deaf':
        count('receiver line deaf')
        line.partition(...dice.one<Way[]>([['to_server'], ['to_client'], ['to_server', 'to_client']]))
        await sleep(ms)
        line.heal()
        break
      case 'slow':
        count('receiver line slow')
        line.slowDown(dice.between(20, 500))
        await sleep(ms)
        line.slowDown(0)
        break
      case 'truncated':
        count('receiver answer truncated')
        line.truncateNextAnswer(dice.between(1, 60))
        break
    }
  }

  /** Another client locks rows, or a whole table, for a long time. */
  async function lockRows(dice: Dice): Promise<void> {
    const [what, statement] = dice.weighted([
      [['rows of wallets held', `select from ledger_accounts where kind = 'wallet' for update`], 30],
      [['rows of pages held', 'select from payment_pages for update'], 20],
      [['rows of payments held', 'select from payments order by random() limit 20 for update'], 30],
      [['rows of payouts held', 'select from payouts order by random() limit 10 for update'], 20],
      [['a table held', 'lock table provider_charges in access exclusive mode'], 10],
      [['a table held', 'lock table webhook_deliveries in access exclusive mode'], 10],
      [['a table held', 'lock table payouts in access exclusive mode'], 10],
    ] as const)
    try {
      const client = await app.owner.pool.connect()
      // A server that crashes ends this connection too; the holder of the lock learns it from its next statement.
      client.on('error', () => undefined)
      try {
        await client.query('begin')
        await client.query(`set local lock_timeout = '2s'`)
        await client.query(statement)
        count(what)
        await sleep(dice.between(100, what === 'a table held' ? 1_500 : 5_000))
        await client.query('rollback')
        client.release()
      } catch (error) {
        client.release(error as Error)
      }
    } catch {
      // Without a database there are no locks.
    }
  }

  /** Not while a process starts, which needs a database. */
  async function crashDatabase(database: OwnDatabase, dice: Dice): Promise<void> {
    while (places.some(({ isBusy }) => isBusy)) await sleep(20)
    for (const place of places) place.isBusy = true
    count('database crashed')
    try {
      await database.crash()
      await sleep(dice.between(50, 1_500))
      await database.start()
    } finally {
      for (const place of places) place.isBusy = false
    }
  }

  /** Causes one kind of fault after another, until it is over. */
  async function repeat(
    seed: number,
    isOver: () => boolean,
    pauseMs: [number, number],
    work: (dice: Dice) => Promise<void>,
  ): Promise<void> {
    const dice = diceOf(seed)
    while (!isOver()) {
      await sleep(dice.between(...pauseMs))
      if (!isOver()) await work(dice)
    }
  }

  return {
    places,
    counts,
    async run(seed, isOver) {
      await Promise.all([
        ...[1, 2, 5].map((turn) =>
          repeat(seed + turn, isOver, [50, 700], async (dice) => {
            const place = dice.one(places)
            if (!place.isBusy) await withPlace(place, () => injectProcessFault(place, dice))
          }),
        ),
        ownDatabase && repeat(seed + 6, isOver, [5_000, 9_000], (dice) => crashDatabase(ownDatabase, dice)),
        repeat(seed + 7, isOver, [500, 4_000], lockRows),
        repeat(seed + 3, isOver, [200, 1_200], injectProviderFault),
        repeat(seed + 4, isOver, [200, 1_200], (dice) => injectReceiverFault(dice.one(receivers), dice)),
      ])
    },
    async clear() {
      provider.change(undefined)
      for (const line of [providerLine, ...receivers.map(({ line: own }) => own), ...places.map(({ database }) => database)]) {
        line.heal()
        line.slowDown(0)
      }
      for (const receiver of receivers) receiver.manner = 'well'
      for (const { member } of places) {
        member.resume()
        member.setClock(0)
      }
    },
  }
}
