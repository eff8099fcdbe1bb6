import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EgressOutcome, FailureCode } from '../../platform/outbound/egress.ts'
import { nextStep, outcomeOf } from './delivery.ts'

const rules = { retryDelaysSeconds: [30, 300, 3600, 28_800], random: () => 0.5 }
const answered = (status: number, retryAfterSeconds?: number): EgressOutcome => ({
  kind: 'answered',
  status,
  body: '',
  retryAfterSeconds,
  durationMs: 1,
})
const failed = (code: FailureCode): EgressOutcome => ({ kind: 'failed', code, durationMs: 1 })
const fresh = { attempts: 0, postponements: 0 }

test('only a 2xx status is a success [W01]', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.equal(nextStep(answered(status), fresh, rules).status, 'delivered')
    assert.deepEqual(outcomeOf(answered(status)), { outcome: 'succeeded', errorCode: null })
  }
  for (const status of [100, 199, 300, 301, 304, 307, 308, 400, 404, 410, 429, 500, 503]) {
    assert.equal(nextStep(answered(status), fresh, rules).status, 'pending', String(status))
    const errorCode = status >= 300 && status < 400 ? 'redirect' : 'unexpected_status'
    assert.deepEqual(outcomeOf(answered(status)), { outcome: 'failed', errorCode })
  }
})

test('five attempts, at the delays of the configuration, then no more [W06]', () => {
  const steps = [0, 1, 2, 3, 4].map((attempts) => nextStep(answered(500), { attempts, postponements: 0 }, rules))
  assert.deepEqual(
    steps.map(({ status, delaySeconds }) => [status, delaySeconds]),
    [
      ['pending', 30],
      ['pending', 300],
      ['pending', 3600],
      ['pending', 28_800],
      ['exhausted', null],
    ],
  )
})

test('a delay stays within a tenth of the configured value [W06]', () => {
  fc.assert(
    fc.property(fc.nat(3), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempts, chance) => {
      const { delaySeconds } = nextStep(failed('timeout'), { attempts, postponements: 0 }, { ...rules, random: () => chance })
      const configured = rules.retryDelaysSeconds[attempts]!
      return delaySeconds !== null && delaySeconds >= configured * 0.9 && delaySeconds <= configured * 1.1
    }),
  )
})

test('Retry-After of 429 and 503 delays the next attempt, by at most an hour, and never brings it forward', () => {
  const delay = (outcome: EgressOutcome) => nextStep(outcome, fresh, rules).delaySeconds
  assert.equal(delay(answered(429, 120)), 120)
  assert.equal(delay(answered(503, 120)), 120)
  assert.equal(delay(answered(503, 1)), 30)
  assert.equal(delay(answered(429, 999_999)), 3600)
  assert.equal(delay(answered(500, 120)), 30)
})

test('a fault of our own uses up no attempt, up to the limit of postponements', () => {
  for (const code of ['dns_failure', 'dns_timeout', 'local_failure'] as const) {
    assert.deepEqual(nextStep(failed(code), fresh, rules), { status: 'pending', delaySeconds: 10, counts: false })
    assert.equal(nextStep(failed(code), { attempts: 2, postponements: 3 }, rules).delaySeconds, 80)
    assert.equal(nextStep(failed(code), { attempts: 2, postponements: 299 }, rules).delaySeconds, 300)
    assert.deepEqual(nextStep(failed(code), { attempts: 0, postponements: 300 }, rules), {
      status: 'pending',
      delaySeconds: 30,
      counts: true,
    })
  }
  for (const code of [
    'dns_not_found',
    'blocked_target',
    'connection_refused',
    'answer_incomplete',
    'tls_expired',
    'timeout',
  ] as const) {
    assert.equal(nextStep(failed(code), fresh, rules).counts, true)
  }
})
