/** The type of a command, and its errors. Invariant: every error message says what to do next. */
import type { Settings } from './config.ts'
import type { Output } from './output.ts'
import { readAmount } from './amount.ts'

export type OptionValue = string | boolean | undefined

export type Option = {
  type: 'string' | 'boolean'
  /** The placeholder for the value in the help. */
  value?: string
  /** Its usage shows it without brackets; `required` refuses a command without it. */
  isRequired?: true
  about: string
}

export type Call = {
  values: Readonly<Record<string, OptionValue>>
  /** The words after the command that are not options. */
  words: readonly string[]
  settings: Settings
  out: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

export type Command = {
  /** One line for the list of all commands. */
  summary: string
  /** The placeholder of the one word that it takes besides its options. */
  word?: string
  /** The text after the name of the command in its usage line. Without it: the word and all options. */
  usage?: string
  /** Paragraphs for the help of this command. */
  about: string
  options?: Readonly<Record<string, Option>>
  /** Returns the exit code. */
  run(call: Call): Promise<number>
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** The command line is correct, but the command failed: exit code 1. */
export class CommandError extends Error {}

export function textOf(values: Call['values'], name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The last sentence of the help of a command that needs this scope. */
export function needs(scope: string): string {
  return `Needs a key with the scope ${scope}.`
}

export const amountOption: Option = { type: 'string', value: 'amount', about: 'In TZS' }

export const keyOption: Option = {
  type: 'string',
  value: 'key',
  about: 'The idempotency key: repeat the command with it if there was no answer',
}

/** The option of the SDK for a call that creates something; without a key, the SDK makes one. */
export function keyOf(values: Call['values']): { idempotencyKey?: string } {
  const idempotencyKey = textOf(values, 'key')
  return idempotencyKey === undefined ? {} : { idempotencyKey }
}

export function wholeNumberOf(values: Call['values'], name: string): number | undefined {
  const text = textOf(values, name)
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`--${name} is a whole number, as in --${name} 5000, not ${JSON.stringify(text)}.`)
}

export function typedAmountOf(values: Call['values']): number | undefined {
  const text = textOf(values, 'amount')
  if (text === undefined) return undefined
  const read = readAmount(text)
  if (read !== null) return read
  throw new UsageError(
    `--amount is a whole number of TZS, as in --amount 50000 or --amount 50,000, not ${JSON.stringify(text)}. Write no decimals, and thousands with a comma or nothing.`,
  )
}

/** The value of an option that is one of these words. */
export function oneOf<Word extends string>(values: Call['values'], name: string, words: readonly Word[]): Word | undefined {
  const wanted = textOf(values, name)
  const word = words.find((one) => one === wanted)
  if (wanted !== undefined && word === undefined) throw new UsageError(`--${name} is one of ${words.join(', ')}.`)
  return word
}

/** The word of a command if it is an id of this kind; `sentence` begins the error. */
export function idOf({ words }: Pick<Call, 'words'>, prefix: string, sentence = 'Give an id'): string {
  const id = words[0]!
  if (!new RegExp(`^${prefix}_\\w+$`).test(id))
    throw new UsageError(`${sentence} that begins with ${prefix}_, not ${JSON.stringify(id)}.`)
  return id
}

type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }

/** Options by name, none of which may be missing. */
export function required<Options extends Record<string, string | number | undefined>>(options: Options): Defined<Options> {
  const names = Object.keys(options).map((name) => `--${name}`)
  if (Object.values(options).includes(undefined))
    throw new UsageError(`Give ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`)
  return options as Defined<Options>
}

/** Fields of a request, without those that have no value. */
export function given<Fields extends Record<string, unknown>>(fields: Fields): Partial<Defined<Fields>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Defined<Fields>>
}
