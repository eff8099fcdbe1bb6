import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { answerOf } from './answer.ts'

const schema = z.object({
  id: z.string(),
  paid_at: z.iso.datetime().nullable(),
  amount: z.int(),
  note: z.string().nullable(),
  owner: z.object({ name: z.string() }),
  last4: z.string(),
  reason: z.string().optional(),
})

const row = {
  id: '7',
  amount: 5,
  paidAt: new Date(0),
  last4: '1234',
  secret: 's',
  reason: 'r',
  owner: { name: 'A', secret: 's' },
}
const own = { id: 'x_7', owner: { name: 'A' } }

test('an answer has the fields of its schema in their order, and no other property of the row', () => {
  const answer = answerOf(schema, { ...row, note: undefined }, own)
  equal(
    JSON.stringify(answer),
    '{"id":"x_7","paid_at":"1970-01-01T00:00:00.000Z","amount":5,"note":null,"owner":{"name":"A"},"last4":"1234"}',
  )
})

test('a given field replaces that of the row, and an optional one is only given', () => {
  const answer = answerOf(schema, { ...row, note: 'n' }, { ...own, amount: 6, reason: 'because' })
  deepEqual([answer.amount, answer.reason, answer.note], [6, 'because', 'n'])
})

test('the compiler demands what the row lacks, and ids, objects and fields of another type', () => {
  const complete = { ...row, note: null }
  // @ts-expect-error -- the row has no note
  answerOf(schema, row, own)
  // @ts-expect-error -- an id has a prefix
  answerOf(schema, complete, { owner: own.owner })
  // @ts-expect-error -- an object may have other properties
  answerOf(schema, complete, { id: own.id })
  // @ts-expect-error -- the amount is a text
  answerOf(schema, { ...complete, amount: '5' }, own)
  // @ts-expect-error -- the schema has no such field
  answerOf(schema, complete, { ...own, secret: 's' })
  answerOf(schema, complete, own)
})
