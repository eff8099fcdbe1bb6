/** The format of API keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { isWellFormedKey, newKeyValue } from './key.ts'

const environments = fc.constantFrom('test' as const, 'live' as const)

test('a new key has its prefix, 32 random characters and a checksum, and is well formed', () => {
  fc.assert(
    fc.property(environments, (environment) => {
      const value = newKeyValue(environment)
      assert.match(value, new RegExp(`^svc_${environment}_[0-9A-Za-z]{38}$`))
      assert.equal(isWellFormedKey(value), true)
    }),
  )
})

test('the checksum is the CRC32 of all characters before it, in base62', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const value = newKeyValue('live')
  const decoded = value
    .slice(-6)
    .split('')
    .reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
  assert.equal(decoded, crc32(value.slice(0, -6)))
})

test('a key with one character wrong is not well formed', () => {
  fc.assert(
    fc.property(
      environments,
      fc.nat(46),
      fc.constantFrom('0', '9', 'A', 'Z', 'a', 'z', '_', ' ', 'é'),
      (environment, place, character) => {
        const value = newKeyValue(environment)
        const changed = value.slice(0, place) + character + value.slice(place + 1)
        fc.pre(changed !== value)
        assert.equal(isWellFormedKey(changed), false)
      },
    ),
    { numRuns: 1000 },
  )
})

test('a key of the other environment, cut, longer, with spaces or in other case is not well formed', () => {
  const value = newKeyValue('test')
  const wrong = [
    value.replace('test', 'live'),
    value.slice(0, -1),
    `${value}0`,
    ` ${value}`,
    `${value}\n`,
    value.toUpperCase(),
    value.toLowerCase(),
    '',
    'x'.repeat(10_000),
  ]
  for (const text of wrong.filter((text) => text !== value)) assert.equal(isWellFormedKey(text), false)
})

test('all 62 characters occur about equally often', () => {
  const counts = new Map<string, number>()
  const keys = 4000
  for (let count = 0; count < keys; count += 1) {
    for (const character of newKeyValue('test').slice(9, 41)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const expected = (keys * 32) / 62
  const chiSquare = [...counts.values()].reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0)
  assert.equal(counts.size, 62)
  // 61 degrees of freedom: a fair source exceeds 135 once in five million runs; a byte modulo 62 gives about 840.
  assert.ok(chiSquare < 135, `chi-square ${chiSquare}`)
})
