import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskPhone, readPhone } from './phone.ts'

test('every usual way of writing one number is the same number [A34, P42]', () => {
  for (const typed of [
    '0754123456',
    '754123456',
    '255754123456',
    '+255754123456',
    '+255 754 123 456',
    '0754-123-456',
    '00255754123456',
    '000255 754 123456',
    '(0754) 123.456',
  ]) {
    assert.deepEqual(readPhone(typed), { kind: 'mobile', e164: '+255754123456', network: 'mpesa' }, typed)
  }
})

test('the prefix suggests the network', () => {
  const guesses = {
    '0754': 'mpesa',
    '0792': 'mpesa',
    '0684': 'airtel',
    '0661': 'airtel',
    '0714': 'mixx',
    '0701': 'mixx',
    '0621': 'halotel',
    '0631': 'halotel',
    '0601': null,
  }
  for (const [prefix, network] of Object.entries(guesses)) {
    assert.deepEqual(readPhone(`${prefix}000000`), { kind: 'mobile', e164: `+255${prefix.slice(1)}000000`, network }, prefix)
  }
})

test('a TTCL number is a number that cannot pay here [P42]', () => {
  assert.deepEqual(readPhone('0732123456'), { kind: 'unsupported', e164: '+255732123456', networkName: 'TTCL' })
})

test('everything else is not a Tanzanian mobile number', () => {
  for (const typed of [
    '',
    '12345',
    '0222123456',
    '+254754123456',
    '2550754123456',
    '0642123456',
    '075412345',
    '07541234567',
    '0754abc456',
    '٠٧٥٤١٢٣٤٥٦',
    '+2557541234560',
    '0754123456;',
    '++255754123456',
  ]) {
    assert.deepEqual(readPhone(typed), { kind: 'invalid' }, typed)
  }
  fc.assert(fc.property(fc.string(), (text) => assert.ok(['mobile', 'unsupported', 'invalid'].includes(readPhone(text).kind))))
})

test('a masked number shows neither its middle nor a way to call it', () => {
  assert.equal(maskPhone('+255754123456'), '0754 ••• 456')
})
