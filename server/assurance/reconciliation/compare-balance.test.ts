/** The range in which a balance is expected, through a year of charges whose fees no record names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Balance, Books, Compared } from './balance.sql.ts'
import { compare } from './compare-balance.ts'

const account = { environment: 'live', provider: 'clickpesa', runId: '', readAt: new Date() } as const

/** A provider that takes 2 % and names no fee, compared each day. */
function year(percent: number | undefined) {
  let state = 41
  const dice = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
  const books: Books = {
    booked: 0,
    moved: 1_000_000,
    hasOpening: true,
    arriving: 0,
    leaving: 0,
    disputed: 0,
    unnamed: 0,
    unnamedCount: 0,
    isCorrected: false,
  }
  let reported = 1_000_000
  let before: Balance | undefined
  let last: Compared | undefined
  return {
    /** The charges of a day, and what else happened at the provider; `corrected` is what operators recorded. */
    day({ lost = 0, corrected = 0, charges = 1 + dice(20) } = {}): { difference: number; turnover: number } {
      let turnover = 0
      for (let count = 0; count < charges; count += 1) {
        const amount = 500 + 100 * dice(500)
        turnover += amount
        reported += amount - Math.round(amount * 0.02)
      }
      reported -= lost
      books.booked += turnover
      books.unnamed += turnover
      books.unnamedCount += charges
      books.moved += corrected
      books.isCorrected = corrected !== 0
      last = compare(reported, books, before, percent)
      before = { ...account, ...last }
      return { difference: last.difference, turnover }
    },
    width: () => last!.feesHigh - last!.feesLow,
  }
}

for (const percent of [undefined, 2]) {
  test(`fees that no record names open no break on any of 400 days, and their range does not grow (${percent ?? 'no'} %)`, () => {
    const books = year(percent)
    for (let day = 0; day < 400; day += 1) {
      assert.equal(books.day().difference, 0, `day ${day}`)
      assert.equal(books.width(), 0, 'nothing is in flight, so each answer says what the fees were')
    }
  })
}

test('with the rate of the contract the smallest whole payment is missed on any day, and stays missed until it is recorded', () => {
  for (const dayOfLoss of [0, 1, 7, 100, 399]) {
    const books = year(2)
    for (let day = 0; day < dayOfLoss; day += 1) books.day()
    const { difference } = books.day({ lost: 500, charges: 10 })
    assert.ok(Math.abs(difference + 500) <= 200, `day ${dayOfLoss}: ${difference}`)
    for (let day = 0; day < 30; day += 1) assert.notEqual(books.day({ charges: 10 }).difference, 0, `${day} days later`)
    assert.equal(books.day({ corrected: -500 }).difference, 0)
    assert.equal(books.day().difference, 0)
  }
})

test('without a rate a loss above 5 % of a day is seen on that day, after any number of days', () => {
  for (const dayOfLoss of [0, 50, 399]) {
    const books = year(undefined)
    for (let day = 0; day < dayOfLoss; day += 1) books.day()
    const { difference, turnover } = books.day({ lost: 50_000, charges: 10 })
    assert.ok(difference < 0 && difference >= -50_000, `${difference} of a day with ${turnover}`)
  }
})

test('a correction takes back what a wrong opening balance had explained as fees', () => {
  const books = year(undefined)
  assert.equal(books.day({ lost: 4_000, charges: 20 }).difference, 0, 'a range of fees hides it')
  assert.equal(books.day({ corrected: -4_000, charges: 1 }).difference, 0)
  assert.equal(books.day().difference, 0)
})
