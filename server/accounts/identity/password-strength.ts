/**
 * Refuses a new password that is quickly guessed: known passwords, keyboard rows, repeats, and words from the person's data or
 * the product's name. Invariant: only a short part is scored, so that a long password cannot keep the process busy.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { invalidFields } from '../../platform/refusal.ts'

/** The owner of the password; operators have no phone number. */
export type PasswordOwner = { fullName: string; email: string; phoneNumber: string | null }

/** At least 10^8 guesses, on the library's scale of 0 to 4. */
const leastScore = 3

/** Scoring costs up to 13 ms for 32 characters and 0.5 s for 128; a strong password is already strong in its first 32. */
const scoredCharacters = 32

const strength = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: scoredCharacters,
  // The default of 100 makes scoring six times as slow.
  l33tMaxSubstitutions: 10,
})

const product = 'malipo'
/** Shorter parts of names occur in many words by chance. */
const leastCharacters = 3

/** The words that an attacker who knows the person tries first, longest first. */
function wordsOf({ fullName, email, phoneNumber }: PasswordOwner): string[] {
  const [mailbox, domain] = email.split('@') as [string, string]
  const digits = phoneNumber?.replace(/\D/g, '') ?? ''
  const national = digits.replace(/^255/, '')
  const words = [product, fullName, email, mailbox, domain, digits, `0${national}`, national]
  const parts = [fullName, mailbox, domain].flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))
  return [...new Set([...words, ...parts].map((word) => word.toLowerCase()))]
    .filter((word) => word.length >= leastCharacters)
    .toSorted((one, other) => other.length - one.length)
}

function without(password: string, words: string[]): string {
  return words.reduce((rest, word) => rest.replaceAll(word, ''), password.toLowerCase())
}

const sentences = {
  password_common:
    'This password, or one very similar to it, is on a list of known passwords. Choose another, for example a sentence of your own.',
  password_personal:
    'This password is made of your name, your e-mail address, your phone number or the name Malipo. Choose another, for example a sentence of your own.',
  password_guessable:
    'This password is easy to guess. Repeats, keyboard rows, sequences and years do not make it stronger. Choose another, for example a sentence of your own.',
} as const

const commonWarnings = new Set<string | null>(['topTen', 'topHundred', 'common', 'similarToCommon'])

function weaknessOf(password: string, owner: PasswordOwner): keyof typeof sentences | undefined {
  const words = wordsOf(owner)
  const cut = Array.from(password.normalize('NFC')).slice(0, scoredCharacters).join('')
  const { score, feedback } = strength.check(cut, words)
  if (score < leastScore) {
    if (feedback.warning === 'userInputs') return 'password_personal'
    return commonWarnings.has(feedback.warning) ? 'password_common' : 'password_guessable'
  }
  // A name next to a year or a symbol scores too high, so the part without the name must be strong by itself.
  const rest = without(cut, words)
  if (rest.length < cut.length && strength.check(rest).score < leastScore) return 'password_personal'
  return undefined
}

/** Refuses a weak password with 400 `validation_error`; the code of the field `password` gives the reason. */
export function refuseWeakPassword(password: string, owner: PasswordOwner): void {
  const code = weaknessOf(password, owner)
  if (code) throw invalidFields([{ field: 'password', code, message: sentences[code] }])
}
