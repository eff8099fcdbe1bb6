/** The list of log events is complete: each is used, each has its own message, and each key has one form. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { logEvents } from '../server/domain/log-events.ts'
import { mustBeNone } from './must-match.ts'

const root = join(import.meta.dirname, '..')
const events = Object.keys(logEvents)

const production = globSync('server/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(root, path), 'utf8'))

test('every listed event is logged by the service', () => {
  const logged = new Set<string>()
  for (const text of production) {
    // The event is the first argument, or a constant: `const event = …`, `event: …`.
    for (const [, written] of text.matchAll(/(?:\blog\.(?:debug|info|warn|error)\(|\bevent(?: =|:))([^,)\n]*\n?[^,)\n]*)/g))
      for (const [, word] of written!.matchAll(/'([a-z_.]+)'/g)) logged.add(word!)
  }
  mustBeNone(
    events.filter((event) => !logged.has(event)),
    'Nothing logs these events: remove them from server/domain/log-events.ts',
  )
})

test('a key names the subject and what happened', () => {
  mustBeNone(
    events.filter((event) => !/^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(event)),
    'Rename these events of server/domain/log-events.ts to subject.what_happened',
  )
})

test('no two events have the same message, and a message is one to three short sentences', () => {
  const messages = Object.values(logEvents)
  mustBeNone(
    messages.filter((message, at) => messages.indexOf(message) !== at),
    'Two events of server/domain/log-events.ts have these messages: write what differs',
  )
  mustBeNone(
    messages.filter((message) => !/^[A-Z].*\.$/.test(message) || message.length > 120),
    'Write these messages of server/domain/log-events.ts as sentences of at most 120 characters',
  )
})
