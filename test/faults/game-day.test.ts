/**
 * A game day: the service under load loses its provider, its database, its worker, its disk and one merchant's endpoint, one after
 * the other. The test reports what the metrics, the alert rules of ops/ and the operators' overview showed of each fault, and
 * checks that nothing was lost.
 * `npm run game-day -- --minutes 10` is the full day; a shorter one shortens the windows and waits of the rules in proportion, but
 * not their thresholds. test/alert-rules.ts evaluates the rules over scrapes of every process, not a Prometheus server.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { startFleet, type Member } from '../fleet.ts'
import { createWatch, type Firing } from '../alert-rules.ts'
import { parseScrape, valueOf, type Sample } from '../scrape.ts'
import { eventually, freePorts, type TestApp } from '../app.ts'
import { startOwnDatabase, type OwnDatabase } from './own-database.ts'
import { askToPay, payAll, readBooks } from './shop.ts'
import { putOnSmallDisk } from './small-disk.ts'
import { startTcpProxy } from './tcp-proxy.ts'

const minutes = Number(process.env['GAME_DAY_MINUTES'] ?? 0.5)
/** The factor by which the windows and waits of the rules are shortened. */
const scale = Math.min(1, minutes / 10)
const scrapeMs = Math.max(500, 15_000 * scale)
const longMs = minutes * 60_000
const shortMs = Math.max(12_000, longMs / 5)
/** A webhook that is a minute late pages an operator; in a short day none is that late. */
const isLong = minutes >= 5

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const say = (line: string): void => void process.stdout.write(`${line}\n`)

type Watched = { instance: string; port: number }

/** Scrapes every process repeatedly, and evaluates the rules. */
function startWatching(targets: Watched[]) {
  const watch = createWatch(scale)
  let firing: Firing[] = []
  let last: Sample[] = []
  let onFiring: (firing: Firing[]) => void = () => undefined
  let isOver = false

  async function scrapeOne({ instance, port }: Watched): Promise<Sample[]> {
    const ofTarget = { job: 'malipo', instance }
    try {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(6_000) })
      const samples = parseScrape(await response.text())
      const labelled = samples.map((sample) => ({ ...sample, labels: { ...sample.labels, ...ofTarget } }))
      return [...labelled, { name: 'up', labels: ofTarget, value: 1 }]
    } catch {
      return [{ name: 'up', labels: ofTarget, value: 0 }]
    }
  }

  async function run(): Promise<void> {
    while (!isOver) {
      const startedAt = performance.now()
      last = (await Promise.all(targets.map(scrapeOne))).flat()
      firing = watch.look({ atMs: performance.now(), samples: last })
      onFiring(firing)
      await sleep(Math.max(0, scrapeMs - (performance.now() - startedAt)))
    }
  }

  const running = run()
  return {
    samples: () => last,
    firing: () => firing,
    onFiring: (listener: (firing: Firing[]) => void) => void (onFiring = listener),
    async stop() {
      isOver = true
      await running
    },
  }
}

/** A merchant's receiver; the test can make it accept everything and answer nothing. */
async function startReceiver(t: TestContext) {
  const received = new Map<string, Set<string>>()
  let isHanging = false
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      if (isHanging) return
      const { id, data } = JSON.parse(body) as { id: string; data: { reference: string } }
      received.set(data.reference, (received.get(data.reference) ?? new Set()).add(id))
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    hang: (is: boolean) => void (isHanging = is),
  }
}

type FullDisk = { how: string; fill(app: TestApp): Promise<void>; free(app: TestApp): Promise<void>; database: OwnDatabase }

/** A disk that can be filled up. For a user who may not mount one, the database reports a full disk instead. */
async function diskOf(own: OwnDatabase): Promise<FullDisk> {
  const disk = await putOnSmallDisk(own)
  if (disk) {
    return {
      how: 'a tmpfs of 192 MB under the tables, filled to the last byte; the log of the database is elsewhere',
      fill: async () => disk.fill(),
      free: async () => disk.free(),
      database: disk.database,
    }
  }
  const trigger = `create function full_disk() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on payments for each statement execute function full_disk()`
  return {
    how: 'pretended by the database: this user may not mount a small disk',
    fill: async (app) => void (await app.owner.pool.query(trigger)),
    free: async (app) => void (await app.owner.pool.query('drop trigger full_disk on payments; drop function full_disk()')),
    database: own,
  }
}

