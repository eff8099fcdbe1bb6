import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { meantBy, rangeIn, schemaAt, shownName } from './field-hints.ts'

const known = ['amount', 'phone_number', 'customer_name', 'customer_email', 'description', 'tag', 'title']

test('an unknown name is taken for the one name that it resembles', () => {
  for (const [sent, meant] of [
    ['Amount', 'amount'],
    ['phoneNumber', 'phone_number'],
    ['PHONE-NUMBER', 'phone_number'],
    ['phone', 'phone_number'],
    ['email', 'customer_email'],
    ['amout', 'amount'],
    ['amounts', 'amount'],
    ['anount', 'amount'],
    ['amuont', 'amount'],
    ['maount', 'amount'],
    ['titel', 'title'],
  ])
    assert.equal(meantBy(sent!, known), meant, sent)
  for (const sent of ['customer', 'colour', 'tax', 'a', '', 'amounttt', 'x'.repeat(100_000)])
    assert.equal(meantBy(sent, known), undefined, sent.slice(0, 20))
  assert.equal(meantBy('phone', ['phone_number', 'phone_masked']), undefined)
})

test('the schema of a field is found through every wrapper', () => {
  const limit = z.preprocess((value) => value, z.int().min(1).max(100)).default(20)
  const root = z
    .strictObject({
      limit: limit.meta({ description: 'x' }),
      rows: z.array(z.strictObject({ cost: z.int().min(0).max(9).nullish() })).optional(),
      data: z.record(z.string(), z.int().min(2).max(3)),
      free: z.unknown(),
      whole: z.int(),
    })
    .prefault({} as never)
  assert.deepEqual(rangeIn(schemaAt(root, ['limit'])), { least: 1, most: 100 })
  assert.deepEqual(rangeIn(schemaAt(root, ['rows', 7, 'cost'])), { least: 0, most: 9 })
  assert.deepEqual(rangeIn(schemaAt(root, ['data', 'any'])), { least: 2, most: 3 })
  for (const path of [['whole'], ['free', 'x'], ['none'], ['rows', 0], ['limit', 'x']])
    assert.equal(rangeIn(schemaAt(root, path)), undefined)
  assert.equal(schemaAt(undefined, ['x']), undefined)
})

test('a name is shown short, and without what cannot be seen', () => {
  assert.equal(shownName('Order-Nr.'), 'Order-Nr.')
  assert.equal(shownName('a\u202e\u0007b\ud800'), 'a··b·')
  assert.equal(shownName('x'.repeat(99)), `${'x'.repeat(40)}…`)
  assert.equal(shownName(`${'x'.repeat(39)}😀`).isWellFormed(), true)
})
