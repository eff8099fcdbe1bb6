/** The log of suspected attacks: one line without input of the caller, and never more lines than the limit for a minute. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogEvent } from '../../domain/log-events.ts'
import type { Log, LogFields } from '../process/log.ts'
import { Refusal } from '../refusal.ts'
import { createSecurityLog, type RefusedRequest } from './security-log.ts'

function startLog(linesPerMinute: number) {
  const lines: [LogEvent, LogFields][] = []
  const log: Log = {
    debug() {},
    info() {},
    warn: (event, fields = {}) => void lines.push([event, fields]),
    error() {},
  }
  let now = 0
  const security = createSecurityLog({ log, clock: { now: () => now }, hashKey: Buffer.alloc(32, 1), linesPerMinute })
  return { lines, security, passMinute: () => (now += 60_000) }
}

const from = (ip: string, actor: string | null = null): RefusedRequest => ({
  requestId: 'req_1',
  route: 'GET /v1/balance',
  ip,
  actor,
})
const wrongKey = new Refusal(401, 'invalid_api_key', 'No.', { evidence: { reason: 'unknown' } })

test('a line names the code, the route, the proven caller, and the source only as a hash', () => {
  const { lines, security } = startLog(100)
  security.note(wrongKey, from('203.0.113.9', 'key_1'))
  const [[event, fields]] = lines as [[LogEvent, LogFields]]
  const { source, ...rest } = fields
  assert.equal(event, 'security.refused')
  assert.deepEqual(rest, {
    code: 'invalid_api_key',
    status: 401,
    route: 'GET /v1/balance',
    request_id: 'req_1',
    actor: 'key_1',
    reason: 'unknown',
  })
  assert.match(String(source), /^[A-Za-z0-9_-]{16}$/)
  security.note(wrongKey, from('203.0.113.9'))
  security.note(wrongKey, from('203.0.113.10'))
  assert.deepEqual(
    lines.map(([, line]) => line['source'] === source),
    [true, true, false],
  )
})

test('mistakes do not count as attacks, and a missing object counts only for a signed-in caller', () => {
  const { lines, security } = startLog(100)
  for (const code of ['validation_error', 'authentication_required', 'not_found', 'insufficient_balance', 'invalid_token'])
    security.note(new Refusal(400, code, 'No.'), from('203.0.113.9'))
  assert.equal(lines.length, 0)
  security.note(new Refusal(404, 'not_found', 'No.'), from('203.0.113.9', 'usr_1'))
  assert.equal(lines.length, 1)
})

test('a minute has a limit of lines, one source gets a tenth of them, and omitted lines are counted', () => {
  const { lines, security, passMinute } = startLog(50)
  for (let count = 0; count < 100; count += 1) security.note(wrongKey, from('203.0.113.9'))
  assert.equal(lines.length, 5)
  for (let count = 0; count < 100; count += 1) security.note(wrongKey, from(`198.51.100.${count}`))
  assert.equal(lines.length, 50)
  passMinute()
  security.note(wrongKey, from('203.0.113.9'))
  assert.deepEqual(
    lines.slice(50).map(([event, { count }]) => [event, count]),
    [
      ['security.lines_withheld', 150],
      ['security.refused', undefined],
    ],
  )
})
