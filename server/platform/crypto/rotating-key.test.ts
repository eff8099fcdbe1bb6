/** A value made under one key of a rotation is accepted by every process that has that key, first or not. */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { isMadeUnder } from './rotating-key.ts'

test('every key of a rotation accepts its own values and rejects those of another key', () => {
  const [a, b, c] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const make = (key: Buffer) => createHmac('sha256', key).update('it').digest()
  assert.ok(isMadeUnder([a], make(a), make))
  assert.ok(isMadeUnder([b, a], make(a), make))
  assert.ok(isMadeUnder([a, b], make(b), make))
  assert.ok(!isMadeUnder([a, b], make(c), make))
  assert.ok(!isMadeUnder([a, b], make(a).subarray(0, 12), make))
  assert.ok(!isMadeUnder([a], Buffer.alloc(0), make))
})
