/** The faults of a schedule. Its number decides their kinds, targets and lengths; which machine is the primary is decided at run time. */
import { eventually } from '../app.ts'
import type { Dice } from '../faults/model-clients.ts'
import type { Cluster, Unit } from './cluster.ts'
import { patroni } from './programs.ts'

export type Fault = {
  name: string
  /** Its length is not the drawn one. */
  hasOwnLength?: true
  run(cluster: Cluster): Promise<void>
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Target = 'primary' | 'standby' | 'other standby'

async function find({ nodes, primary }: Cluster, target: Target): Promise<Cluster['nodes'][number]> {
  const first = await eventually('there is a primary', primary, 60_000)
  const [standby, other] = nodes.filter((node) => node !== first)
  return { primary: first, standby: standby!, 'other standby': other! }[target]
}

/** Cuts the connections from each machine of the first list to each of the second, one way, until the time is over. */
async function part({ network }: Cluster, ms: number, ...ways: [from: Unit[], to: Unit[]][]): Promise<void> {
  for (const [froms, tos] of ways) {
    for (const from of froms) for (const to of tos) if (from !== to) await network.block(from, to)
  }
  await sleep(ms)
  await network.healAll()
}

type Draw = (dice: Dice, ms: number) => Fault

const one = (dice: Dice): Target => dice.one(['primary', 'primary', 'standby', 'other standby'] as const)

const oneWay: Draw = (dice, ms) => {
  const [from, to] = dice.one([
    ['primary', 'standby'],
    ['standby', 'primary'],
    ['primary', 'other standby'],
    ['other standby', 'primary'],
    ['standby', 'other standby'],
    ['other standby', 'standby'],
  ] as const)
  return {
    name: `${from} deaf to ${to}`,
    run: async (cluster) => part(cluster, ms, [[await find(cluster, to)], [await find(cluster, from)]]),
  }
}

const pair: Draw = (dice, ms) => {
  const [left, right] = dice.one([
    ['primary', 'standby'],
    ['primary', 'other standby'],
    ['standby', 'other standby'],
  ] as const)
  return {
    name: `${left} | ${right}`,
    async run(cluster) {
      const [a, b] = [[await find(cluster, left)], [await find(cluster, right)]]
      await part(cluster, ms, [a, b], [b, a])
    },
  }
}

/** One node without the other two; the apis still reach it, or do not. */
const minority: Draw = (dice, ms) => {
  const target = one(dice)
  const isSeen = dice.next() < 0.5
  return {
    name: `${target} | other nodes${isSeen ? '' : ' and apis'}`,
    async run(cluster) {
      const alone = [await find(cluster, target)]
      const others = [...cluster.nodes, ...(isSeen ? [] : cluster.apps)]
      await part(cluster, ms, [alone, others], [others, alone])
    },
  }
}

const majority: Draw = (_dice, ms) => ({
  name: 'each node alone',
  run: (cluster) => part(cluster, ms, [cluster.nodes, cluster.nodes]),
})

const appFromDatabase: Draw = (dice, ms) => {
  const index = dice.below(2)
  const ways = dice.one(['both', 'to', 'from'] as const)
  const isPrimaryOnly = dice.next() < 0.4
  const words = { both: '|', to: 'cannot send to', from: 'deaf to' }[ways]
  return {
    name: `api ${index + 1} ${words} ${isPrimaryOnly ? 'primary' : 'database'}`,
    async run(cluster) {
      const [app, nodes] = [[cluster.apps[index]!], isPrimaryOnly ? [await find(cluster, 'primary')] : cluster.nodes]
      const to: [Unit[], Unit[]] = [app, nodes]
      const from: [Unit[], Unit[]] = [nodes, app]
      await part(cluster, ms, ...{ both: [to, from], to: [to], from: [from] }[ways])
    },
  }
}

const kill: Draw = (dice, ms) => {
  const target = one(dice)
  return {
    name: `${target} killed`,
    async run(cluster) {
      const node = await find(cluster, target)
      await node.kill()
      await sleep(ms)
      node.start()
    },
  }
}

/** The supervisor starts Patroni and etcd again, and Patroni deals with PostgreSQL. */
const killProgram: Draw = (dice) => {
  const target = one(dice)
  const [name, words] = dice.one([
    ['Patroni', patroni],
    ['etcd', 'etcd\0--config-file'],
    ['PostgreSQL', 'postgres'],
  ] as const)
  return {
    name: `${name} of ${target} killed`,
    hasOwnLength: true,
    async run(cluster) {
      await (await find(cluster, target)).signal('SIGKILL', words)
      await sleep(3_000)
    },
  }
}

const pause: Draw = (dice, ms) => {
  const target = one(dice)
  // A Patroni that hangs lets its lock expire while its PostgreSQL still runs: the hardest case without a watchdog.
  const only = dice.one([undefined, patroni, 'postgres'] as const)
  return {
    name: `${{ '': 'all', [patroni]: 'Patroni', postgres: 'PostgreSQL' }[only ?? '']} of ${target} paused`,
    async run(cluster) {
      const node = await find(cluster, target)
      await node.signal('SIGSTOP', only)
      await sleep(ms)
      await node.signal('SIGCONT')
    },
  }
}

const killApp: Draw = (dice, ms) => {
  const index = dice.below(2)
  return {
    name: `api and worker ${index + 1} killed`,
    async run({ apps }) {
      await apps[index]!.kill()
      await sleep(ms / 4)
      apps[index]!.start()
    },
  }
}

const slowDisk: Draw = (dice, ms) => {
  const target = one(dice)
  const writes = dice.one([5, 20, 60])
  return {
    name: `disk of ${target} takes ${writes} writes a second`,
    async run(cluster) {
      const { disk } = await find(cluster, target)
      disk.slow(writes)
      await sleep(ms)
      disk.slow()
    },
  }
}

const fullDisk: Draw = (dice, ms) => {
  const target = one(dice)
  return {
    name: `disk of ${target} full`,
    async run(cluster) {
      const { disk } = await find(cluster, target)
      await disk.fill()
      await sleep(ms)
      await disk.free()
    },
  }
}

/** PostgreSQL and Patroni of one machine, or an api and a worker: etcd and HAProxy measure time by the steady clock. */
const movedClock: Draw = (dice, drawnMs) => {
  const target = dice.one(['primary', 'standby', 'api 1', 'api 2'] as const)
  const seconds = dice.one([-3_600, -60, -5, 5, 60, 3_600])
  // Workers look at the database's clock every five seconds. What is written in a jump back that none of them sees stands among sealed
  // rows, and `verify` says so (docs/runbooks/verify-violation.md).
  const ms = seconds === -3_600 ? Math.max(drawnMs, 12_000) : drawnMs
  return {
    name: `clock of ${target} ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead'} ${Math.round(ms / 1000)} s`,
    hasOwnLength: true,
    async run(cluster) {
      const isApp = target === 'api 1' || target === 'api 2'
      const { clock } = isApp ? cluster.apps[target === 'api 1' ? 0 : 1]! : await find(cluster, target)
      clock.set(seconds)
      await sleep(ms)
      clock.set(0)
    },
  }
}

/** Version after version on one machine after the other, and back the next time: the first version lives with the schema of the next. */
const rollingUpgrade: Draw = () => ({
  name: 'rolling change of version',
  hasOwnLength: true,
  async run(cluster) {
    await cluster.changeVersion()
    for (const app of cluster.apps) {
      await app.stop()
      app.start()
      await eventually(`${app.name} is ready`, app.isReady, 60_000)
    }
  },
})

/** As an upgrade does it: one machine after the other, each whole again before the next. */
const rollingRestart: Draw = () => ({
  name: 'rolling restart',
  hasOwnLength: true,
  async run(cluster) {
    for (const unit of [...cluster.apps, ...cluster.nodes]) {
      await unit.stop()
      unit.start()
      await eventually('the cluster is whole again', cluster.isWhole, 60_000)
    }
  },
})

const draws: readonly (readonly [Draw, number])[] = [
  [oneWay, 15],
  [pair, 12],
  [minority, 20],
  [majority, 8],
  [appFromDatabase, 12],
  [kill, 12],
  [killProgram, 12],
  [pause, 12],
  [killApp, 5],
  [rollingRestart, 4],
  [slowDisk, 10],
  [fullDisk, 8],
  [movedClock, 10],
  [rollingUpgrade, 5],
]

/** Two to four faults. Some are shorter than the lock lives, some longer. */
export function drawFaults(dice: Dice): Fault[] {
  return Array.from({ length: dice.between(2, 4) }, () => {
    const ms = dice.one([dice.between(1_000, 6_000), dice.between(18_000, 28_000)])
    const fault = dice.weighted(draws)(dice, ms)
    return fault.hasOwnLength ? fault : { ...fault, name: `${fault.name} ${Math.round(ms / 1000)} s` }
  })
}
