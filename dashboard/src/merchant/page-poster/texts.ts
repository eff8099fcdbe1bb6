/** The texts around the poster; those on it are for payers, in both languages. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const posterTexts = defineTexts('page-poster', {
  title: ['Poster', 'Bango'],
  back: ['To the page', 'Rudi kwenye ukurasa'],
  print: ['Print', 'Chapisha'],
  code: ['QR code of the page', 'Msimbo wa QR wa ukurasa'],
})
