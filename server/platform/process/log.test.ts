import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logEvents } from '../../domain/log-events.ts'
import { createLog } from './log.ts'

test('a line contains the event and its message, and no field can replace them', () => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', role: 'test', destination: { write: (line: string) => void lines.push(line) } })
  log.info('job.failed')
  log.warn('mail.postponed', { event: 'other', attempts: 2 })
  log.error('job.failed', Object.assign(new Error('gone'), { event: 'other' }), { job: 'sweep' })
  const [postponed, failed] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.equal(lines.length, 2)
  assert.deepEqual(
    [postponed!['level'], postponed!['event'], postponed!['message'], postponed!['attempts']],
    ['warn', 'mail.postponed', logEvents['mail.postponed'], 2],
  )
  assert.deepEqual(
    [failed!['level'], failed!['event'], failed!['message'], failed!['job'], failed!['error_message']],
    ['error', 'job.failed', logEvents['job.failed'], 'sweep', 'gone'],
  )
})
