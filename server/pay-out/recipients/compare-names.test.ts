/** Names that people write in several ways are one name; another person's name is another one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { namesDiffer } from './compare-names.ts'

test('case, accents, punctuation and the order of words make no difference', () => {
  const same: [string, string][] = [
    ['Asha Mushi', 'ASHA MUSHI'],
    ['Asha Mushi', 'Mushi, Asha'],
    ['Asha Mushi', '  asha   mushi.'],
    ['Asha J. Mushi', 'Mushi Asha J'],
    ["Ng'ombe Juma", 'Ngombe Juma'],
    ['Ng’ombe Juma', "Ng'ombe Juma"],
    ['Said bin Sultan', 'SULTAN SAID BIN'],
    ['Sa‘id al-Busaidi', 'Said Al Busaidi'],
    ['Al-Amin Juma', 'Alamin Juma'],
    ['Al-Amin Juma', 'Juma Al Amin'],
    ['Abd-el-Rahman', 'Abd el Rahman'],
    ['Zoé Müller', 'zoe muller'],
    ['Zoe\u0301', 'Zo\u00e9'],
    ['محمد علي', 'علي محمد'],
    ['مُحَمَّد', 'محمد'],
    ['محـــمد', 'محمد'],
    ['ＡＳＨＡ', 'Asha'],
    ['★', ' ★ '],
  ]
  for (const [one, other] of same) assert.equal(namesDiffer(one, other), false, `${one} and ${other}`)
})

test('another name, a missing word and a word more are a difference', () => {
  const different: [string, string][] = [
    ['Asha Mushi', 'Asha Musa'],
    ['Asha Mushi', 'Asha'],
    ['Asha Mushi', 'Asha Juma Mushi'],
    ['Asha Asha', 'Asha'],
    ['Ashamushi', 'Asha Mushi'],
    ['محمد علي', 'محمد حسن'],
    ['Amina', 'Aminata'],
    ['★', '☆'],
    ['★', 'Asha'],
    ['Juma 1', 'Juma 2'],
  ]
  for (const [one, other] of different) assert.equal(namesDiffer(one, other), true, `${one} and ${other}`)
})

const word = fc.stringMatching(/^[a-zA-Záéíóúñüبتثجحخ]{1,8}$/)
const words = fc.array(word, { minLength: 1, maxLength: 5 })
const separator = fc.constantFrom(' ', '  ', ', ', '. ', ' / ')

test('a name never differs from itself in another order, case or punctuation, and a difference has no direction', () => {
  fc.assert(
    fc.property(
      words.chain((list) =>
        fc.tuple(
          fc.constant(list),
          fc.shuffledSubarray(list, { minLength: list.length }),
          fc.array(separator, { minLength: 5, maxLength: 5 }),
        ),
      ),
      ([list, shuffled, marks]) => {
        const written = shuffled.map((one, index) => (index % 2 === 0 ? one.toUpperCase() : one) + marks[index]!).join('')
        return !namesDiffer(list.join(' '), written)
      },
    ),
  )
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (name) => !namesDiffer(name, name)))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
      return namesDiffer(one, other) === namesDiffer(other, one)
    }),
  )
  fc.assert(fc.property(words, word, (list, more) => namesDiffer(list.join(' '), [...list, more].join(' '))))
})