test('a day on which every part fails once, and nothing is lost', { timeout: 60 * 60_000 }, async (t) => {
  const disk = await diskOf(await startOwnDatabase())
  const { database } = disk
  let simulatorPort = 0
  const line = await startTcpProxy(t, () => ({ port: simulatorPort }))
  const hold = shortMs / 1000
  const fleet = await startFleet(
    t,
    {
      RATE_LIMITS: 'off',
      SNIPPE_LIVE_BASE_URL: `http://127.0.0.1:${line.port}`,
      PAYMENT_CHECK_DELAYS_SECONDS: '2',
      PROVIDER_CIRCUIT_OPEN_SECONDS: '3',
      // The chain lasts longer than the hanging endpoint.
      WEBHOOK_DEADLINE_MS: String(Math.min(10_000, shortMs / 5)),
      WEBHOOK_RETRY_DELAYS_SECONDS: [0.2, 0.4, 0.8, 1.6].map((share) => share * hold).join(','),
    },
    { database },
  )
  const { app } = fleet
  simulatorPort = Number(new URL(app.simulatorUrl).port)
  const ports = await freePorts(3)
  const settings = (index: number) => ({ settings: { METRICS_PORT: String(ports[index]) } })
  const apis = [await fleet.api(settings(0)), await fleet.api(settings(1))]
  let worker: Member = await fleet.worker(settings(2))
  const watching = startWatching(['api 1', 'api 2', 'worker'].map((instance, index) => ({ instance, port: ports[index]! })))
  t.after(() => watching.stop())

  const [good, hanging] = [await startReceiver(t), await startReceiver(t)]
  const slugs: string[] = []
  for (const { url } of [good, hanging]) {
    const student = await app.student()
    const { appId } = await app.key(student, 'live')
    const made = await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    slugs.push((await app.page(student, {}, 'live')).slug)
  }

  // Payers who follow the client documentation: they send the same request again until it is accepted.
  const taken = new Set<string>()
  const refused = new Map<string, number>()
  let isOver = false
  t.after(() => void (isOver = true))
  const payers = Promise.all(
    Array.from({ length: 4 }, async (_, payer) => {
      for (let count = 0; !isOver; count += 1) {
        const name = `${payer}-${count}`
        for (;;) {
          const { status, reference, code } = await askToPay(apis[(payer + count) % 2]!.url, slugs[count % 2]!, name)
          if (reference !== undefined) {
            taken.add(reference)
            break
          }
          const why = `${status} ${code ?? 'no answer'}`
          refused.set(why, (refused.get(why) ?? 0) + 1)
          await sleep(200)
        }
        await sleep(isLong ? 1_000 : 150)
      }
    }),
  )

  const unfinished = async (): Promise<number> => (await readBooks(app)).unfinished
  /** Webhooks that are late; a webhook due at this moment is already in flight. */
  const overdue = async (): Promise<number> => {
    const { rows } = await app.owner.pool.query(
      `select count(*)::integer as count from webhook_deliveries where status = 'pending' and next_attempt_at < now() - interval '5 seconds'`,
    )
    return rows[0].count
  }

  /** A short summary of the operators' overview. */
  async function overview(token: string): Promise<string> {
    const response = await fetch(`${apis[1]!.url}/v1/admin/overview`, { headers: { authorization: `Bearer ${token}` } })
    if (response.status !== 200) return `the overview answers ${response.status}`
    const { data } = (await response.json()) as { data: any }
    const shut = data.providers.filter((one: any) => one.circuit !== 'closed')
    const due = data.queues.filter((one: any) => one.due > 0)
    return [
      ...shut.map((one: any) => `${one.provider} ${one.environment} ${one.direction}: circuit ${one.circuit}`),
      ...data.networks
        .filter((one: any) => one.environment === 'live' && one.status !== 'operational')
        .map((one: any) => `${one.network} is ${one.status}`),
      ...due.map((one: any) => `${one.due} ${one.name} due, the oldest for ${one.oldest_seconds} s`),
      ...data.unknown_payments.filter((one: any) => one.count > 0).map((one: any) => `${one.count} unknown payments`),
      `webhooks failing: ${Math.round((data.webhooks.failure_rate ?? 0) * 100)} %`,
      `books: ${data.books.violations.length} violations`,
    ].join('; ')
  }

  async function deep(): Promise<string> {
    try {
      const response = await fetch(`http://127.0.0.1:${ports[0]}/healthz/deep`, { signal: AbortSignal.timeout(8_000) })
      const { status, checks } = (await response.json()) as {
        status: string
        checks: { name: string; ok: boolean; says: string }[]
      }
      const failing = checks.filter(({ ok }) => !ok).map(({ name, says }) => `${name} ${says}`)
      return [status, ...failing].join('; ')
    } catch {
      return 'no answer'
    }
  }

  const counted = ['malipo_database_failures_total', 'malipo_provider_troubles_total', 'malipo_webhook_attempts_total']
  const sums = () => new Map(counted.map((name) => [name, valueOf(watching.samples(), name) ?? 0]))

  /** One fault: begins, lasts, ends. It raised those alerts that fired during it and not before it. */
  async function fault(
    title: string,
    holdMs: number,
    { begin, end, wanted }: { begin(): Promise<void> | void; end(): Promise<void> | void; wanted?: string },
  ): Promise<void> {
    const before = new Set(watching.firing().map(({ alert }) => alert))
    const raised = new Map<string, { atMs: number; one: Firing }>()
    const [takenBefore, sumsBefore] = [taken.size, sums()]
    // A sign-in from ten minutes ago may have expired.
    const { token } = await app.admin()
    refused.clear()
    const startedAt = performance.now()
    watching.onFiring((firing) => {
      for (const one of firing) {
        if (!before.has(one.alert) && !raised.has(one.alert)) raised.set(one.alert, { atMs: performance.now() - startedAt, one })
      }
    })
    await begin()
    await sleep(holdMs * 0.8)
    const [seen, health] = await Promise.all([overview(token).catch(() => 'no answer'), deep()])
    await sleep(holdMs * 0.2)
    // A fault whose alert is late lasts until the alert fires: the question is whether it fires.
    if (wanted !== undefined) await eventually(`${wanted} is raised`, () => raised.has(wanted), 180_000)
    const payersMeanwhile = [...refused].map(([why, count]) => `${count} × ${why}`).join(', ') || 'no payer was refused'
    await end()
    const endedAt = performance.now()
    await eventually('open payments have ended', async () => (await unfinished().catch(() => 1)) < 5, 180_000)
    const calmSeconds = ((performance.now() - endedAt) / 1000).toFixed(1)
    await eventually('webhooks are in time again', async () => (await overdue().catch(() => 1)) === 0, 300_000)
    const inTimeSeconds = ((performance.now() - endedAt) / 1000).toFixed(1)
    say(`\n${title}, for ${Math.round((endedAt - startedAt) / 1000)} s`)
    for (const { atMs, one } of raised.values()) {
      const labels = Object.entries(one.labels).map(([name, value]) => `${name}=${value}`)
      say(`  alert      ${one.alert} (${one.severity}) after ${Math.round(atMs / 1000)} s ${labels.join(' ')} → ${one.runbook}`)
    }
    for (const [name, value] of sums())
      if (value > sumsBefore.get(name)!) say(`  metric     ${name} +${value - sumsBefore.get(name)!}`)
    say(`  overview   ${seen}`)
    say(`  deep       ${health}`)
    say(
      `  payers     ${taken.size - takenBefore} payments were taken; ${payersMeanwhile}; all ended ${calmSeconds} s after it was over, webhooks in time again after ${inTimeSeconds} s`,
    )
    watching.onFiring(() => undefined)
  }

  await eventually('payments are made', () => taken.size > 20, 60_000)
  await sleep(Math.min(shortMs, 60_000))
  const calm = watching.firing().filter(({ severity }) => severity === 'page')
  say(
    `\nA calm start: ${taken.size} payments taken; ${calm.length === 0 ? 'no alert pages' : calm.map(({ alert }) => alert).join(', ')}`,
  )
  assert.deepEqual(calm, [])

  await fault('The provider is off', longMs, { begin: () => line.cut(), end: () => line.heal(), wanted: 'ProviderAway' })
  await fault('The database is killed', shortMs, {
    begin: () => database.crash(),
    end: () => database.start(),
    wanted: 'DatabaseAway',
  })
  await fault('The worker is killed', shortMs, {
    begin: () => worker.kill(),
    end: async () => void (worker = await fleet.worker(settings(2))),
    wanted: 'ProcessAway',
  })
  await fault(`The disk is full (${disk.how})`, shortMs, {
    begin: () => disk.fill(app),
    end: () => disk.free(app),
    wanted: 'DatabaseDiskFull',
  })
  const receivedBefore = good.received.size
  await fault('One merchant’s endpoint hangs', shortMs, {
    begin: () => hanging.hang(true),
    end: () => hanging.hang(false),
  })
  assert.ok(good.received.size > receivedBefore + 5, 'the other merchant was notified meanwhile')

  isOver = true
  await payers
  await eventually(
    'no payment is in flight',
    async () => {
      await payAll(app)
      return (await unfinished()) === 0
    },
    180_000,
  )
  await eventually(
    'nothing is left to deliver',
    async () => {
      const { rows } = await app.owner.pool.query(
        `select count(*)::integer as count from webhook_deliveries where status = 'pending'`,
      )
      return rows[0].count === 0
    },
    Math.max(120_000, shortMs * 5),
  )

  const { rows } = await app.owner.pool.query<{ id: string; status: string }>(`select id, status from payments`)
  const { charges } = await app.truth()
  const paid = charges.filter((charge: { money_moved: boolean }) => charge.money_moved)
  const credited = (await readBooks(app)).credited
  const sum = paid.reduce((total: number, charge: { amount: number }) => total + charge.amount, 0)
  const notified = new Set([...good.received, ...hanging.received].map(([reference]) => reference))
  const twice = [...good.received, ...hanging.received].filter(([, ids]) => ids.size !== 1)
  const completed = rows.filter(({ status }) => status === 'completed').length
  say(
    `\nIn the end: ${taken.size} payments were promised, ${rows.length} are on record, ${completed} completed; payers paid TZS ${sum}, merchants have TZS ${credited}; ${notified.size} were notified, each under one event id; ${charges.filter(({ prompts }: { prompts: number }) => prompts > 1).length} phones were prompted twice. The books are checked next.`,
  )
  assert.ok(rows.length >= taken.size, 'every payment that was promised is on record')
  assert.equal(credited, sum, 'merchants have exactly the sum that payers paid')
  assert.deepEqual([notified.size, twice], [completed, []])
  for (const { prompts } of charges) assert.equal(prompts, 1)
})
