/** The language in which dates, amounts and names are written now. It needs no browser: what only formats is tested without one. */
import type { Language } from './translator.ts'

let current: Language = 'sw'

export function currentLanguage(): Language {
  return current
}

export function setCurrentLanguage(language: Language): void {
  current = language
}
