/** Every kind of schema error has a sentence of ours, in both languages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { messageOf, sentenceOf } from './field-words.ts'

const wrong: [z.ZodType, unknown, string][] = [
  [z.string(), 7, 'Must be text, in quotes.'],
  [z.int(), 'a', 'Must be a whole number, without quotes.'],
  [z.int(), Number.NaN, 'Must be a whole number, without quotes.'],
  [z.boolean(), 'true', 'Must be true or false.'],
  [z.array(z.string()), 'a', 'Must be a list.'],
  [z.strictObject({}), 'a', 'Must be an object.'],
  [z.record(z.string(), z.string()), [], 'Must be an object.'],
  [z.date(), 'a', 'The value is not valid.'],
  [z.int().min(3), 2, 'Must be at least 3.'],
  [z.int().gt(3), 3, 'Must be more than 3.'],
  [z.int().max(3), 4, 'Must be at most 3.'],
  [z.int().lt(3), 3, 'Must be less than 3.'],
  [z.int().multipleOf(500), 600, 'Must be a multiple of 500.'],
  [z.string().min(1), '', 'Must not be empty.'],
  [z.string().min(3), 'a', 'Use at least 3 characters.'],
  [z.string().max(3), 'aaaa', 'Use at most 3 characters.'],
  [z.string().length(3), 'a', 'Use exactly 3 characters.'],
  [z.string().length(3), 'aaaa', 'Use exactly 3 characters.'],
  [z.array(z.string()).min(2), [], 'Send at least 2 entries.'],
  [z.array(z.string()).max(0), ['a'], 'Send at most 0 entries.'],
  [z.array(z.string()).length(2), [], 'Send exactly 2 entries.'],
  [z.email(), 'a', 'Enter a valid e-mail address.'],
  [z.url(), 'a', 'Enter a valid URL.'],
  [z.iso.datetime({ offset: true }), 'a', 'Use a time with its time zone, such as 2026-01-25T09:30:00Z.'],
  [z.iso.date(), 'a', 'Use a date such as 2026-01-25.'],
  [z.string().regex(/a/), 'b', 'The value does not have the required form.'],
  [z.enum(['test', 'live']), 'b', 'Use one of: test, live.'],
  [z.literal('TZS'), 'USD', 'Must be TZS.'],
  [z.record(z.string().min(1), z.string()), { '': 'a' }, 'The value is not valid.'],
  [z.union([z.string(), z.int()]), {}, 'The value is not valid.'],
  [z.strictObject({}), { colour: 1 }, 'Unknown field "colour". Remove it.'],
  [z.string().refine(() => false), 'a', 'The value is not valid.'],
]

test('each kind of error has one plain sentence, and its Swahili', () => {
  for (const [schema, value, sentence] of wrong) {
    const { error } = schema.safeParse(value, { error: messageOf })
    const [issue] = error!.issues
    assert.equal(issue!.message, sentence)
    const { en, sw } = sentenceOf(issue!)
    assert.equal(en, sentence)
    assert.ok(sw.length > 0 && sw !== en, sentence)
  }
})

test('a sentence of the schema itself stays', () => {
  const { error } = z.string().min(2, 'Enter at least two characters.').safeParse('a', { error: messageOf })
  assert.equal(error!.issues[0]!.message, 'Enter at least two characters.')
})
