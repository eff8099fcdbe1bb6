/** The type of a command, and its errors. Invariant: every error message says what to do next. */
import type { Settings } from './config.ts'
import type { Output } from './output.ts'

export type OptionValue = string | boolean | undefined

export type Option = {
  type: 'string' | 'boolean'
  /** The placeholder for the value in the help. */
  value?: string
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
  /** The text after the name of the command in its usage line. */
  usage: string
  /** Paragraphs for the help of this command. */
  about: string
  options: Readonly<Record<string, Option>>
  /** The number of words it takes besides its options. */
  words: number
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
