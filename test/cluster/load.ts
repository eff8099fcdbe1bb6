/**
 * A merchant and a business who use the apis during all faults. No answer may be one that the model of `test/faults/model.ts` does not allow,
 * what they were told must still be true in the end, and for each wallet one order of all of it must explain what they saw.
 */
import { verifyAll } from '../../server/assurance/invariants/verify-all.ts'
import { eventually } from '../app.ts'
import { startApprovals } from './approvals.ts'
import { readInTheEnd, sleep, type Clients, type Surroundings } from './clients.ts'
import type { Cluster } from './cluster.ts'
import { startMerchant, type MerchantClients } from './merchant.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

export type Load = Pick<MerchantClients, 'accepted' | 'payOnce'> & {
  /** Starts the clients; the returned function stops them and waits for their last requests. */
  start(round: number): () => Promise<void>
  /** What is wrong after everything has healed and all work is finished. */
  findings(): Promise<string[]>
  /** Answers that no model allows, so far. */
  surprises(): readonly string[]
  /** What has happened beside payments and payouts, in words. */
  summary(): string
}

const readEveryMs = 300

const unfinished = `select id from payments where status in ('pending', 'processing')
  union all select id from payouts where status in ('pending', 'processing')`

export async function startLoad({ app, apps }: Cluster): Promise<Load> {
  const surprises: string[] = []
  let isOver = true
  let turn = 0
  const surroundings: Surroundings = {
    app,
    scene: { note: () => undefined, counts: new Map() },
    someUrl: () => apps[turn++ % apps.length]!.url,
    surprise: (what) => void surprises.push((what as Error).message.split('\n', 1)[0]!),
    isOver: () => isOver,
  }
  const receiver = await startWebhookReceiver(apps)
  const merchant = await startMerchant(surroundings, receiver)
  const approvals = await startApprovals(surroundings)
  const all: Clients[] = [merchant, approvals]
  const seen = { reads: 0, steps: 0 }

  /** Reads a wallet all the time. */
  async function watch({ wallet, readBalance }: Clients): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      await wallet.read(`read-${count}`, readBalance).catch(surroundings.surprise)
      await sleep(readEveryMs)
    }
  }

  async function findingsOf({ wallet, readBalance, findings }: Clients): Promise<string[]> {
    const end = await eventually('the balance is read', () => wallet.read('the last read', readBalance), 30_000)
    const checked = wallet.check(end)
    seen.reads += checked.reads
    seen.steps += checked.steps
    return [...checked.findings, ...(await findings(end))]
  }

  return {
    accepted: merchant.accepted,
    payOnce: merchant.payOnce,
    surprises: () => surprises,
    start(round) {
      isOver = false
      const clients = all.flatMap((one) => [one.live(round), watch(one)])
      return async () => {
        isOver = true
        await Promise.all(clients)
      }
    },
    async findings() {
      for (const one of all) await one.settle()
      const found: string[] = []
      // What does not finish may be what was lost: the other checks say more.
      await eventually(
        'all work is finished',
        async () => (await readInTheEnd(() => app.owner.pool.query(unfinished))).rows.length === 0,
        120_000,
      ).catch((error: unknown) => found.push((error as Error).message))
      for (const one of all) found.push(...(await findingsOf(one)))
      const violations = await readInTheEnd(() =>
        verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: 'unchecked' }),
      )
      return [...surprises, ...found, ...violations.map((violation) => `verify: ${JSON.stringify(violation)}`)]
    },
    summary() {
      const { delivered, again } = receiver.counts()
      const { approved, refused } = approvals.counts()
      return `in all ${delivered} events (${again} again), ${approved} payouts approved and ${refused} refused, ${seen.reads} balances read (${seen.steps} steps)`
    },
  }
}
