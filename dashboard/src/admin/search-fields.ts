/** Reads the filters of a list from its address: only known words, only texts, and the cursor. */
import type { Payout } from '../api/operations.ts'

type Search = Record<string, unknown>

export function textOf(search: Search, ...names: string[]): Record<string, string> {
  const found = names.map((name) => [name, search[name]] as const)
  return Object.fromEntries(found.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''))
}

export function wordOf<const Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value)
}

export type Environment = Payout['environment']
export const environments = ['test', 'live'] as const satisfies readonly Environment[]
