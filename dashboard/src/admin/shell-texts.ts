/** The texts of the operators' frame. */
import { defineTexts } from '../i18n/define-texts.ts'

export const shellTexts = defineTexts('admin-shell', {
  en: { operators: 'Operators', sections: { home: 'Overview', reviews: 'Reviews' } },
  sw: { operators: 'Wasimamizi', sections: { home: 'Muhtasari', reviews: 'Ukaguzi' } },
})
