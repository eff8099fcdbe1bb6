import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forTerminal } from '../http/text.ts'

test('what a provider wrote cannot drive the terminal of an operator', () => {
  const hostile = 'Sawa\u001b]0;root\u0007\u001b[2J\u001b[1A\rIMEKAMILIKA \u202Egnirts\u009b31m\b\u2066'
  assert.doesNotMatch(forTerminal(hostile), /[^\P{C}\n\t]/u)
  assert.equal(forTerminal('Mstari\n\tHálotel · ✓ شكرا'), 'Mstari\n\tHálotel · ✓ شكرا')
})
