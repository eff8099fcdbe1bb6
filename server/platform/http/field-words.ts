/** Our own sentence for each kind of schema error, in English and Swahili: no wording of the schema library reaches a person. */
import type { z } from 'zod'

export type Sentence = { en: string; sw: string }

const invalid: Sentence = { en: 'The value is not valid.', sw: 'Thamani hii si sahihi.' }

export const required: Sentence = { en: 'This field is required.', sw: 'Sehemu hii inahitajika.' }
const unknown: Sentence = { en: 'Unknown field. Remove it.', sw: 'Sehemu hii haijulikani. Iondoe.' }
export const notAnObject: Sentence = { en: 'Send a JSON object.', sw: 'Tuma taarifa kama JSON object.' }
export const unknownField = (name: string): Sentence => ({
  en: `Unknown field ${JSON.stringify(name)}. Remove it.`,
  sw: `Sehemu ${JSON.stringify(name)} haijulikani. Iondoe.`,
})
export const meantField = (name: string, meant: string): Sentence => ({
  en: `Unknown field ${JSON.stringify(name)}. Did you mean "${meant}"?`,
  sw: `Sehemu ${JSON.stringify(name)} haijulikani. Je, ulimaanisha "${meant}"?`,
})
export const keyGoesInHeader: Sentence = {
  en: 'Send the key in the header Idempotency-Key, not here.',
  sw: 'Tuma ufunguo kwenye kichwa Idempotency-Key, si hapa.',
}
export const sentTwice: Sentence = {
  en: 'This parameter came more than once. Send it once.',
  sw: 'Kigezo hiki kimekuja zaidi ya mara moja. Kitume mara moja.',
}
export const unstorable: Sentence = { en: 'Control characters are not allowed here.', sw: 'Ondoa alama zisizoonekana.' }
export const tooLarge: Sentence = { en: 'The number is too large.', sw: 'Namba hii ni kubwa mno.' }
export const tooLow: Sentence = { en: 'The number is too small.', sw: 'Namba hii ni ndogo mno.' }
export const inRange = (least: number, most: number): Sentence => ({
  en: `Use a whole number from ${least} to ${most}.`,
  sw: `Tumia namba kamili kuanzia ${least} hadi ${most}.`,
})

// A body has no other numbers: a literal with a fraction or an exponent is refused.
const wholeNumber: Sentence = {
  en: 'Must be a whole number, without quotes.',
  sw: 'Lazima iwe namba kamili, bila alama za nukuu.',
}
const list: Sentence = { en: 'Must be a list.', sw: 'Lazima iwe orodha.' }
const object: Sentence = { en: 'Must be an object.', sw: 'Lazima iwe object.' }

const ofTypes: Partial<Record<string, Sentence>> = {
  string: { en: 'Must be text, in quotes.', sw: 'Lazima iwe maandishi, ndani ya alama za nukuu.' },
  number: wholeNumber,
  int: wholeNumber,
  boolean: { en: 'Must be true or false.', sw: 'Lazima iwe true au false.' },
  array: list,
  object,
  record: object,
}

const ofFormats: Partial<Record<string, Sentence>> = {
  email: { en: 'Enter a valid e-mail address.', sw: 'Andika barua pepe sahihi.' },
  url: { en: 'Enter a valid URL.', sw: 'Andika anwani (URL) sahihi.' },
  datetime: {
    en: 'Use a time with its time zone, such as 2026-01-25T09:30:00Z.',
    sw: 'Tumia muda wenye ukanda wa saa, kama 2026-01-25T09:30:00Z.',
  },
  date: { en: 'Use a date such as 2026-01-25.', sw: 'Tumia tarehe kama 2026-01-25.' },
}

const wrongForm: Sentence = { en: 'The value does not have the required form.', sw: 'Thamani hii haina muundo unaotakiwa.' }

const isNumber = (origin: string): boolean => origin === 'number' || origin === 'int' || origin === 'bigint'

function tooSmall({ origin, minimum, inclusive, exact = false }: z.core.$ZodIssueTooSmall): Sentence {
  if (exact) return exactly(origin, minimum)
  if (isNumber(origin)) {
    return inclusive
      ? { en: `Must be at least ${minimum}.`, sw: `Isiwe chini ya ${minimum}.` }
      : { en: `Must be more than ${minimum}.`, sw: `Lazima izidi ${minimum}.` }
  }
  if (Number(minimum) === 1) return { en: 'Must not be empty.', sw: 'Isiwe tupu.' }
  return origin === 'string'
    ? { en: `Use at least ${minimum} characters.`, sw: `Tumia angalau herufi ${minimum}.` }
    : { en: `Send at least ${minimum} entries.`, sw: `Tuma angalau vitu ${minimum}.` }
}

function tooBig({ origin, maximum, inclusive, exact = false }: z.core.$ZodIssueTooBig): Sentence {
  if (exact) return exactly(origin, maximum)
  if (isNumber(origin)) {
    return inclusive
      ? { en: `Must be at most ${maximum}.`, sw: `Isizidi ${maximum}.` }
      : { en: `Must be less than ${maximum}.`, sw: `Lazima iwe chini ya ${maximum}.` }
  }
  return origin === 'string'
    ? { en: `Use at most ${maximum} characters.`, sw: `Tumia herufi zisizozidi ${maximum}.` }
    : { en: `Send at most ${maximum} entries.`, sw: `Tuma vitu visivyozidi ${maximum}.` }
}

function exactly(origin: string, size: number | bigint): Sentence {
  return origin === 'string'
    ? { en: `Use exactly ${size} characters.`, sw: `Tumia herufi ${size} kamili.` }
    : { en: `Send exactly ${size} entries.`, sw: `Tuma vitu ${size} kamili.` }
}

function oneOf(values: readonly unknown[]): Sentence {
  const words = values.map(String).join(', ')
  return values.length === 1
    ? { en: `Must be ${words}.`, sw: `Lazima iwe ${words}.` }
    : { en: `Use one of: ${words}.`, sw: `Tumia mojawapo: ${words}.` }
}

/** The sentence for an issue whose schema has none of its own. */
export function sentenceOf(issue: z.core.$ZodIssue): Sentence {
  switch (issue.code) {
    case 'invalid_type':
      return ofTypes[issue.expected] ?? invalid
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_format':
      return ofFormats[issue.format] ?? wrongForm
    case 'not_multiple_of':
      return { en: `Must be a multiple of ${issue.divisor}.`, sw: `Lazima iwe kizidishio cha ${issue.divisor}.` }
    case 'invalid_value':
      return oneOf(issue.values)
    case 'unrecognized_keys':
      return unknownField(issue.keys[0] ?? '')
    case 'invalid_key':
    case 'invalid_element':
    case 'invalid_union':
    case 'custom':
      return invalid
  }
}

/** The Swahili sentence for a code that says only that a field is wrong; undefined for every other code. */
export function swahiliOfField(code: string): string | undefined {
  return code === 'required' ? required.sw : code === 'invalid' ? invalid.sw : code === 'unknown_field' ? unknown.sw : undefined
}

/** The message of an issue for `safeParse`, which calls this for an issue whose schema has no message of its own. */
export function messageOf(issue: z.core.$ZodRawIssue): string {
  // Both forms of an issue have the fields that the sentence is made from.
  return sentenceOf(issue as z.core.$ZodIssue).en
}
