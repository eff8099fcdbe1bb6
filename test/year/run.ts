/** Runs the days, one after the other, and ends with the outcome of everything. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb, type Db } from '../../server/platform/db/db.ts'
import { createRecordMac } from '../../server/platform/crypto/record-mac.ts'
import { diceOf, type Dice } from '../faults/model-clients.ts'
import { changeMembers, decideApprovals, openBusiness, readBatches, workOnBatches, type Business } from './business.ts'
import { checkDay, compareWithProvider, excuses } from './checks.ts'
import { crash } from './crashes.ts'
import { reportWrongFee, payLate, payOutLate, type ScheduledAction } from './late-payers.ts'
import { openMerchant, tokenOf, type YearMerchant } from './merchants.ts'
import { readStatements, replaceSecrets, rotateKeys, addPerson, type Statements } from './months.ts'
import { createOperator, runNightShift, type Operator } from './operators.ts'
import { askPayout, lookAtPayouts, pay, payOut, refund, requestPayment, type Asked, type AskedPayout } from './payers.ts'
import type { YearPlan } from './plan.ts'
import { formatEffort, type Effort } from './effort.ts'
import { finishCharges, finishDailyRuns, settleDown } from './quiet.ts'
import { newReport, note, formatReport, type Report } from './report.ts'
import { markPoint, reopen, restore, takeBackup, type RestorePoint } from './restores.ts'
import { startService, type Service } from './service.ts'
import { actAsStranger } from './strangers.ts'
import { delayList, makeTrouble, startRandomFaults } from './trouble.ts'
import { differFromTruth, forgetSince, newTruth, type Truth } from './wallets.ts'

const [dayMs, hourMs] = [86_400_000, 3_600_000]

/** The moments of a day at which requests are sent: hours after midnight, UTC. The last payers are still active at midnight. */
const [morning, evening] = [10, 23.98]
/** Afterwards: what began before midnight ends, then the day is compared with the provider's books at 1:00. */
const [restHour, nightHour] = [24.5, 25.2]

type Scene = {
  plan: YearPlan
  service: Service
  db: Db
  dice: Dice
  merchants: YearMerchant[]
  operators: [Operator, Operator]
  report: Report
  statements: Statements
  scheduledActions: ScheduledAction[]
  asked: Asked[]
  payouts: AskedPayout[]
  points: Map<number, RestorePoint>
  business: Business
  truth: Truth
  made: number
  print(line: string): void
}

/** Runs everything that is planned until this time, each at its moment. */
async function runScheduledActions(scene: Scene, until: number): Promise<void> {
  const { service } = scene
  for (;;) {
    const [next] = scene.scheduledActions.toSorted((one, other) => one.at - other.at)
    if (!next || next.at > until) return
    scene.scheduledActions.splice(scene.scheduledActions.indexOf(next), 1)
    if (next.at > service.clock.now()) {
      await service.clock.moveTo(next.at)
      await settleDown(service)
    }
    await next.act()
  }
}

async function simulateHour(scene: Scene, hour: number): Promise<void> {
  const { service, dice, merchants, plan, report } = scene
  if (plan.faults.has('trouble')) {
    // An outage in the night would only delay the comparison, and the day's end with it.
    const mayGoOut = hour < 20 && !scene.scheduledActions.some(({ what }) => what.includes('outage'))
    scene.scheduledActions.push(...(await makeTrouble(service, { merchants, dice, report, mayGoOut })))
  }
  const payers = merchants.flatMap((merchant) => Array.from({ length: 1 + dice.below(3) }, () => merchant))
  scene.asked.push(...(await Promise.all(payers.map((merchant) => pay(service, merchant, dice, `p-${(scene.made += 1)}`)))))
  for (const merchant of merchants) {
    if (dice.next() >= 0.2) continue
    const payout = await payOut(service, merchant, dice, `o-${(scene.made += 1)}`)
    if (payout) scene.payouts.push(payout)
    if (payout) scene.truth.askedBy.set(payout.id, merchant)
  }
  for (const one of scene.asked) scene.truth.askedBy.set(one.reference, one.merchant)
  await settleDown(service)
  await liveAsMerchants(scene)
  if (plan.faults.has('trouble') && dice.next() < 0.1 && (await reportWrongFee(service, scene.asked.slice(-6)))) {
    note(report, 'fees that a message reported wrongly')
    await settleDown(service)
  }
  if (plan.faults.has('late') && dice.next() < 0.3) {
    const arranged = await payLate(service, dice, scene.asked, scene.truth)
    if (arranged.length > 0) note(report, 'payers who paid late, without a webhook')
    scene.scheduledActions.push(...arranged)
  }
  if (plan.faults.has('late') && dice.next() < 0.25 && !scene.scheduledActions.some(({ what }) => what.startsWith('payout'))) {
    const arranged = await payOutLate(service, dice, scene.payouts)
    if (arranged.length > 0) note(report, 'payouts given back and then paid')
    scene.scheduledActions.push(...arranged)
  }
}

