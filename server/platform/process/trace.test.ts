/** Traces: which trace a caller may set, and which trace work has across waits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatch } from '../db/batch.ts'
import { currentTrace, inTrace, newTraceId, storedTrace, traceIdOf, traceparentOf } from './trace.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

test('a valid traceparent is taken from the caller (W3C Trace Context, section 3.2)', () => {
  assert.equal(traceIdOf(`00-${traceId}-00f067aa0ba902b7-01`), traceId)
  assert.equal(traceIdOf(`cc-${traceId}-00f067aa0ba902b7-01-what-comes-later`), traceId)
  assert.equal(traceIdOf(traceparentOf(traceId)), traceId)
  const wrong = [
    `00-${traceId}-00f067aa0ba902b7-01-more`,
    `ff-${traceId}-00f067aa0ba902b7-01`,
    `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-00f067aa0ba902b7`,
    `cc-${traceId}-00f067aa0ba902b7-01.more`,
    `00-${traceId}\n-00f067aa0ba902b7-01`,
    `00-${traceId}-00f067aa0ba902b7-01-${'x'.repeat(500)}`,
    '',
    undefined,
    [traceId],
  ]
  for (const one of wrong) assert.equal(traceIdOf(one), undefined, String(one))
})

test('work keeps its trace across waits, and a batch that serves many requests has none', async () => {
  const seen: (string | undefined)[] = []
  const batch = createBatch({
    async run(items: string[]) {
      seen.push(currentTrace()?.requestId)
      return items
    },
  })
  const one = (requestId: string) =>
    inTrace({ requestId, traceId: newTraceId(), about: [] }, async () => {
      await batch(requestId)
      await new Promise((resolve) => setImmediate(resolve))
      return currentTrace()?.requestId
    })
  assert.deepEqual(await Promise.all([one('req_first'), one('req_second')]), ['req_first', 'req_second'])
  assert.deepEqual(seen, [undefined])
  assert.equal(currentTrace(), undefined)
})

test('a record stored before traces existed gets its own trace', () => {
  const id = '01926f4e-8f00-7abc-8def-0123456789ab'
  const stored = { requestId: 'req_old', traceId: null, id, about: 'pay_x' }
  assert.equal(storedTrace(stored).traceId, '01926f4e8f007abc8def0123456789ab')
})
