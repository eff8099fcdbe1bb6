/** Amounts in words: the text that a person reads before money leaves must name one amount only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountInWords } from '../dashboard/src/ui/amount-words.ts'

test('an amount is written out in Swahili and in English', () => {
  for (const [amount, sw, en] of [
    [500, 'Shilingi mia tano', 'Five hundred shillings'],
    [1500, 'Shilingi elfu moja, na mia tano', 'One thousand five hundred shillings'],
    [5017, 'Shilingi elfu tano, kumi na saba', 'Five thousand and seventeen shillings'],
    [20_005, 'Shilingi elfu ishirini, na tano', 'Twenty thousand and five shillings'],
    [25_000, 'Shilingi elfu ishirini na tano', 'Twenty-five thousand shillings'],
    [100_000, 'Shilingi laki moja', 'One hundred thousand shillings'],
    [350_000, 'Shilingi laki tatu na elfu hamsini', 'Three hundred and fifty thousand shillings'],
    [
      999_999,
      'Shilingi laki tisa, elfu tisini na tisa, mia tisa tisini na tisa',
      'Nine hundred and ninety-nine thousand nine hundred and ninety-nine shillings',
    ],
    [1_000_100, 'Shilingi milioni moja, na mia moja', 'One million one hundred shillings'],
    [10_000_000, 'Shilingi milioni kumi', 'Ten million shillings'],
    [
      12_234_567,
      'Shilingi milioni kumi na mbili, laki mbili, elfu thelathini na nne, mia tano sitini na saba',
      'Twelve million two hundred and thirty-four thousand five hundred and sixty-seven shillings',
    ],
    [
      999_999_999,
      'Shilingi milioni mia tisa tisini na tisa, laki tisa, elfu tisini na tisa, mia tisa tisini na tisa',
      'Nine hundred and ninety-nine million nine hundred and ninety-nine thousand nine hundred and ninety-nine shillings',
    ],
    [1_000_000_000, 'Shilingi bilioni moja', 'One billion shillings'],
    [
      1_250_000_000,
      'Shilingi bilioni moja na milioni mia mbili na hamsini',
      'One billion two hundred and fifty million shillings',
    ],
    [2_000_000_000, 'Shilingi bilioni mbili', 'Two billion shillings'],
    [100_000_000_000, 'Shilingi bilioni mia moja', 'One hundred billion shillings'],
  ] as const) {
    assert.deepEqual(amountInWords(amount), { sw, en })
  }
})

test('an amount that is too large for words has none, rather than wrong ones', () => {
  assert.match(amountInWords(999_999_999_999).en, /^Nine hundred and ninety-nine billion /)
  assert.deepEqual(amountInWords(1_000_000_000_000), { sw: '', en: '' })
})

test('no two amounts have the same words', () => {
  const amountOf = new Map<string, number>()
  // Each pair of neighbours in size, and every amount whose groups could be confused.
  const amounts = [
    ...Array.from({ length: 120_000 }, (_, index) => index + 1),
    ...Array.from({ length: 9000 }, (_, index) => (index + 1) * 1111),
    ...Array.from({ length: 9000 }, (_, index) => (index + 1) * 111_000_111),
  ]
  for (const amount of new Set(amounts)) {
    for (const text of Object.values(amountInWords(amount))) {
      assert.equal(amountOf.get(text), undefined, `${amount} and ${amountOf.get(text)}: ${text}`)
      amountOf.set(text, amount)
    }
  }
})
