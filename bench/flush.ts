/**
 * `npm run bench:flush`: settlements on a disk whose flush takes 2 ms, as on ordinary cloud disks. Four lanes commit one payment
 * after the other, with the notification of each batch sent after the commit (as the service does), inside it (as it once did), and
 * not at all. A transaction that notifies holds a lock over the whole database until its commit is flushed, so the commits of four
 * lanes would follow one another. About half a minute.
 *
 * The flush is `commit_delay = 2000` with `commit_siblings = 0`: the process that writes the log sleeps that long before it, while
 * it holds the lock of the log; others join its flush or wait for the next one, as they do behind a slow disk.
 */
import { verify } from '../server/assurance/invariants/verify.ts'
import { createSettle, waitingKey } from '../server/collect/payments/settle.ts'
import { applySettlements, type Settled } from '../server/collect/payments/settle.sql.ts'
import type { Settlement } from '../server/collect/payments/settlement.ts'
import { createBatch } from '../server/platform/db/batch.ts'
import type { Db } from '../server/platform/db/db.ts'
import { createLog } from '../server/platform/process/log.ts'
import { readOptions } from '../scripts/read-options.ts'
import { runWindow } from './load.ts'
import { supplyFor } from './measures.ts'
import { makePages, makePending, startBenchPostgres, successOf, type Pending } from './postgres.ts'
import { median, shuffled } from './ratios.ts'
import { runBench } from './scope.ts'

const { values: flags } = readOptions({
  options: { rounds: { type: 'string', default: '5' }, window: { type: 'string', default: '1000' }, json: { type: 'boolean' } },
})
const rounds = Number(flags.rounds)
const windowMs = Number(flags.window)
const lanes = 4
type Settle = (item: Settlement) => Promise<Settled>

await runBench(async (scope) => {
  const postgres = await startBenchPostgres(scope)
  const { db, owner } = postgres
  await owner.script(`alter system set commit_delay = 2000`)
  await owner.script(`alter system set commit_siblings = 0`)
  await owner.script('select pg_reload_conf()')
  const log = createLog({ level: 'warn', role: 'bench' })
  const isNews = (texts: readonly string[]): boolean => texts.some((text) => text.includes('pg_notify(n.channel'))
  const silent: Db = { ...db, rows: (query) => (isNews(query.strings) ? Promise.resolve([]) : db.rows(query)) }
  // Each settles in two lanes: two of them make four lanes, as with two processes.
  const twoOf = (on: Db): Settle => {
    const settlers = [0, 1].map(() => createSettle({ db: on, log }))
    return (item) => settlers[(item.home >> 1) % 2]!(item)
  }
  const inside = Array.from({ length: lanes }, () =>
    createBatch<Settlement, Settled>({
      gathers: true,
      run: (items) => applySettlements(db, items, items.map((item) => waitingKey(item.paymentId)).join(',')),
    }),
  )
  const ways: Record<'after' | 'inside' | 'none', Settle> = {
    after: twoOf(db),
    inside: (item) => inside[item.home % lanes]!(item),
    none: twoOf(silent),
  }
  const pages = await makePages(db, 200)
  // Each lane has the payments of its own homes, with one in flight: the count is of commits.
  const supplies = Array.from({ length: lanes }, (_, lane) => {
    const own = pages.filter(({ home }) => home % lanes === lane)
    return supplyFor<Pending>(windowMs, (count) => makePending(db, own, count))
  })
  const perSecond: Record<keyof typeof ways, number[]> = { after: [], inside: [], none: [] }
  for (let round = -1; round < rounds; round += 1) {
    for (const way of shuffled(Object.keys(ways) as (keyof typeof ways)[])) {
      for (const supply of supplies) await supply.prepare()
      const window = await runWindow(lanes, windowMs, (lane) => {
        const payment = supplies[lane]!.take()
        return payment && ways[way](successOf(payment))
      })
      for (const supply of supplies) supply.saw({ ...window, perSecond: window.perSecond / lanes })
      if (round >= 0) perSecond[way].push(window.perSecond)
    }
  }
  const ratio = (way: keyof typeof ways): number => median(perSecond[way].map((one, round) => one / perSecond.none[round]!))
  const violations = await verify(owner)
  const result = {
    perSecond: { after: median(perSecond.after), inside: median(perSecond.inside), none: median(perSecond.none) },
    after: ratio('after'),
    inside: ratio('inside'),
    violations,
  }
  if (flags.json) console.log(JSON.stringify(result))
  else {
    const { after, inside: within, none } = result.perSecond
    console.log(`settlements a second at a flush of 2 ms, ${lanes} lanes: without news ${none.toFixed(0)}`)
    console.log(`  news after the commit  ${after.toFixed(0)}, ratio ${result.after.toFixed(2)} (floor 0.9)`)
    console.log(`  news inside the commit ${within.toFixed(0)}, ratio ${result.inside.toFixed(2)}`)
    console.log(`invariants: ${violations.length === 0 ? 'clean' : JSON.stringify(violations)}`)
  }
})
