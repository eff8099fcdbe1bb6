/** The list of log events is complete: each is used, each has its own message, and each key has one form. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { logEvents } from '../server/domain/log-events.ts'

const root = join(import.meta.dirname, '..')
const events = Object.keys(logEvents)

const production = globSync('server/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('-fixture.ts'))
  .map((path) => readFileSync(join(root, path), 'utf8'))

test('every listed event is logged by the service', () => {
  const logged = new Set<string>()
  for (const text of production) {
    // The event is the first argument, or a constant: `const event = …`, `event: …`.
    for (const [, written] of text.matchAll(/(?:\blog\.(?:debug|info|warn|error)\(|\bevent(?: =|:))([^,)\n]*\n?[^,)\n]*)/g))
      for (const [, word] of written!.matchAll(/'([a-z_.]+)'/g)) logged.add(word!)
  }
  assert.deepEqual(
    events.filter((event) => !logged.has(event)),
    [],
  )
})

test('a key names the subject and what happened', () => {
  assert.deepEqual(
    events.filter((event) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(event)),
    [],
  )
})

test('no two events have the same message, and a message is one to three short sentences', () => {
  const messages = Object.values(logEvents)
  assert.deepEqual(
    messages.filter((message, at) => messages.indexOf(message) !== at),
    [],
  )
  assert.deepEqual(
    messages.filter((message) => !/^[A-Z].*\.$/.test(message) || message.length > 120),
    [],
  )
})
