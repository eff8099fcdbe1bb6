import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { createLive, type Live } from './live.ts'
import type { Changes } from './read-events.ts'

type Asked = { cursor: string | undefined; isStream: boolean }

const told = (changes: Partial<Changes>): string =>
  `data: ${JSON.stringify({ cursor: 'a-1', is_gap: false, hints: [], ...changes })}\n\n`

const payments = { business_id: null, environment: 'test', subjects: ['payments'] } as const

/** A service that answers as the test says, and the time of the test. */
function start(t: TestContext) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 })
  t.after(() => mock.timers.reset())
  const asked: Asked[] = []
  const seen: Changes[] = []
  const states: string[] = []
  let mayRun = true
  let answer: (signal: AbortSignal) => Promise<Response | undefined> = () => Promise.reject(new Error('no connection'))
  let writer: WritableStreamDefaultWriter<Uint8Array> | undefined

  const live: Live = createLive({
    ask({ cursor, isStream, signal }) {
      asked.push({ cursor, isStream })
      return answer(signal)
    },
    mayRun: () => mayRun,
    random: () => 1,
  })
  live.onChanges((changes) => seen.push(changes))
  live.onState(() => states.push(live.getState().state))

  const turns = async (): Promise<void> => {
    // Streams need several turns for a chunk.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    live,
    asked,
    seen,
    states,
    turns,
    setMayRun: (value: boolean) => (mayRun = value),
    /** Each connection is a stream. */
    stream() {
      answer = async (signal) => {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
        const own = writable.getWriter()
        writer = own
        signal.addEventListener('abort', () => void own.abort().catch(() => undefined))
        return new Response(readable)
      }
    },
    answerWith: (given: typeof answer) => (answer = given),
    fail: () => (answer = () => Promise.reject(new Error('no connection'))),
    async say(text: string) {
      await Promise.all([writer!.write(new TextEncoder().encode(text)), turns()])
    },
    async cut() {
      await writer!.close().catch(() => undefined)
      await turns()
    },
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 100) {
        mock.timers.tick(Math.min(100, left))
        await turns()
      }
    },
  }
}

test('hints arrive, also in pieces, and the next connection continues at the last cursor', async (t) => {
  const { live, asked, seen, stream, say, cut, pass, turns } = start(t)
  stream()
  live.hold()
  await turns()
  await say(told({ cursor: 'a-1', is_gap: true }))
  const text = told({ cursor: 'a-2', hints: [payments] })
  await say(text.slice(0, 20))
  await say(text.slice(20))
  assert.deepEqual(
    seen.map(({ cursor, is_gap, hints }) => [cursor, is_gap, hints.length]),
    [
      ['a-1', true, 0],
      ['a-2', false, 1],
    ],
  )
  assert.equal(live.getState().state, 'live')
  await cut()
  await pass(600)
  assert.deepEqual(asked, [
    { cursor: undefined, isStream: true },
    { cursor: 'a-2', isStream: true },
  ])
})

test('a short loss shows nothing; a longer one says since when, until the service is heard again', async (t) => {
  const { live, states, stream, say, cut, fail, pass, turns } = start(t)
  stream()
  live.hold()
  await turns()
  await say(told({}))
  const heardAt = Date.now()
  fail()
  await cut()
  await pass(2_000)
  assert.equal(live.getState().state, 'connecting')
  await pass(2_000)
  assert.deepEqual(live.getState(), { state: 'old', since: heardAt })
  await pass(30_000)
  assert.deepEqual(live.getState(), { state: 'old', since: heardAt })
  stream()
  await pass(15_000)
  assert.equal(live.getState().state, 'old')
  await say(told({}))
  assert.deepEqual(states, ['connecting', 'live', 'connecting', 'old', 'live'])
})

test('tries become rarer, up to every 15 seconds, and the network’s return makes the next one at once', async (t) => {
  const { live, asked, pass } = start(t)
  live.hold()
  const at: number[] = []
  for (let second = 0; second < 60; second += 1) {
    const before = asked.length
    await pass(1_000)
    for (let more = before; more < asked.length; more += 1) at.push(second)
  }
  const gaps = at.slice(1).map((second, index) => second - at[index]!)
  assert.ok(at.length <= 9, String(at))
  assert.deepEqual(gaps.slice(-2), [15, 15])
  const before = asked.length
  live.nudge()
  await pass(100)
  assert.equal(asked.length, before + 1)
})

test('a silent connection counts as lost', async (t) => {
  const { live, asked, stream, say, pass, turns } = start(t)
  stream()
  live.hold()
  await turns()
  await say(told({}))
  await pass(30_000)
  await say(':\n\n')
  await pass(30_000)
  assert.equal(asked.length, 1)
  await pass(11_000)
  assert.equal(asked.length, 2)
})