/** Refunds, payment requests, batches and approvals. */
async function liveAsMerchants(scene: Scene): Promise<void> {
  const { service, dice, merchants, report, truth, business } = scene
  const next = (letter: string): string => `${letter}-${(scene.made += 1)}`
  if (dice.next() < 0.5 && scene.asked.length > 0) {
    const payment = dice.one(scene.asked.slice(-20))
    const id = await refund(service, payment, dice, next('r'))
    note(report, id === undefined ? 'refunds: refused' : 'refunds: asked for')
    if (id !== undefined) truth.askedBy.set(id, payment.merchant)
  }
  if (dice.next() < 0.4) {
    const merchant = dice.one(merchants)
    const paid = await requestPayment(service, merchant, dice, next('q'))
    note(report, paid ? 'payment requests: paid or tried' : 'payment requests: cancelled')
    if (paid) truth.askedBy.set(paid.reference, merchant)
  }
  await decideApprovals(service, business, dice, report)
  await workOnBatches(service, business, { dice, report, name: next('b') })
  await settleDown(service)
  await readBatches(service, business, truth)
}

async function runDailyTasks(scene: Scene, day: number, date: Date): Promise<void> {
  const { service, dice, merchants, plan, report, statements } = scene
  const victim = plan.crashes.get(day)
  if (victim !== undefined) {
    await crash(service, victim)
    note(report, `crashes of the ${victim}`)
  }
  const dayOfMonth = date.getUTCDate()
  if (dayOfMonth === 2) {
    await readStatements(service, merchants, date, statements)
    note(report, 'months with statements')
  }
  if (dayOfMonth === 3) {
    await rotateKeys(service, date.toISOString().slice(0, 7))
    note(report, 'key rotations')
  }
  if (dayOfMonth === 4)
    scene.scheduledActions.push(...(await replaceSecrets(service, dice.one(merchants.filter(({ businessId }) => !businessId)))))
  if (dayOfMonth === 5) await addPerson(service, `person-${day}`, dice, report)
  if (day % 6 === 2) {
    await changeMembers(service, scene.business, `guest-${day}`, dice, report)
  }
  if (day % 3 === 1) {
    const what = await actAsStranger(service, dice, scene.asked, scene.truth)
    if (what !== undefined) note(report, `strangers: ${what}`)
  }
  if (day % 25 === 9) {
    await service.clock.setBack(30 * 60_000)
    await settleDown(service)
    await service.clock.setBack(0)
    note(report, 'database clocks set back')
  }
  if (date.getUTCDay() === 1) for (const merchant of merchants) await tokenOf(service, merchant)
}

/**
 * A normal server vacuums automatically from time to time. Here it never does: its launcher restarts its pause each time the
 * configuration is read, which each move of the clock causes.
 */
async function vacuum({ owner }: Service, day: number, date: Date): Promise<void> {
  if (day === 2 || [1, 15].includes(date.getUTCDate())) await owner.query('vacuum (analyze)')
}

/** Marks the moment of a later restore, or restores, when the plan says so for this day. */
async function restoreAsPlanned(scene: Scene, day: number): Promise<void> {
  const { service, plan, report, points } = scene
  if (plan.restores.some(({ from }) => from === day)) {
    points.set(day, await markPoint(service, await takeBackup(service, `restore-${day}`)))
  }
  const planned = plan.restores.find(({ at }) => at === day)
  if (!planned) return
  const point = points.get(planned.from)!
  await restore(service, point)
  note(report, 'restores')
  forgetSince(scene.truth, point.at)
  await reopen(service, scene.operators[0])
  // A client without an answer that it trusts sends its request again, under the same keys.
  const lost = scene.payouts.filter(({ at }) => at > point.at)
  for (const { merchant, key, body, id } of lost) {
    const answer = await askPayout(service, merchant, key, body)
    assert.ok(answer.status < 500 || answer.status === 503, `payout ${key} after a restore: ${JSON.stringify(answer.body)}`)
    scene.scheduledActions.push(lookAtPayouts(service, { key, ids: [id, answer.body.data?.id] }))
  }
}

/** Days after which the whole past is checked: twice a month, at the end, and after events that may have harmed it. */
function isEventful({ plan }: Scene, day: number, date: Date): boolean {
  const isRestored = plan.restores.some(({ at }) => at === day)
  return [3, 17].includes(date.getUTCDate()) || day === plan.days || plan.crashes.has(day) || isRestored
}

/** Every second morning is quiet, unless a crash or a restore is planned for it: the clock moves over the whole day at once. */
function busyHours({ plan }: Scene, day: number): number[] {
  const isPlanned = plan.crashes.has(day) || plan.restores.some(({ from, at }) => from === day || at === day)
  return day % 2 === 1 || isPlanned ? [morning, evening] : [evening]
}

