/**
 * What the columns and the values of our files are called for people who open them in a spreadsheet, in both languages. The order of the
 * columns is the order here; what is not named says nothing to people, and is left out.
 */
import { networkNames } from './network.ts'
import { payerLanguageSchema, type PayerLanguage } from './language.ts'
import { byLanguage, type Pair } from './texts.ts'

const headings = {
  created_at: ['Time (EAT)', 'Muda (EAT)'],
  row: ['Row', 'Mstari'],
  type: ['Kind', 'Aina'],
  status: ['Status', 'Hali'],
  direction: ['In or out', 'Imeingia au imetoka'],
  amount: ['Amount (TZS)', 'Kiasi (TZS)'],
  amount_received: ['Received (TZS)', 'Kilichopokelewa (TZS)'],
  fee: ['Fee (TZS)', 'Makato (TZS)'],
  total_debited: ['Debited in all (TZS)', 'Jumla iliyokatwa (TZS)'],
  refunded_amount: ['Refunded (TZS)', 'Kilichorejeshwa (TZS)'],
  balance_after: ['Balance (TZS)', 'Salio (TZS)'],
  customer_name: ['Payer', 'Mlipaji'],
  customer_phone_masked: ['Number of the payer', 'Simu ya mlipaji'],
  customer_email: ['E-mail of the payer', 'Barua pepe ya mlipaji'],
  phone_number: ['Phone number', 'Namba ya simu'],
  recipient_name: ['Recipient name', 'Jina la mpokeaji'],
  network: ['Network', 'Mtandao'],
  payment_page_title: ['Page', 'Ukurasa'],
  description: ['Description', 'Maelezo ya muamala'],
  narration: ['Narration', 'Maelezo'],
  merchant_reference: ['Your reference', 'Kumbukumbu yako'],
  reference: ['Reference', 'Kumbukumbu'],
  short_code: ['Short code', 'Msimbo mfupi'],
  network_receipt: ['Receipt of the network', 'Risiti ya mtandao'],
  custom_fields: ['Answers of the payer', 'Majibu ya mlipaji'],
  completed_at: ['Completed (EAT)', 'Ilikamilika (EAT)'],
  reversed_at: ['Returned (EAT)', 'Ilirudishwa (EAT)'],
  problem: ['Problem', 'Tatizo'],
  id: ['Id', 'Utambulisho'],
  payout_id: ['Payout id', 'Utambulisho wa utoaji'],
  refund_id: ['Refund id', 'Utambulisho wa marejesho'],
  batch_id: ['Batch id', 'Utambulisho wa orodha'],
} satisfies Record<string, Pair>

const words = {
  pending: ['Pending', 'Inasubiri'],
  processing: ['Under way', 'Inaendelea'],
  completed: ['Completed', 'Imekamilika'],
  failed: ['Failed', 'Imeshindikana'],
  voided: ['Voided', 'Imebatilishwa'],
  expired: ['Expired', 'Muda umeisha'],
  reversed: ['Returned', 'Imerudishwa'],
  cancelled: ['Cancelled', 'Imesitishwa'],
  invalid: ['With an error', 'Ina kosa'],
  ready: ['Ready', 'Iko tayari'],
  removed: ['Removed', 'Imeondolewa'],
  credit: ['In', 'Imeingia'],
  debit: ['Out', 'Imetoka'],
  payment: ['Payment', 'Malipo'],
  payout: ['Payout', 'Utoaji'],
  payout_reversal: ['Returned payout', 'Utoaji uliorudi'],
  refund: ['Refund', 'Marejesho kwa mlipaji'],
  refund_reversal: ['Returned refund', 'Marejesho yaliyorudi'],
  adjustment: ['Adjustment', 'Marekebisho'],
  fee: ['Fee', 'Makato'],
} satisfies Record<string, Pair>

/** The query of a list that is also sent as a file. */
export const csvQuery = {
  csv_language: payerLanguageSchema.optional().meta({
    description:
      'With `Accept: text/csv`: a file for people instead of programs, with headings and words in this language, and times in East Africa Time. It begins with a byte order mark, by which spreadsheet programs read it as UTF-8.',
  }),
}

const headingsIn = byLanguage(headings)
const wordsIn = byLanguage(words)

const meanings = new Map(Object.entries(words).flatMap(([code, pair]) => [code, ...pair].map((word) => [word, code] as const)))

/** The code of a status in one of our files, for programs or for people; undefined: a word of another file. */
export const statusOfWord = (word: string): string | undefined => meanings.get(word)

/** The names of each column, as files that come back have them. */
export const sheetNames: readonly (readonly [column: string, name: string])[] = Object.entries(headings).flatMap(
  ([column, pair]) => pair.map((name) => [column, name] as const),
)

/** East Africa Time, to the minute, in the form that spreadsheets of any country read as a time. */
const timeInEat = (time: string): string =>
  new Date(Date.parse(time) + 3 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')

type Cell = string | number | null

const worded = new Set(['type', 'status', 'direction'])

/** A value as people read it. */
function cellForPeople(column: string, cell: Cell, language: PayerLanguage): Cell {
  if (typeof cell !== 'string' || cell === '') return cell
  if (column.endsWith('_at')) return timeInEat(cell)
  if (column === 'network') return networkNames[cell as keyof typeof networkNames] ?? cell
  return worded.has(column) ? (wordsIn[language][cell as keyof typeof words] ?? cell) : cell
}

/** `malipo` is plural in Swahili: `Imekamilika` becomes `Yamekamilika`. */
const aboutPayments = (text: string): string => text.replace(/^I(?=[lmn])/, 'Ya')

/**
 * The columns of a list that people read. Undefined: no language was asked for, so the file is for a program. `isOfPayments`: the words
 * agree with payments.
 */
export function sheetOf(header: readonly string[], language: PayerLanguage | undefined, { isOfPayments = false } = {}) {
  if (language === undefined) return undefined
  const columns = (Object.keys(headings) as (keyof typeof headings)[]).filter((column) => header.includes(column))
  const agree = isOfPayments && language === 'sw' ? aboutPayments : (text: string) => text
  return {
    header: columns.map((column) => agree(headingsIn[language][column])),
    toCells: (cells: readonly Cell[]): Cell[] =>
      columns.map((column) => {
        const cell = cellForPeople(column, cells[header.indexOf(column)]!, language)
        return column === 'status' ? agree(String(cell)) : cell
      }),
  }
}
