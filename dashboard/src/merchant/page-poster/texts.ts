/** The texts around the poster; those on it are for payers, in both languages. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const posterTexts = defineTexts('page-poster', {
  en: { title: 'Poster', back: 'To the page', print: 'Print', code: 'QR code of the page' },
  sw: { title: 'Bango', back: 'Rudi kwenye ukurasa', print: 'Chapisha', code: 'Msimbo wa QR wa ukurasa' },
})
