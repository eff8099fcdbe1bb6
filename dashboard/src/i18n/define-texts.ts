/**
 * The texts of one screen, in both languages, in the screen's folder. A missing Swahili text or an unknown key does not compile.
 */
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { currentLanguage, texts, type Language } from './language.ts'

type Texts = { readonly [key: string]: string | Texts }

/** The same keys with other texts. */
type Translated<Source> = { [Key in keyof Source]: Source[Key] extends string ? string : Translated<Source[Key]> }

/** `item_one` and `item_other` are read as `item`, with a `count`. */
type Singular<Key extends string> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key

type KeyOf<Source> = {
  [Key in keyof Source & string]: Source[Key] extends string ? Singular<Key> : `${Key}.${KeyOf<Source[Key]>}`
}[keyof Source & string]

export type Values = Record<string, string | number>

export type Say<Key extends string> = (key: Key, values?: Values) => string

export type DefinedTexts<Source extends Texts> = {
  /** The texts in the current language, in a component. */
  use(): Say<KeyOf<Source>>
  /** The same outside of a component. */
  say: Say<KeyOf<Source>>
}

/** `name` must be unique, by folder. English defines the keys; `{{name}}` stands for a value. */
export function defineTexts<const Source extends Texts>(
  name: string,
  both: { en: Source; sw: Translated<Source> },
): DefinedTexts<Source> {
  texts.addResourceBundle('en', name, both.en)
  texts.addResourceBundle('sw', name, both.sw)
  return {
    use() {
      const { t } = useTranslation(name, { i18n: texts })
      return useCallback<Say<KeyOf<Source>>>((key, values) => t(key as string, values ?? {}) as string, [t])
    },
    say: (key, values) => texts.t(key as string, { ns: name, ...values }) as string,
  }
}

/** The current language, for a component that must follow it. */
export function useLanguage(): Language {
  useTranslation(undefined, { i18n: texts })
  return currentLanguage()
}
