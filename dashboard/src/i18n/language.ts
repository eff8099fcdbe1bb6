/** The language of the dashboards: Swahili by default, English by choice or if the browser prefers it. */
import { setCurrentLanguage } from './current-language.ts'
import { createTranslator, type Language, type Translator } from './translator.ts'

export type { Language } from './translator.ts'

const storageKey = 'malipo-language'

function firstLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'sw' || chosen === 'en') return chosen
  return navigator.language.startsWith('en') ? 'en' : 'sw'
}

function setPageLanguage(language: Language): void {
  document.documentElement.lang = language
  setCurrentLanguage(language)
}

export const texts: Translator = createTranslator(firstLanguage())

setPageLanguage(texts.language)

export function changeLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  setPageLanguage(language)
  texts.change(language)
}
