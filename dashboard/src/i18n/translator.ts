/**
 * Finds the text of a key in the current language, and fills in its values. Both languages of a text stand together, so one that is
 * missing does not compile. Knows nothing about the browser.
 */
export type Language = 'sw' | 'en'

/** One text, in English and in Swahili. */
export type Pair = readonly [en: string, sw: string]

/** Where the text of a language stands in a pair. */
export const placeOf: Record<Language, 0 | 1> = { en: 0, sw: 1 }

export type Texts = { readonly [key: string]: Pair | Texts }

/** `item_one` and `item_other` are read as `item`, with a `count`. */
type Singular<Key extends string> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key

/** Every key that can be said, as a path: `status.pending`. */
export type KeyOf<Source> = {
  [Key in keyof Source & string]: Source[Key] extends Pair ? Singular<Key> : `${Key}.${KeyOf<Source[Key]>}`
}[keyof Source & string]

export type Values = Record<string, unknown>

const isPair = (found: Pair | Texts | undefined): found is Pair => Array.isArray(found)

/** The texts at a path. A key may contain a dot itself, because the API has such words: `payment.completed`. */
function pairAt(texts: Texts, path: string): Pair | undefined {
  const found = Object.hasOwn(texts, path) ? texts[path] : undefined
  if (isPair(found)) return found
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const part = Object.hasOwn(texts, path.slice(0, dot)) ? texts[path.slice(0, dot)] : undefined
    const pair = part === undefined || isPair(part) ? undefined : pairAt(part, path.slice(dot + 1))
    if (pair !== undefined) return pair
  }
  return undefined
}

/** English and Swahili have the same two forms: exactly one, and all other numbers. */
function formOf(texts: Texts, key: string, count: unknown): Pair | undefined {
  return (typeof count === 'number' ? pairAt(texts, `${key}_${count === 1 ? 'one' : 'other'}`) : undefined) ?? pairAt(texts, key)
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** A sentence in which no line ends within an amount: `TSh 5,000` has a no-break space. */
export const wholeAmounts = (sentence: string): string => sentence.replaceAll(/TSh (?=\d)/g, 'TSh\u00a0')

/** `{{name}}` is replaced by the value of that name, as it is: the screen escapes it. */
function filled(text: string, values: Values): string {
  return wholeAmounts(text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => shown(values[name])))
}

export type Translator = ReturnType<typeof createTranslator>

export function createTranslator(first: Language) {
  let language = first
  const listeners = new Set<() => void>()
  const packs: Record<string, { texts: Texts; others: readonly string[] }> = {}
  const own = (name: string, key: string, values: Values): Pair | undefined =>
    packs[name] && formOf(packs[name].texts, key, values['count'])
  const find = (name: string, key: string, values: Values): Pair | undefined => {
    const found = own(name, key, values)
    if (found) return found
    for (const other of packs[name]?.others ?? []) {
      const pair = find(other, key, values)
      if (pair) return pair
    }
    return undefined
  }
  return {
    get language(): Language {
      return language
    },
    change(to: Language): void {
      language = to
      for (const listener of listeners) listener()
    },
    /** Calls after each change of the language, until the returned function is called. */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Texts that are added under a known name complete those before. What they do not have is looked for under the names in `others`. */
    add(name: string, more: Texts, others: readonly string[] = []): void {
      packs[name] = { texts: { ...packs[name]?.texts, ...more }, others: [...(packs[name]?.others ?? []), ...others] }
    },
    /** Whether there is a text for a word of the API, under this very name. */
    exists: (key: string, { ns }: { ns: string }): boolean => own(ns, key, {}) !== undefined,
    /** The text in the current language; the key itself if it is a word of the API without a text. */
    t(key: string, { ns, ...values }: { ns: string } & Values): string {
      const text = find(ns, key, values)?.[placeOf[language]]
      return text === undefined ? key : filled(text, values)
    },
  }
}
