/** The texts of the dashboards in the language of the page. */
import { changePageLanguage, firstLanguage } from './page-language.ts'
import { createTranslator, type Language, type Translator } from './translator.ts'

export type { Language } from './translator.ts'

export const texts: Translator = createTranslator(firstLanguage)

export function changeLanguage(language: Language): void {
  changePageLanguage(language)
  texts.change(language)
}
