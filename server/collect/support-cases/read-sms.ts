/**
 * Reads a network's message as people paste it: its number, its amount, and the phone numbers in it. The one reader for the cases of payers
 * and for the search of operators. Pure. Invariant: nothing is guessed; what is not in the text stays undefined.
 */
import { readPhone } from '../../domain/phone.ts'
import { amountTyped, numberTyped } from '../../domain/typed.ts'
import { lettersOf } from '../payments/receipt-parts.ts'

export type Sms = {
  /** Letters and digits. */
  number: string | undefined
  /** TZS. The first amount of the text: the balance follows it. */
  amount: number | undefined
  /** E.164, in their order. */
  phones: string[]
}

const [shortestNumber, longestNumber] = [6, 32]
const shortestInMessage = 8
/** More words than a name, a number or a code has. */
const fewestWords = 5
const token = /[0-9A-Za-z]+/g
/** Airtel Money's: two letters, the day, the time, and a number. */
const dottedNumber = /\b[a-z]{2}\d{6}\.\d{4}\.[a-z]?\d{4,8}\b/i
const amountWithCurrency = /\b(?:tshs?|tzs|sh)\.? ?(\d{1,3}(?:[, ]\d{3})+(?!\d)|\d+)(\.\d\d)?/i
const amountBeforeCurrency = /\b(\d{1,3}(?:,\d{3})+|\d+)(?:\.\d\d)? ?(?:\/[=-]|tshs?\b|tzs\b)/i
const phoneInText = /(?<![\w.])(?:\+?255|0)[ -]?\d{3}[ -]?\d{3}[ -]?\d{3}(?!\w)/g

const wordsOf = (text: string): string[] => [...text.matchAll(token)].map(([word]) => word)

const isPhone = (text: string): boolean => readPhone(text).kind !== 'invalid'

/**
 * The number of the network's message, from the number or from the whole message: its first word with digits that is long enough, with
 * a letter if there is one, and no phone number if there is another. Undefined: there is none.
 */
export function readSmsNumber(sent: string): string | undefined {
  const typed = numberTyped(sent)
  const isOneNumber =
    /^[0-9A-Za-z]{1,8}(?:[\s./-]?[0-9A-Za-z]{1,32}){0,3}$/.test(typed) && lettersOf(typed).length <= longestNumber
  const words = wordsOf(typed)
  const isMessage = words.length >= fewestWords || !isOneNumber
  const candidates = words.filter((word) => /\d/.test(word) && word.length >= shortestInMessage && word.length <= longestNumber)
  const inMessage = (): string | undefined =>
    dottedNumber.exec(typed)?.[0] ??
    candidates.find((word) => /[a-z]/i.test(word) && !/^tsh/i.test(word)) ??
    candidates.find((word) => !isPhone(word)) ??
    candidates[0]
  const chosen = isMessage ? inMessage() : typed
  const letters = chosen === undefined ? '' : lettersOf(chosen)
  return letters.length >= shortestNumber && /\d/.test(letters) ? letters : undefined
}

/** What a pasted message says; undefined for a name, a number, a code, or a text without any of the three. */
export function readSms(pasted: string): Sms | undefined {
  const text = numberTyped(pasted)
  if (text.split(' ').length < fewestWords) return undefined
  const written = amountWithCurrency.exec(text)?.[1] ?? amountBeforeCurrency.exec(text)?.[1]
  const amount = written === undefined ? undefined : (amountTyped(written) ?? undefined)
  const phones = [...text.matchAll(phoneInText)].flatMap(([typed]) => {
    const phone = readPhone(typed)
    return phone.kind === 'invalid' ? [] : [phone.e164]
  })
  const number = readSmsNumber(text)
  const isNumberAPhone = number !== undefined && isPhone(number)
  const sms = { number: isNumberAPhone ? undefined : number, amount, phones: [...new Set(phones)] }
  return sms.number === undefined && amount === undefined && phones.length === 0 ? undefined : sms
}
