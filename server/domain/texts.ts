/** Texts in both languages: the two stand together, so that one of them cannot be missing. */
import type { PayerLanguage } from './language.ts'

/** A text in both languages. */
export type Pair = readonly [en: string, sw: string]

/** Texts by name, in groups, in lists, or made from values: `(name: string) => ['Hello …', 'Habari …']`. */
export type Texts = Pair | readonly Pair[] | { readonly [name: string]: Texts } | ((...values: never[]) => Texts)

/** The same texts in one language. */
export type InOne<T> = T extends Pair
  ? string
  : T extends readonly Pair[]
    ? string[]
    : T extends (...values: infer Values) => infer Made
      ? (...values: Values) => InOne<Made>
      : { [Name in keyof T]: InOne<T[Name]> }

const isPair = (texts: Texts): texts is Pair => Array.isArray(texts) && texts.length === 2 && typeof texts[0] === 'string'

function inOne(texts: Texts, language: PayerLanguage): unknown {
  if (isPair(texts)) return texts[language === 'en' ? 0 : 1]
  if (Array.isArray(texts)) return texts.map((text: Pair) => inOne(text, language))
  if (typeof texts === 'function') return (...values: never[]) => inOne(texts(...values), language)
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, inOne(text as Texts, language)]))
}

export function byLanguage<const T extends { readonly [name: string]: Texts }>(texts: T): Record<PayerLanguage, InOne<T>> {
  return { sw: inOne(texts, 'sw') as InOne<T>, en: inOne(texts, 'en') as InOne<T> }
}
