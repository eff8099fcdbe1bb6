import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  derivedMoneyId,
  fromShort,
  fromWire,
  homeOfId,
  homeOfMerchant,
  idsOfTimes,
  newId,
  newMoneyId,
  toShort,
  toWire,
} from './ids.ts'

test('a money id contains its home, and is a version 7 UUID in time order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4095 }), (home) => {
      const id = newMoneyId(home)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.equal(homeOfId(id), home)
    }),
  )
  const before = newId().slice(0, 13)
  assert.ok(before <= newId().slice(0, 13))
})

test('a wire id is converted back to its UUID, and only with its own prefix', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      const wire = toWire('pay', uuid)
      assert.match(wire, /^pay_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      assert.equal(fromWire('pay', wire), uuid)
      assert.equal(fromWire('page', wire), undefined)
    }),
  )
})

test('a text that is not a wire id is not read as one', () => {
  const wire = toWire('pay', newId())
  for (const wrong of [
    '',
    'pay_',
    wire.slice(0, -1),
    `${wire}0`,
    wire.toUpperCase(),
    wire.replace(/.$/, 'u'),
    `pay_8${'0'.repeat(25)}`,
    "pay_' or 1=1--",
    `${wire}\0`,
  ]) {
    assert.equal(fromWire('pay', wrong), undefined, wrong)
  }
})

test('a merchant’s home is one of 256 and never changes', () => {
  const homes = new Set(Array.from({ length: 5000 }, () => homeOfMerchant(newId())))
  assert.ok(homes.size > 250 && [...homes].every((home) => home >= 0 && home < 256))
  assert.equal(homeOfMerchant('019abcde-0000-7000-8000-000000000000'), homeOfMerchant('019abcde-0000-7000-8000-000000000000'))
})

test('the wire form matches the published vectors of TypeID', () => {
  // From the TypeID specification, spec/valid.yml.
  assert.equal(toWire('pay', '0110c853-1d09-52d8-d73e-1194e95b5f19').slice(4), '0123456789abcdefghjkmnpqrs')
  assert.equal(toWire('pay', 'ffffffff-ffff-ffff-ffff-ffffffffffff').slice(4), '7zzzzzzzzzzzzzzzzzzzzzzzzz')
  assert.equal(toWire('pay', '01890a5d-ac96-774b-bcce-b302099a8057').slice(4), '01h455vb4pex5vsknk084sn02q')
})

test('a derived id contains its home and no time, and differs with each word', () => {
  const words = ['payout', newId(), 'test', 'K']
  const id = derivedMoneyId(77, words)
  assert.equal(id, derivedMoneyId(77, words))
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(homeOfId(id), 77)
  assert.equal(fromWire('po', toWire('po', id)), id)
  // It must be the same in every later release: payouts on record at a provider are found by it.
  assert.equal(derivedMoneyId(5, ['payout', 'm', 'live', 'k']), 'af0ee1c2-4d5c-8005-ac89-3b6d6ddf0b8c')
  for (const [place] of words.entries()) assert.notEqual(id, derivedMoneyId(77, words.with(place, 'other')))
  assert.notEqual(derivedMoneyId(77, ['a', 'bc']), derivedMoneyId(77, ['ab', 'c']))
})

test('a short form has 20 letters and digits, begins with the home, and is converted back to its id alone', () => {
  const [first, last] = [Date.UTC(2025), Date.UTC(2110) - 1]
  const bytes = fc.uint8Array({ minLength: 8, maxLength: 8 })
  const time = fc.oneof(fc.integer({ min: first, max: last }), fc.constantFrom(first, last))
  const idOf = (ms: number, home: number, random: string): string => {
    const { from } = idsOfTimes(ms, ms)
    return `${from.slice(0, 13)}-70${home.toString(16).padStart(2, '0')}-${random.slice(0, 4)}-${random.slice(4)}`
  }
  const isInverse = (id: string, home: number): void => {
    const short = toShort(id)
    assert.match(short, /^[0-9a-f]{2}[0-9A-Za-z]{18}$/)
    assert.equal(Number.parseInt(short.slice(0, 2), 16), home)
    assert.equal(fromShort(short), id)
  }
  fc.assert(
    fc.property(time, fc.integer({ min: 0, max: 255 }), bytes, (ms, home, given) => {
      const random = Buffer.from(given)
      random[0] = (random[0]! & 0x3f) | 0x80
      isInverse(idOf(ms, home, random.toString('hex')), home)
      isInverse(newMoneyId(home), home)
    }),
  )
  for (const random of ['8000000000000000', 'bfffffffffffffff'])
    for (const ms of [first, last]) for (const home of [0, 255]) isInverse(idOf(ms, home, random), home)
  // It must be the same in every later release: charges on record at a provider are found by it.
  assert.equal(toShort('0197d0e3-3133-7007-b250-553dcba1a96c'), '072jRIcgdDd7kz54w8HU')
  assert.throws(() => toShort(newMoneyId(256)))
  assert.throws(() => toShort(derivedMoneyId(7, ['payout'])))
  const before = toShort(idOf(first - 1, 7, '8000000000000000'))
  for (const other of [
    '',
    'INV123',
    before,
    '00zzzzzzzzzzzzzzzzzz',
    toShort(newMoneyId(10)).toUpperCase(),
    `${toShort(newMoneyId(7))}0`,
  ])
    assert.equal(fromShort(other), undefined, other)
})
