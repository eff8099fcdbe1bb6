/** The amount field of the dashboards: what a person pastes into it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf } from '../dashboard/src/ui/figures-of.ts'

test('a pasted amount is read as it was meant, and one that can be read in two ways is not read', () => {
  for (const text of [
    '50000',
    '50,000',
    '50,000/=',
    'TSh 50,000',
    'TSh. 50,000.00',
    'TSh.50,000',
    '50000.00',
    '50\u00a0000',
    '50000.0',
  ])
    assert.equal(figuresOf(text), '50000', text)
  for (const text of ['50.000', '50.000,00', '50000.50', '0.5']) assert.equal(figuresOf(text), '', text)
  // Typing in the field removes a digit of a group.
  assert.equal(figuresOf('1,00'), '100')
})
