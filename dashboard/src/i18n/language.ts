/** The language of the dashboards: Swahili by default, English by choice or if the browser prefers it. */
import i18next, { type i18n } from 'i18next'
import { initReactI18next } from 'react-i18next'

export type Language = 'sw' | 'en'

const storageKey = 'malipo-language'

function firstLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'sw' || chosen === 'en') return chosen
  return navigator.language.startsWith('en') ? 'en' : 'sw'
}

function setPageLanguage(language: Language): void {
  document.documentElement.lang = language
}

export const texts: i18n = i18next.createInstance()

const first = firstLanguage()

void texts.use(initReactI18next).init({
  lng: first,
  fallbackLng: false,
  // A screen loads its texts with its code.
  resources: {},
  initAsync: false,
  // A key may be a word of the API, such as `pages:read`.
  nsSeparator: false,
  interpolation: { escapeValue: false },
  react: { useSuspense: false, bindI18nStore: 'added' },
})
setPageLanguage(first)

export function changeLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  setPageLanguage(language)
  void texts.changeLanguage(language)
}

export function currentLanguage(): Language {
  return texts.language as Language
}
