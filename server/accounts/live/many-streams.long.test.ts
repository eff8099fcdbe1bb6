/**
 * As many streams as one process takes, of many people, over real connections, while some of their readers never read. The API stays
 * useful, one reader more is asked to come back, and what is not read takes no more memory than its bound.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseScrape, valueOf } from '../../../test/scrape.ts'
import { eventually, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'

const people = 625
const perSession = 8
const most = 5_000

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void
const usedMb = (): number => {
  gc()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 2 ** 20
}

const openIn = ({ text }: { text: string }): number | undefined =>
  valueOf(parseScrape(text), 'malipo_live_streams', { face: 'merchant' })

/** A stream whose answers are counted; `reads` false: it reads nothing after the head. */
type Stream = { socket: Socket; status: number; events(): number; isOver(): boolean }

function open(app: TestApp, token: string, reads = true): Promise<Stream> {
  const { hostname, port } = new URL(app.config.urls.api)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let [head, events, isOver] = ['', 0, false]
    socket.on('error', reject)
    socket.on('close', () => {
      isOver = true
      reject(new Error('closed without an answer'))
    })
    socket.on('data', (chunk: Buffer) => {
      events += chunk.toString('latin1').split('data: ').length - 1
      if (head.includes('\r\n\r\n')) return
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      if (!reads) socket.pause()
      resolve({ socket, status: Number(head.slice(9, 12)), events: () => events, isOver: () => isOver })
    })
    socket.write(
      `GET /v1/changes HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
    )
  })
}

/** Comes back later, as a client does, while the process is too busy to let more in. */
async function openPatiently(app: TestApp, token: string, reads = true): Promise<Stream> {
  for (;;) {
    const stream = await open(app, token, reads)
    if (stream.status === 200) return stream
    assert.equal(stream.status, 503)
    stream.socket.destroy()
  }
}

/** Runs the work on all, so many at once. */
async function inTurn<Item, Made>(items: readonly Item[], width: number, work: (item: Item) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  const waiting = items.values()
  const one = async (): Promise<void> => {
    for (const item of waiting) made.push(await work(item))
  }
  await Promise.all(Array.from({ length: width }, one))
  return made
}

test('five thousand streams, some of which are never read: a payment is answered, a gap is told, and memory stays within its bound', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { DATABASE_POOL_SIZE: '10' } })
  const payee = await app.student()
  const unverified = Array.from({ length: people - 1 })
  const [busy, ...others]: Student[] = await inTurn(unverified, 4, () => app.student({ verified: false }))
  // Each change of all these businesses is one long hint.
  const ofBusy = fromWire('usr', busy!.userId)!
  await app.owner.rows(sql`
    insert into merchants (id, home, kind, user_id, display_name)
    select gen_random_uuid(), 0, 'business', ${ofBusy}, 'Duka' from generate_series(1, 2500)`)
  const page = await app.page(payee, {}, 'test')
  const before = usedMb()
  const streams = (
    await inTurn([payee, ...others], 8, ({ token }) =>
      Promise.all(Array.from({ length: perSession }, () => openPatiently(app, token))),
    )
  ).flat()
  const unread = await Promise.all(Array.from({ length: perSession }, () => openPatiently(app, busy!.token, false)))
  assert.equal(streams.length + unread.length, most)
  const refused = await open(app, payee.token)
  assert.equal(refused.status, 503)
  const opened = usedMb()
  t.diagnostic(`${(((opened - before) * 1024) / most).toFixed(1)} KiB for a stream and its reader`)

  await eventually(
    'who does not read is cut off',
    async () => {
      await app.deps.db.rows(sql`update merchants set updated_at = clock_now() where user_id = ${ofBusy} and kind = 'business'`)
      return openIn(await app.deps.meters.render()) === streams.length
    },
    20_000,
  )
  const grown = usedMb() - opened
  t.diagnostic(`${grown.toFixed(1)} MiB more after what no one has read`)
  assert.ok(grown < 20, `${grown} MiB`)

  const told = streams.filter((_, place) => place < perSession).map(({ events }) => events())
  const startedAt = performance.now()
  const paid = await app.checkout(page.slug)
  const ms = performance.now() - startedAt
  assert.equal(paid.status, 201, JSON.stringify(paid.body))
  t.diagnostic(`a payment was answered after ${ms.toFixed(0)} ms`)
  assert.ok(ms < 2_000, `${ms} ms`)
  assert.equal((await app.settled(paid.body.data.reference)).status, 'completed')
  await eventually('its merchant was told', () =>
    streams.slice(0, perSession).every(({ events }, place) => events() > told[place]!),
  )

  // The connection for notifications is lost: every stream learns that it must read again.
  const all = streams.map(({ events }) => events())
  await app.owner.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'malipo-listen' and datname = current_database()`)
  await eventually('the gap is told to all', () => streams.every(({ events }, place) => events() > all[place]!))
  assert.ok(streams.every(({ isOver }) => !isOver()))
  for (const { socket } of [...streams, ...unread, refused]) socket.destroy()
})
