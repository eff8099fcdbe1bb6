/** A saved period means the same days in a list as in a summary of the API, on every day. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, daysOfPeriod, periods, readCommon } from '../dashboard/src/merchant/list-filter.ts'
import { savedPeriods } from '../server/domain/saved-filter.ts'
import { dayBy, readPeriod } from '../server/views/merchant-account/period.ts'

test('the lists count the days of a period as the summary does, and they move with the day', () => {
  assert.deepEqual([...periods], [...savedPeriods])
  for (let day = '2027-12-25'; day < '2028-03-05'; day = dayBy(day, 1)) {
    for (const period of savedPeriods) {
      assert.deepEqual(daysOfPeriod(period, day), readPeriod({ period }, day), `${period} on ${day}`)
    }
  }
  assert.deepEqual(daysOfPeriod('last_7_days', '2028-03-01'), { from: '2028-02-24', to: '2028-03-01' })
  assert.deepEqual(daysOfPeriod('last_month', '2028-03-31'), { from: '2028-02-01', to: '2028-02-29' })
})

test('the day begins at midnight in Dar es Salaam', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2028-02-29T20:59:59Z') })
  assert.deepEqual(daysOf({ period: 'this_month' }), { from: '2028-02-01', to: '2028-02-29' })
  t.mock.timers.tick(1000)
  assert.deepEqual(daysOf({ period: 'this_month' }), { from: '2028-03-01', to: '2028-03-01' })
})

test('an address with a period has no fixed days, and an unknown period is left out', () => {
  assert.deepEqual(readCommon({ period: 'today', from: '2028-01-01', to: '2028-01-02' }), { period: 'today' })
  assert.deepEqual(readCommon({ period: 'ever', from: '2028-01-01', to: 'x' }), { from: '2028-01-01' })
})
