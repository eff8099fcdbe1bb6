/**
 * The texts of one screen, each in English and Swahili, in the screen's folder. A missing text or an unknown key does not compile.
 */
import { useSyncExternalStore } from 'react'
import { currentLanguage } from './current-language.ts'
import { texts, type Language } from './language.ts'
import type { KeyOf, Texts } from './translator.ts'

export type Values = Record<string, string | number>

export type Say<Key extends string> = (key: Key, values?: Values) => string

export type DefinedTexts<Key extends string> = {
  name: string
  /** The texts in the current language, in a component. */
  use(): Say<Key>
  /** The same outside of a component. */
  say: Say<Key>
  /** Whether these texts have a word of the API, as `status.pending`. */
  has(key: string): key is Key
}

/** Texts that others build on. */
type Base = Pick<DefinedTexts<never>, 'name' | 'say'>

type KeysOf<Defined> = Defined extends DefinedTexts<infer Key> ? Key : never

/**
 * `name` must be unique, by folder; `{{name}}` in a text stands for a value. A key that these texts do not have is said by the first of the
 * `others` that has it: words that several screens share.
 */
export function defineTexts<const Source extends Texts>(name: string, pairs: Source): DefinedTexts<KeyOf<Source>>
export function defineTexts<const Source extends Texts, Others extends readonly Base[]>(
  name: string,
  others: Others,
  pairs: Source,
): DefinedTexts<KeyOf<Source> | KeysOf<Others[number]>>
export function defineTexts(name: string, ...given: [Texts] | [readonly Base[], Texts]): DefinedTexts<string> {
  const [others, pairs] = given.length === 1 ? [[], given[0]] : given
  const otherNames = others.map((one) => one.name)
  texts.add(name, pairs, otherNames)
  const say: Say<string> = (key, values) => texts.t(key, { ...values, ns: name })
  // A function for each language, so that what is computed from one is computed again after a change.
  const says: Record<Language, Say<string>> = { en: (...asked) => say(...asked), sw: (...asked) => say(...asked) }
  return { name, use: () => says[useLanguage()], say, has: (key): key is string => texts.exists(key, { ns: name }) }
}

/** The current language, for a component that must follow it. */
export function useLanguage(): Language {
  return useSyncExternalStore(texts.onChange, currentLanguage)
}
