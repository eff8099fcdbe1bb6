/** The language of the page, set before anything is drawn: Swahili, unless English was chosen or the browser prefers it. */
import { setCurrentLanguage } from './current-language.ts'
import type { Language } from './translator.ts'

const storageKey = 'malipo-language'

function chooseLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'sw' || chosen === 'en') return chosen
  return navigator.language.startsWith('en') ? 'en' : 'sw'
}

function showPageIn(language: Language): void {
  document.documentElement.lang = language
  setCurrentLanguage(language)
}

export const firstLanguage = chooseLanguage()

showPageIn(firstLanguage)

export function changePageLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  showPageIn(language)
}
