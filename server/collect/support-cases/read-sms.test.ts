/** Tests the reader of pasted messages with the form of each network. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSms, readSmsNumber } from './read-sms.ts'

const messages = {
  'M-Pesa, in Swahili': {
    text: 'BK71H2XKQ9 Imethibitishwa. Tsh10,000.00 imetumwa kwa MWENGE DUKA 255754123789 tarehe 27/11/26 saa 9:32 PM. Makato Tsh350.00. Salio lako la M-Pesa ni Tsh4,300.00.',
    says: { number: 'BK71H2XKQ9', amount: 10_000, phones: ['+255754123789'] },
  },
  'M-Pesa, in English, in several lines': {
    text: 'BK71H2XKQ9 Confirmed.\nTsh5,000.00 paid to MWENGE DUKA\non 27/11/26 at 9:32 PM.\nNew M-Pesa balance is Tsh1,200.00.',
    says: { number: 'BK71H2XKQ9', amount: 5_000, phones: [] },
  },
  'Airtel Money': {
    text: 'TID: CI251127.2132.A12345. Umelipa TSh 10,000 kwa MWENGE DUKA 0683 123 456. Makato TSh 0. Salio TSh 2,000.',
    says: { number: 'CI2511272132A12345', amount: 10_000, phones: ['+255683123456'] },
  },
  'Mixx by Yas, with the phone before a number of digits only': {
    text: 'Umefanikiwa kutuma TSh 25,000 kwa 255713123456 - MWENGE. Kumbukumbu no: 46121174212. Salio jipya ni TSh 1,500.',
    says: { number: '46121174212', amount: 25_000, phones: ['+255713123456'] },
  },
  'HaloPesa, with the currency after the amount': {
    text: 'Utambulisho wa muamala: 1234567890. Umelipa 10000 TZS kwa MWENGE DUKA tarehe 27-11-2026 21:32. Salio 4000 TZS.',
    says: { number: '1234567890', amount: 10_000, phones: [] },
  },
  'a part without the number': {
    text: 'Nimelipa TSh 7,500 kutoka 0754 123 789 leo asubuhi',
    says: { number: undefined, amount: 7_500, phones: ['+255754123789'] },
  },
} as const

for (const [name, { text, says }] of Object.entries(messages)) {
  test(`a pasted message is read: ${name}`, () => {
    assert.deepEqual(readSms(text), says)
    if (says.number !== undefined) assert.equal(readSmsNumber(text), says.number)
  })
}

test('a name, a number or a code is no message', () => {
  for (const text of [
    'Mwenge Traders Limited',
    '0754 123 789',
    'S46121174212',
    'BK71 H2XK Q9',
    'Duka la Mama na Baba Zao',
    'b8d88205-9e9c-4405-a2c2-26389b7f5ef9',
  ])
    assert.equal(readSms(text), undefined, text)
})

test('one number is read as it was typed', () => {
  assert.equal(readSmsNumber('ci251127.2132.a12345'), 'CI2511272132A12345')
  assert.equal(readSmsNumber('S461 2117 4212'), 'S46121174212')
  for (const none of ['sijui', 'sijui kabisa']) assert.equal(readSmsNumber(none), undefined, none)
})

test('words that look like a number are not taken for it', () => {
  const numbers = {
    // An amount with its currency, and a word with digits that is too short, stand before it.
    'Umelipa Tsh10000000 kwa MWENGE DUKA2 namba BK71H2XKQ9 leo': 'BK71H2XKQ9',
    // A code longer than any number of a network, in a message and alone.
    [`Umelipa kwa MWENGE kumbukumbu ${'A1'.repeat(17)} namba BK71H2XKQ9`]: 'BK71H2XKQ9',
    // A word without digits.
    'IMETHIBITISHWA malipo yako ya leo BK71H2XKQ9': 'BK71H2XKQ9',
    // Only digits, before a name with them.
    'Kumbukumbu no 46121174212 kwa duka la MWENGE': '46121174212',
    // Few words, with marks that no number has.
    'TID: CI251127.2132.A12345': 'CI2511272132A12345',
    // A phone number is better than nothing.
    'Nimelipa leo kwa simu 0754123789 asubuhi': '0754123789',
    S4612: undefined,
    S46121: 'S46121',
    ABCDEFGH: undefined,
    [`S${'4'.repeat(32)}`]: undefined,
    [`S${'4'.repeat(31)}`]: `S${'4'.repeat(31)}`,
  }
  for (const [text, number] of Object.entries(numbers)) assert.equal(readSmsNumber(text), number, text)
})

test('a text with only an amount, or with nothing, is read as such', () => {
  assert.deepEqual(readSms('Nimelipa shilingi TSh 7,500 leo asubuhi'), { number: undefined, amount: 7_500, phones: [] })
  assert.deepEqual(readSms('Nimelipa BK71H2XKQ9 leo asubuhi dukani'), { number: 'BK71H2XKQ9', amount: undefined, phones: [] })
  assert.deepEqual(readSms('Nimelipa kutoka simu 0754 123 789 leo'), {
    number: undefined,
    amount: undefined,
    phones: ['+255754123789'],
  })
})
