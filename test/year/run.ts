/** Lives the days, one after the other, and ends with what became of everything. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '../../server/platform/db.ts'
import { diceOf, type Dice } from '../faults/model-clients.ts'
import { checkDay } from './checks.ts'
import { openMerchant, type YearMerchant } from './merchants.ts'
import { pay, payOut } from './payers.ts'
import { settleDown } from './quiet.ts'
import { startService, type Service } from './service.ts'

export type YearOptions = { days: number; seed: number; start: Date; print(line: string): void }

const [dayMs, hourMs] = [86_400_000, 3_600_000]

/** The moments of a day at which something is asked for: hours after midnight, UTC. The last payers are still at it at midnight. */
const businessHours = [6, 9, 12, 15, 18, 21, 23.98]
/** After it: the day is closed (East Africa has midnight at 21:00 UTC), and compared with the provider's books at 1:00. */
const nightHours = [24.5, 25.2]

type Scene = { service: Service; dice: Dice; merchants: YearMerchant[]; day: number; made: number }

async function liveMoment(scene: Scene): Promise<void> {
  const { service, dice, merchants } = scene
  for (const merchant of merchants) {
    for (let payments = dice.below(3); payments > 0; payments -= 1) await pay(service, merchant, dice, `p-${(scene.made += 1)}`)
    if (dice.next() < 0.15) await payOut(service, merchant, dice, `o-${(scene.made += 1)}`)
  }
}

async function liveDay(scene: Scene, midnight: number): Promise<void> {
  const { service } = scene
  for (const hour of businessHours) {
    await service.clock.moveTo(midnight + hour * hourMs)
    await liveMoment(scene)
    await settleDown(service)
  }
  for (const hour of nightHours) {
    await service.clock.moveTo(midnight + hour * hourMs)
    await settleDown(service)
  }
}

/** Answers what is wrong, or nothing. */
export async function liveYear({ days, seed, start, print }: YearOptions): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-year-'))
  const service = await startService(folder, String(seed))
  const db = openDb({ ...service.config.database, poolSize: 2, applicationName: 'year', onError: () => undefined })
  const dice = diceOf(seed)
  const startedAt = service.clock.now()
  const merchants: YearMerchant[] = []
  let wrong: string[] = []
  try {
    await service.clock.tellDatabase()
    await service.clock.moveTo(start.getTime())
    for (const name of ['simulator', 'api', 'worker'] as const) await service.start(name)
    for (const [index, environment] of (['test', 'test', 'live'] as const).entries()) {
      merchants.push(await openMerchant(service, db, { name: `shop-${index}`, environment, dice }))
    }
    const scene: Scene = { service, dice, merchants, day: 0, made: 0 }
    for (let day = 1; day <= days && wrong.length === 0; day += 1) {
      scene.day = day
      const midnight = start.getTime() + (day - 1) * dayMs
      const began = realMs(service, startedAt)
      await liveDay(scene, midnight)
      wrong = await checkDay(service, db, merchants)
      print(`day ${day} ${new Date(midnight).toISOString().slice(0, 10)}: ${Math.round(realMs(service, startedAt) - began)} ms`)
      for (const what of wrong) print(`  ${what}`)
    }
  } finally {
    for (const { receiver } of merchants) receiver.close()
    await db.close()
    await service.close()
  }
  if (wrong.length === 0) await rm(folder, { recursive: true, force: true })
  else print(`Logs are in ${folder}.`)
  return wrong
}

const realMs = (service: Service, startedAt: number): number => service.clock.now() - service.clock.aheadMs() - startedAt
