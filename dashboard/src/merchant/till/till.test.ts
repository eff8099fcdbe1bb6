/** The till: which payments it announces, and how it speaks an amount. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Till } from '../../api/operations.ts'
import { arrivals } from './arrivals.ts'
import { pause, spokenAmount } from './spoken-amount.ts'
import { clips } from './voice/clips.ts'

const start = Date.parse('2026-11-24T09:00:00Z')

/** A till that shows the payments with these numbers, the latest first; payment 7 was credited in minute 7. */
function till(minute: number, ...numbers: number[]): Till {
  const at = (minutes: number): string => new Date(start + minutes * 60_000).toISOString()
  return {
    environment: 'test',
    currency: 'TZS',
    as_of: at(minute),
    payment_page: null,
    today: { volume: 0, count: 0, counted_after: null },
    payments: numbers.map((number) => ({
      reference: `pay_${number}`,
      short_code: 'K7M2-Q9XA-8',
      network_receipt: null,
      amount: 1000,
      network: null,
      customer: { name: null, phone_masked: '0754 ••• 789' },
      credited_at: at(number),
    })),
  }
}

const spoken = (before: Till | undefined, now: Till): string[] => arrivals(before, now).map(({ reference }) => reference)

test('the first answer announces nothing, later ones what came since, the oldest first', () => {
  assert.deepEqual(spoken(undefined, till(3, 3, 2, 1)), [])
  assert.deepEqual(spoken(till(3, 3, 2, 1), till(3, 3, 2, 1)), [])
  assert.deepEqual(spoken(till(3, 3, 2), till(4.5, 4.4, 4.2, 3, 2)), ['pay_4.2', 'pay_4.4'])
  assert.deepEqual(spoken(till(0), till(1.5, 1)), ['pay_1'])
})

test('a payment that came while the connection was away for long is shown, not announced', () => {
  assert.deepEqual(spoken(till(3, 3, 2), till(60, 59.5, 10, 9, 3, 2)), ['pay_59.5'])
})

test('a payment that returns to the list because a newer one is gone from it is not new', () => {
  assert.deepEqual(spoken(till(3, 3, 2), till(3.5, 2, 1)), [])
})

const languages = ['sw', 'en'] as const

test('each word of an amount has a clip in both languages', () => {
  for (const language of languages) {
    for (const scale of [1, 13, 999, 10_007, 123_457]) {
      for (let step = 1; step <= 1000; step += 1) {
        const missing = spokenAmount(step * scale, language).filter((word) => word !== pause && !clips[language][word])
        assert.deepEqual(missing, [], `${step * scale} in ${language}`)
      }
    }
  }
})

test('an amount is spoken as it is written', () => {
  assert.deepEqual(spokenAmount(25_500, 'en'), ['you received', 'twenty', 'five', 'thousand', 'five', 'hundred', 'shillings'])
  assert.deepEqual(spokenAmount(1_500, 'sw'), ['umepokea', 'shilingi', 'elfu', 'moja', pause, 'na', 'mia', 'tano'])
})

test('the clips do not overlap, and end before their file does', () => {
  for (const language of languages) {
    const places = Object.values(clips[language])
    for (const [index, [from, to]] of places.entries()) assert.ok(from < to && from > (places[index - 1]?.[1] ?? 0))
    // 32 kbit/s.
    const fileMs = readFileSync(join(import.meta.dirname, `voice/${language}.mp3`)).length / 4
    assert.ok(places.at(-1)![1] < fileMs, `${language}: ${fileMs} ms`)
  }
})
