/**
 * `npm run test:cluster`: schedules of faults on a cluster under load, one after the other on one cluster. After each, everything heals,
 * and what clients were told, the books, the provider's books and the database's own promises must agree.
 */
import { appendFileSync } from 'node:fs'
import { eventually } from '../app.ts'
import { diceOf } from '../faults/model-clients.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { drawFaults } from './faults.ts'
import { startLoad, type Load } from './load.ts'
import { startProbe, type Probe } from './probe.ts'

process.stdin.resume().once('end', () => process.exit(130))

const [folder, from, to, results] = process.argv.slice(2) as [string, string, string, string]
const writableWithinMs = 30_000
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
const say = (line: string): boolean => process.stdout.write(`${line}\n`)

/** How long it took after the end of the faults until each api accepted a payment. */
async function untilWritable({ apps }: Cluster, load: Load, number: number): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(
    apps.map(({ name, url }) =>
      eventually(`${name} accepts payments`, () => load.payOnce(url, `after ${number} ${name}`), writableWithinMs),
    ),
  )
  return performance.now() - startedAt
}

async function run(cluster: Cluster, load: Load, probe: Probe, number: number): Promise<{ isPassed: boolean; line: string }> {
  const faults = drawFaults(diceOf(number))
  const findings: string[] = []
  const before = load.accepted()
  const stop = load.start(number)
  let writableMs = Number.POSITIVE_INFINITY
  try {
    await eventually('there is load', () => load.accepted().payments > before.payments + 5, 30_000)
    probe.longestGap()
    for (const fault of faults) {
      say(`  ${fault.name}`)
      await fault.run(cluster)
    }
    writableMs = await untilWritable(cluster, load, number)
    if (writableMs > writableWithinMs) findings.push(`writable after ${seconds(writableMs)} only`)
    await eventually('the cluster is whole', cluster.isWhole, 120_000)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await stop()
    findings.push(...(await probe.findings()), ...(await load.findings()))
  } catch (error) {
    findings.push((error as Error).message, ...load.surprises())
  }
  const { payments, payouts } = load.accepted()
  const isPassed = findings.length === 0
  const line = [
    `schedule ${number}`,
    isPassed ? 'passed' : `FAILED: ${findings.slice(0, 20).join('; ')}`,
    faults.map(({ name }) => name).join(', '),
    `writable after ${seconds(writableMs)}`,
    `longest time without a commit ${seconds(probe.longestGap())}`,
    `${payments - before.payments} payments, ${payouts - before.payouts} payouts`,
    load.summary(),
  ].join(' | ')
  return { isPassed, line }
}

const cluster = await startCluster(folder)
const load = await startLoad(cluster)
const probe = startProbe(cluster)
for (let number = Number(from); number <= Number(to); number += 1) {
  const { isPassed, line } = await run(cluster, load, probe, number)
  say(line)
  appendFileSync(results, `${new Date().toISOString()} | ${line}\n`)
  // What is wrong once stays wrong in the books.
  if (!isPassed) process.exit(1)
}
process.exit(0)