/** The wallets that the provider's truth contradicts, unless an excuse holds for money of this day. */
async function compareWallets({ service, merchants, truth, report }: Scene): Promise<string[]> {
  const { rows } = await service.owner.query<{ open: number }>(
    'select count(*)::integer as open from breaks where resolved_at is null',
  )
  const { excused } = await compareWithProvider(service)
  const reasons = new Set([...excused, ...(rows[0]!.open > 0 ? (['decision'] as const) : [])])
  for (const reason of reasons) note(report, `days excused: ${excuses[reason]}`)
  if (reasons.has('list') || reasons.has('decision')) return []
  note(report, 'days with wallets compared with the provider’s truth')
  return differFromTruth(service, merchants, truth)
}

async function liveDay(scene: Scene, day: number, midnight: number): Promise<string[]> {
  const { service, operators, report, db, merchants } = scene
  for (const [index, hour] of busyHours(scene, day).entries()) {
    await runScheduledActions(scene, midnight + hour * hourMs)
    await service.clock.moveTo(midnight + hour * hourMs)
    if (index === 0) {
      await restoreAsPlanned(scene, day)
      await runDailyTasks(scene, day, new Date(midnight))
    }
    await simulateHour(scene, hour)
  }
  await runScheduledActions(scene, midnight + restHour * hourMs)
  await service.clock.moveTo(midnight + restHour * hourMs)
  await settleDown(service)
  await runScheduledActions(scene, midnight + nightHour * hourMs)
  const isLate = scene.plan.faults.has('late') && day % 13 === 5
  if (isLate) note(report, 'nights with a late list')
  await service.clock.moveTo(midnight + nightHour * hourMs)
  if (isLate) await delayList(service)
  await settleDown(service)
  await finishDailyRuns(service)
  await finishCharges(service)
  const desk = { truth: scene.truth, asked: scene.asked, report }
  await runNightShift(service, operators, desk)
  await vacuum(service, day, new Date(midnight))
  await settleDown(service)
  await runNightShift(service, operators, desk)
  scene.asked = scene.asked.slice(-50)
  scene.payouts = scene.payouts.filter(({ at }) => at > midnight - 10 * dayMs)
  const wrong = await checkDay(service, db, merchants, isEventful(scene, day, new Date(midnight)))
  return [...wrong, ...(await compareWallets(scene))]
}

async function open(plan: YearPlan, folder: string, print: (line: string) => void): Promise<Scene> {
  const service = await startService(folder, String(plan.seed))
  const recordMac = createRecordMac(service.config.keys.integrity)
  const db = openDb({ ...service.config.database, recordMac, poolSize: 2, applicationName: 'year', onError: () => undefined })
  await service.clock.tellDatabase()
  await service.clock.moveTo(plan.start.getTime())
  for (const name of ['simulator', 'api', 'worker'] as const) await service.start(name)
  const dice = diceOf(plan.seed)
  const merchants: YearMerchant[] = []
  for (const [index, environment] of (['test', 'test', 'live'] as const).entries()) {
    merchants.push(await openMerchant(service, db, { name: `shop-${index}`, environment, dice }))
  }
  const operators: [Operator, Operator] = [await createOperator(service, db, 'rehema'), await createOperator(service, db, 'juma')]
  const business = await openBusiness(service, db, dice, operators[0])
  merchants.push(business.shop)
  if (plan.faults.has('trouble')) await startRandomFaults(service, plan.seed)
  return {
    plan,
    service,
    db,
    dice,
    merchants,
    operators,
    print,
    report: newReport(),
    statements: new Map(),
    scheduledActions: [],
    asked: [],
    payouts: [],
    points: new Map(),
    business,
    truth: newTruth(),
    made: 0,
  }
}

/** Returns the problems found, or an empty list. */
export async function liveYear(plan: YearPlan, print: (line: string) => void): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-year-'))
  const scene = await open(plan, folder, print)
  const { service, db, merchants } = scene
  const realNow = (): number => service.clock.now() - service.clock.aheadMs()
  const startedAt = realNow()
  let wrong: string[] = []
  let day = 0
  let effort: Effort
  try {
    while (day < plan.days && wrong.length === 0) {
      day += 1
      const midnight = plan.start.getTime() + (day - 1) * dayMs
      const began = realNow()
      wrong = await liveDay(scene, day, midnight).catch((error: unknown) => [String((error as Error).stack ?? error)])
      print(`day ${day} ${new Date(midnight).toISOString().slice(0, 10)}: ${Math.round(realNow() - began)} ms`)
      for (const what of wrong) print(`  ${what}`)
    }
    for (const line of await formatReport(service, scene.report, day).catch(() => ['the database does not answer'])) print(line)
  } finally {
    for (const { receiver } of merchants) receiver.close()
    await db.close()
    effort = await service.close()
  }
  print(formatEffort(effort, (realNow() - startedAt) / 1000, day))
  if (wrong.length === 0) await rm(folder, { recursive: true, force: true })
  else print(`Logs are in ${folder}.`)
  return wrong
}
