/**
 * The texts of one screen, each in English and Swahili, in the screen's folder. A missing text or an unknown key does not compile.
 */
import { useSyncExternalStore } from 'react'
import { currentLanguage, texts, type Language } from './language.ts'
import type { KeyOf, Texts } from './translator.ts'

export type Values = Record<string, string | number>

export type Say<Key extends string> = (key: Key, values?: Values) => string

export type DefinedTexts<Source extends Texts> = {
  /** The texts in the current language, in a component. */
  use(): Say<KeyOf<Source>>
  /** The same outside of a component. */
  say: Say<KeyOf<Source>>
}

/** `name` must be unique, by folder; `{{name}}` in a text stands for a value. */
export function defineTexts<const Source extends Texts>(name: string, pairs: Source): DefinedTexts<Source> {
  texts.add(name, pairs)
  const say: Say<KeyOf<Source>> = (key, values) => texts.t(key, { ...values, ns: name })
  // A function for each language, so that what is computed from one is computed again after a change.
  const says: Record<Language, Say<KeyOf<Source>>> = { en: (...asked) => say(...asked), sw: (...asked) => say(...asked) }
  return { use: () => says[useLanguage()], say }
}

/** The current language, for a component that must follow it. */
export function useLanguage(): Language {
  return useSyncExternalStore(texts.onChange, currentLanguage)
}
