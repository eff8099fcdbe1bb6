import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NetworkStatus } from '../../domain/network.ts'
import { nextStatus, type Tally } from './network.ts'

const tally = (worked: number, failed: number, workedSince = 0, quietSeconds: number | null = failed > 0 ? 1 : null): Tally => ({
  worked,
  failed,
  workedSince,
  quietSeconds,
})

test('a few failures change nothing, a pattern does; a bad network counts as good only well below the rate at which it became bad', () => {
  const table: [before: NetworkStatus, seen: Tally, after: NetworkStatus, why: string][] = [
    ['operational', tally(0, 0), 'operational', 'no payments'],
    ['operational', tally(0, 4), 'operational', 'four are an accident'],
    ['operational', tally(0, 5), 'down', 'five are a pattern'],
    ['operational', tally(1, 5), 'down', '83 % fail'],
    ['operational', tally(5, 5), 'degraded', 'half fail'],
    ['operational', tally(12, 5), 'operational', '29 % fail'],
    ['degraded', tally(12, 5), 'degraded', '29 % would not have made it so, but keep it so'],
    ['degraded', tally(45, 5), 'operational', '10 % fail'],
    ['degraded', tally(1, 9), 'down', 'worse'],
    ['degraded', tally(0, 4), 'degraded', 'four are an accident'],
    ['down', tally(2, 10), 'down', 'two were luck'],
    ['down', tally(9, 10), 'down', 'still more than half fail'],
    ['down', tally(10, 10), 'degraded', 'half work'],
    ['down', tally(90, 10), 'operational', 'almost all work'],
    ['down', tally(0, 0), 'down', 'no attempts'],
    ['degraded', tally(0, 0), 'degraded', 'no attempts'],
    ['down', tally(1, 5, 0, 300), 'down', 'quiet, and nothing has worked since'],
    ['down', tally(1, 5, 1, 119), 'down', 'one has worked, a moment after the last that failed'],
    ['down', tally(1, 5, 1, 120), 'operational', 'quiet, and one has worked since'],
    ['down', tally(1, 0, 1), 'operational', 'the failures are out of sight, and one has worked'],
    ['operational', tally(1, 5, 1, 200), 'operational', 'it has just come back: the same failures do not bring it down again'],
  ]
  for (const [before, seen, after, why] of table) assert.equal(nextStatus(before, seen), after, why)
})

test('at any mix of outcomes the state becomes stable: a second equal check changes nothing', () => {
  for (const before of ['operational', 'degraded', 'down'] as const)
    for (let worked = 0; worked <= 60; worked += 1)
      for (let failed = 0; failed <= 60; failed += 1)
        for (const workedSince of [0, Math.min(1, worked)])
          for (const quietSeconds of failed === 0 ? [null] : [0, 150]) {
            const seen = { worked, failed, workedSince: failed === 0 ? worked : workedSince, quietSeconds }
            const once = nextStatus(before, seen)
            assert.equal(nextStatus(once, seen), once, JSON.stringify({ before, ...seen }))
          }
})
