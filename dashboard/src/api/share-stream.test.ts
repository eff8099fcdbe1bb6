/** Windows of one browser that share a stream: one asks the service, all learn of each change, and another one goes on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/app.ts'
import { readEvents, type Changes } from './read-events.ts'
import { shareStream } from './share-stream.ts'

const told = (changes: Partial<Changes>): string =>
  `data: ${JSON.stringify({ cursor: 'a-1', is_gap: false, hints: [], ...changes })}\n\n`

/** A service that counts the streams it was asked for; `say` writes to those that are open. */
function startService() {
  const writers = new Set<WritableStreamDefaultWriter<Uint8Array>>()
  let asked = 0
  return {
    asked: () => asked,
    open: () => writers.size,
    async ask(signal: AbortSignal): Promise<Response> {
      asked += 1
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      writers.add(writer)
      signal.addEventListener('abort', () => {
        writers.delete(writer)
        void writer.abort().catch(() => undefined)
      })
      return new Response(readable)
    },
    async say(text: string) {
      await Promise.all([...writers].map((writer) => writer.write(new TextEncoder().encode(text))))
    },
  }
}

/** A window that reads streams with this name, one after the other, until it is closed. */
function openWindow(service: ReturnType<typeof startService>, name: string) {
  const cursors: string[] = []
  let connection = new AbortController()
  let isClosed = false
  const over = (async () => {
    while (!isClosed) {
      const own = new AbortController()
      connection = own
      const response = await shareStream(name, own.signal, () => service.ask(own.signal))
      const stop = (): void => own.abort()
      await readEvents(
        response!,
        own.signal,
        stop,
        ({ changes }) => changes && cursors.push(changes.is_gap ? 'gap' : changes.cursor),
      )
      own.abort()
    }
  })()
  return {
    cursors,
    async close() {
      isClosed = true
      connection.abort()
      await over
    },
  }
}

test('seven windows have one stream, each event reaches all, also in pieces, and another window goes on', async () => {
  const service = startService()
  const first = openWindow(service, 'one')
  await eventually('the first window asks', () => service.open() === 1)
  await service.say(told({ cursor: 'a-1' }))
  const others = Array.from({ length: 6 }, () => openWindow(service, 'one'))
  await eventually('all have joined', () => others.every(({ cursors }) => cursors.includes('gap')))
  assert.equal(service.asked(), 1)
  const text = told({ cursor: 'a-2' })
  await service.say(text.slice(0, 9))
  await service.say(text.slice(9))
  await eventually('all know', () => others.every(({ cursors }) => cursors.at(-1) === 'a-2'))
  assert.deepEqual(first.cursors, ['a-1', 'a-2'])
  for (const { cursors } of others) assert.deepEqual(cursors, ['gap', 'a-2'])

  await first.close()
  await eventually('another window asks', () => service.open() === 1 && service.asked() === 2)
  await service.say(told({ cursor: 'a-3' }))
  await eventually('all know', () => others.every(({ cursors }) => cursors.at(-1) === 'a-3'))
  for (const { cursors } of others) assert.deepEqual(cursors, ['gap', 'a-2', 'a-3'])
  assert.equal(service.asked(), 2)
  await Promise.all(others.map((other) => other.close()))
  assert.equal(service.open(), 0)
})

test('windows of another person have a stream of their own, and a refusal lets the next window ask', async () => {
  const service = startService()
  const windows = [openWindow(service, 'asha'), openWindow(service, 'juma')]
  await eventually('both ask', () => service.open() === 2)
  await Promise.all(windows.map((one) => one.close()))
  const refused = new AbortController()
  const answer = await shareStream('late', refused.signal, async () => new Response(null, { status: 503 }))
  assert.equal(answer?.status, 503)
  refused.abort()
  const late = openWindow(service, 'late')
  await eventually('it asks', () => service.open() === 1)
  await late.close()
})
