/** What was made under one key of a rotation is known by whoever has that key, first or not. */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { isMadeUnder } from './rotating-key.ts'

test('every key of a rotation accepts what it has made, and none what another has', () => {
  const [a, b, c] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const make = (key: Buffer) => createHmac('sha256', key).update('it').digest()
  assert.ok(isMadeUnder([a], make(a), make))
  assert.ok(isMadeUnder([b, a], make(a), make))
  assert.ok(isMadeUnder([a, b], make(b), make))
  assert.ok(!isMadeUnder([a, b], make(c), make))
  assert.ok(!isMadeUnder([a, b], make(a).subarray(0, 12), make))
  assert.ok(!isMadeUnder([a], Buffer.alloc(0), make))
})
