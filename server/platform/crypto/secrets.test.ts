import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer, type Keyring } from './secrets.ts'

const keyring = (...ids: string[]): Keyring => ({ currentId: ids[0]!, keys: new Map(ids.map((id) => [id, randomBytes(32)])) })

test('a sealed value opens in its own row and contains no readable part of its text', () => {
  const sealer = createSealer(keyring('k1'))
  const sealed = sealer.seal('whsec_secret', 'endpoints|1|secret')
  assert.equal(sealer.open(sealed, 'endpoints|1|secret'), 'whsec_secret')
  assert.ok(!sealed.includes('secret') && !Buffer.from(sealed, 'base64').includes('secret'))
  assert.notEqual(sealed, sealer.seal('whsec_secret', 'endpoints|1|secret'))
})

test('a value that was moved to another row, changed in one bit, or cut does not open', () => {
  const sealer = createSealer(keyring('k1'))
  const sealed = sealer.seal('whsec_secret', 'endpoints|1|secret')
  assert.throws(() => sealer.open(sealed, 'endpoints|2|secret'))
  const [version, id, wrapped, body] = sealed.split('.')
  const flipped = Buffer.from(body!, 'base64url')
  flipped[flipped.length - 1]! ^= 1
  assert.throws(() => sealer.open([version, id, wrapped, flipped.toString('base64url')].join('.'), 'endpoints|1|secret'))
  // An initialisation vector of 12 bytes before it and a tag of 16 bytes after it.
  assert.equal(Buffer.from(body!, 'base64url').length, 12 + 'whsec_secret'.length + 16)
  // GCM accepts a tag of four bytes when the code does not set its length.
  const short = Buffer.from(body!, 'base64url').subarray(0, -12)
  assert.throws(() => sealer.open([version, id, wrapped, short.toString('base64url')].join('.'), 'endpoints|1|secret'))
})

test('old values open after the current key has changed, but not once their key is removed', () => {
  const ring = keyring('old')
  const sealed = createSealer(ring).seal('x', 'c')
  const rotated: Keyring = { currentId: 'new', keys: new Map([...ring.keys, ['new', randomBytes(32)]]) }
  assert.equal(createSealer(rotated).open(sealed, 'c'), 'x')
  assert.match(createSealer(rotated).seal('x', 'c'), /^v1\.new\./)
  assert.throws(() => createSealer(keyring('new')).open(sealed, 'c'), /no key "old"/)
})

test('a value moves to another key without new encryption, and a damaged value does not move', () => {
  const ring = keyring('old')
  const sealed = createSealer(ring).seal('x', 'c')
  const rotated = createSealer({ currentId: 'new', keys: new Map([...ring.keys, ['new', randomBytes(32)]]) })
  const moved = rotated.rewrap(sealed, 'c')
  assert.match(moved, /^v1\.new\./)
  assert.equal(moved.split('.')[3], sealed.split('.')[3])
  assert.equal(rotated.open(moved, 'c'), 'x')
  assert.throws(() => createSealer(ring).open(moved, 'c'), /no key "new"/)
  assert.throws(() => rotated.rewrap(sealed, 'd'))
  assert.throws(() => rotated.rewrap(`${sealed.slice(0, -4)}AAAA`, 'c'))
})