test('streams that are cut early are replaced by requests that wait, and tried again after ten minutes', async (t) => {
  const { live, asked, seen, answerWith, pass, turns } = start(t)
  let polls = 0
  answerWith(async () => {
    if (asked.at(-1)!.isStream) return new Response(told({}))
    polls += 1
    if (polls === 1) return Response.json({ data: { cursor: 'a-2', is_gap: false, hints: [payments] } })
    // The rest of the time nothing happens.
    return new Promise((resolve) =>
      setTimeout(() => resolve(Response.json({ data: { cursor: 'a-2', is_gap: false, hints: [] } })), 25_000),
    )
  })
  live.hold()
  await turns()
  await pass(3_000)
  assert.deepEqual(
    asked.slice(0, 3).map(({ isStream }) => isStream),
    [true, true, false],
  )
  assert.equal(seen.length, 1)
  assert.equal(live.getState().state, 'live')
  await pass(11 * 60_000)
  assert.ok(asked.slice(3).some(({ isStream }) => isStream))
})

test('a service that is down is not taken for a proxy that cuts streams', async (t) => {
  const { live, asked, pass } = start(t)
  live.hold()
  await pass(60_000)
  assert.ok(asked.every(({ isStream }) => isStream))
})

test('the end of a token renews at once; without a session nothing more is asked', async (t) => {
  const { live, asked, states, stream, say, answerWith, pass, turns } = start(t)
  stream()
  live.hold()
  await turns()
  await say(told({}))
  await say('event: end\ndata: {"reason":"renew"}\n\n')
  assert.equal(asked.length, 2)
  assert.deepEqual(states, ['connecting', 'live'])
  answerWith(async () => undefined)
  await say('event: end\ndata: {"reason":"session"}\n\n')
  await pass(60_000)
  assert.equal(asked.length, 3)
  assert.equal(live.getState().state, 'off')
})

test('two processes that do not know each other’s cursors are asked at most once in two seconds', async (t) => {
  const { live, asked, answerWith, pass, turns } = start(t)
  answerWith(async () => {
    if (asked.at(-1)!.isStream) return new Response(told({}))
    return Response.json({ data: { cursor: asked.length % 2 === 0 ? 'a-1' : 'b-1', is_gap: true, hints: [] } })
  })
  live.hold()
  await turns()
  await pass(3_000)
  const before = asked.length
  await pass(60_000)
  assert.ok(asked.length - before <= 30 && asked.length - before >= 4, String(asked.length - before))
  assert.equal(live.getState().state, 'live')
})

test('a busy wallet is asked for at most once in two seconds, and stays up to date', async (t) => {
  const { live, asked, seen, answerWith, pass, turns } = start(t)
  answerWith(async () => {
    if (asked.at(-1)!.isStream) return new Response(told({}))
    return Response.json({ data: { cursor: `a-${asked.length}`, is_gap: false, hints: [payments] } })
  })
  live.hold()
  await turns()
  await pass(3_000)
  const before = seen.length
  await pass(60_000)
  assert.ok(seen.length - before <= 30 && seen.length - before >= 14, String(seen.length - before))
})

test('a process whose clock is ahead, and that ends each stream at once, is asked at most once in two seconds', async (t) => {
  const { live, asked, answerWith, pass, turns } = start(t)
  answerWith(async () => new Response(`${told({})}event: end\ndata: {"reason":"renew"}\n\n`))
  live.hold()
  await turns()
  await pass(3_000)
  const before = asked.length
  await pass(60_000)
  assert.ok(asked.length - before <= 30 && asked.length - before >= 4, String(asked.length - before))
})

test('a tab that no one sees asks for nothing, and catches up from its cursor', async (t) => {
  const { live, asked, stream, say, pass, turns, setMayRun } = start(t)
  stream()
  live.hold()
  await turns()
  await say(told({ cursor: 'a-7' }))
  setMayRun(false)
  live.nudge()
  await pass(60_000)
  assert.equal(asked.length, 1)
  assert.equal(live.getState().state, 'paused')
  setMayRun(true)
  live.nudge()
  await turns()
  assert.deepEqual(asked[1], { cursor: 'a-7', isStream: true })
})

test('a screen that follows another one keeps the connection; without any it closes', async (t) => {
  const { live, asked, stream, say, pass, turns } = start(t)
  stream()
  const release = live.hold()
  await turns()
  await say(told({}))
  release()
  const releaseNext = live.hold()
  await pass(5_000)
  assert.equal(live.getState().state, 'live')
  releaseNext()
  await pass(5_000)
  assert.equal(live.getState().state, 'off')
  assert.equal(asked.length, 1)
})
