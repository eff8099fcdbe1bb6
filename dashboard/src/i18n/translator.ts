/**
 * Finds the text of a key in the current language, and fills in its values. Invariant: both languages have the same keys, because a
 * missing one does not compile. Knows nothing about the browser.
 */
export type Language = 'sw' | 'en'

export type Texts = { readonly [key: string]: string | Texts }

/** The same keys with other texts. */
export type Translated<Source> = { [Key in keyof Source]: Source[Key] extends string ? string : Translated<Source[Key]> }

/** `item_one` and `item_other` are read as `item`, with a `count`. */
type Singular<Key extends string> = Key extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : Key

/** Every key that can be said, as a path: `status.pending`. */
export type KeyOf<Source> = {
  [Key in keyof Source & string]: Source[Key] extends string ? Singular<Key> : `${Key}.${KeyOf<Source[Key]>}`
}[keyof Source & string]

export type Values = Record<string, unknown>

/** The text at a path. A key may contain a dot itself, because the API has such words: `payment.completed`. */
function textAt(texts: Texts, path: string): string | undefined {
  const found = Object.hasOwn(texts, path) ? texts[path] : undefined
  if (typeof found === 'string') return found
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    const part = Object.hasOwn(texts, path.slice(0, dot)) ? texts[path.slice(0, dot)] : undefined
    const text = typeof part === 'object' ? textAt(part, path.slice(dot + 1)) : undefined
    if (text !== undefined) return text
  }
  return undefined
}

/** English and Swahili have the same two forms: exactly one, and all other numbers. */
function formOf(texts: Texts, key: string, count: unknown): string | undefined {
  return (typeof count === 'number' ? textAt(texts, `${key}_${count === 1 ? 'one' : 'other'}`) : undefined) ?? textAt(texts, key)
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** `{{name}}` is replaced by the value of that name, as it is: the screen escapes it. */
function filled(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => shown(values[name]))
}

export type Translator = ReturnType<typeof createTranslator>

export function createTranslator(first: Language) {
  let language = first
  const listeners = new Set<() => void>()
  /** By language and name. */
  const packs: Record<Language, Record<string, Texts>> = { en: {}, sw: {} }
  const find = (name: string, key: string, values: Values): string | undefined => {
    const texts = packs[language][name]
    return texts && formOf(texts, key, values['count'])
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
    /** Texts that are added under a known name complete those before. */
    add<const Source extends Texts>(name: string, both: { en: Source; sw: Translated<Source> }): void {
      packs.en[name] = { ...packs.en[name], ...both.en }
      packs.sw[name] = { ...packs.sw[name], ...(both.sw as Texts) }
    },
    /** Whether there is a text for a word of the API. */
    exists: (key: string, { ns }: { ns: string }): boolean => find(ns, key, {}) !== undefined,
    /** The text in the current language; the key itself if it is a word of the API without a text. */
    t(key: string, { ns, ...values }: { ns: string } & Values): string {
      const text = find(ns, key, values)
      return text === undefined ? key : filled(text, values)
    },
  }
}
