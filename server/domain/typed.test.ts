/** What people type and paste, from public reports of other products: each line is read as it was meant, or not at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addressTyped,
  amountTyped,
  codeTyped,
  foldText,
  isSeen,
  numberTyped,
  phoneTyped,
  textTyped,
  tooManyMarks,
} from './typed.ts'

test('marks that cannot be seen, and other dashes and spaces, make no difference in a phone number', () => {
  for (const text of [
    '\u202a+255 754 123 789\u202c',
    '+255\u2011754\u2011123\u2011789',
    '+255\u2013754\u2013123\u2013789',
    '\u200e+255\u00a0754\u202f123\u2009789\ufeff',
    '＋２５５７５４１２３７８９',
    '+255 (0) 754 123 789',
    '+255(0)754.123.789',
  ])
    assert.equal(phoneTyped(text), '+255754123789', text)
})

test('a number with a sign or a decimal point is no phone number', () => {
  for (const text of ['0.754123789', '-754123789', '\u2212754123789', '.754123789']) assert.equal(phoneTyped(text), null, text)
  // A spreadsheet writes a number in this way: with a digit lost, the zero behind the point would complete it to another phone.
  for (const text of ['75412345.0', '255754123456.0', '+25575412345.0', '075412345.67', '７５４１２３４５.0'])
    assert.equal(phoneTyped(text), null, text)
})

test('a name keeps all that can be seen, without direction marks; a name of fillers or with piled marks is noticed', () => {
  assert.equal(textTyped('  Asha\u202e Mwinyi\u200f '), 'Asha Mwinyi')
  assert.equal(textTyped('Ng’ombe\u200b'), 'Ng’ombe')
  assert.equal(textTyped('Zoe\u0308'), 'Zoë')
  assert.equal(textTyped('👩🏾‍🌾 Duka'), '👩🏾‍🌾 Duka')
  assert.equal(textTyped('ش\u200cم'), 'ش\u200cم')
  for (const blank of ['\u3164', '\u115f\u1160', '\uffa0 \u2800', '\u200b\u2060'])
    assert.equal(isSeen(textTyped(blank)), false, blank)
  assert.ok(tooManyMarks.test(`a${'\u0301'.repeat(119)}`))
  for (const name of ['Nguyễn', 'مُحَمَّد', 'שָׁלוֹם', 'Đặng']) assert.ok(!tooManyMarks.test(textTyped(name)) && isSeen(name), name)
})

test('one name has one form for comparing and searching, however it was typed', () => {
  for (const name of ["Ng'ombe", 'Ng’ombe', 'Ngʼombe', 'NGOMBE', 'Ng\u200bombe']) assert.equal(foldText(name), 'ngombe', name)
  assert.equal(foldText('Zoë'), foldText('Zoe\u0308'))
})

test('a code is read in the groups in which apps and mails show it', () => {
  for (const text of ['123456', '123 456', ' 123\u00a0456 ', '123-456', '１２３４５６', '\u202a123456\u202c'])
    assert.equal(codeTyped(text), '123456', text)
})

test('an amount is read in every usual form', () => {
  const forms = [
    '25000',
    '25,000',
    '25 000',
    '25\u00a0000',
    ' TSh 25,000 ',
    'Tsh25000',
    'tzs 25000',
    '25,000/=',
    '25000/-',
    '25,000 TZS',
  ]
  for (const text of [...forms, '25000.00', '25,000.00/=', 'TSh. 25,000', '２５０００'])
    assert.equal(amountTyped(text), 25_000, text)
})

test('an amount that can be read in two ways, or is not whole, is not read', () => {
  for (const text of [
    '',
    '  ',
    '25.000',
    '25.000,00',
    '25000.50',
    '2,5000',
    '-500',
    '5e3',
    '25k',
    '+25000',
    '1,000 000',
    '0x10',
    '010000',
    '0754123789',
    '25 0000',
  ])
    assert.equal(amountTyped(text), null, text)
  fc.assert(fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (sum) => amountTyped(sum.toLocaleString('en-US')) === sum))
})

test('what was read is read again as the same', () => {
  const readers = { textTyped, addressTyped, numberTyped, codeTyped, foldText }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...Object.entries(readers)), (text, [name, read]) => {
      assert.equal(read(read(text)), read(text), name)
    }),
  )
})
