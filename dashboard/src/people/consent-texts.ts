/** The sentences beside forms that ask for personal data. */
import { defineTexts } from '../i18n/define-texts.ts'

export const consentTexts = defineTexts('consent', {
  en: {
    register: 'By registering you agree that we use these data to keep your account.',
    identify: 'By sending this you agree that we check it and keep it for as long as the law wants.',
    notice: 'How we treat your data',
  },
  sw: {
    register: 'Kwa kujisajili unakubali tutumie taarifa hizi kutunza akaunti yako.',
    identify: 'Kwa kutuma unakubali tuzikague na kuzitunza kwa muda ambao sheria inataka.',
    notice: 'Tunavyotunza taarifa zako',
  },
})
