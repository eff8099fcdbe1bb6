import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoized } from './memoized.ts'

test('an answer is cached until newer answers replace it', () => {
  const read: string[] = []
  const lengthOf = memoized((text) => {
    read.push(text)
    return text.length > 1
  }, 2)
  assert.deepEqual(['a', 'bb', 'a', 'bb'].map(lengthOf), [false, true, false, true])
  assert.deepEqual(read, ['a', 'bb'])
  assert.deepEqual(['c', 'bb', 'a'].map(lengthOf), [false, true, false])
  assert.deepEqual(read, ['a', 'bb', 'c', 'a'])
})
