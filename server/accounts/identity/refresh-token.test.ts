/** The format of refresh tokens. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts'

const key = randomBytes(32)
const tokens = fc.record(
  { sessionId: fc.uuid(), generation: fc.integer({ min: 0, max: 2 ** 32 - 1 }) },
  { noNullPrototype: true },
)

test('a token is read back to its content, and is the same text each time', () => {
  fc.assert(
    fc.property(tokens, (token) => {
      const text = writeRefreshToken(key, token)
      assert.deepEqual(readRefreshToken([key], text), token)
      assert.equal(writeRefreshToken(key, token), text)
    }),
  )
})

test('a token with any character changed, removed or added is refused', () => {
  fc.assert(
    fc.property(tokens, fc.nat(73), fc.constantFrom('A', 'Q', 'g', 'w', '0', '9', '_', '-', 'z'), (token, place, character) => {
      const text = writeRefreshToken(key, token)
      const changed = text.slice(0, place) + character + text.slice(place + 1)
      fc.pre(changed !== text)
      assert.equal(readRefreshToken([key], changed), undefined)
      assert.equal(readRefreshToken([key], text.slice(0, -1)), undefined)
      assert.equal(readRefreshToken([key], `${text}A`), undefined)
    }),
  )
})

test('a token of another key, and any other text, is refused', () => {
  fc.assert(
    fc.property(tokens, fc.string(), (token, text) => {
      assert.equal(readRefreshToken([key], writeRefreshToken(randomBytes(32), token)), undefined)
      assert.equal(readRefreshToken([key], text), undefined)
    }),
  )
})
