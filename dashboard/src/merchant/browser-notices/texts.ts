/** The texts of the browser's notifications. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const browserNoticeTexts = defineTexts('browser-notices', {
  paid: ['{{amount}} paid', 'Umelipwa {{amount}}'],
  waits: ['Waits for your approval', 'Inasubiri idhini yako'],
  test: ['Test', 'Majaribio'],
  title: ['Notifications in this browser', 'Arifa kwenye kivinjari hiki'],
  label: ['Payments and approvals', 'Malipo na idhini'],
  text: [
    'While the dashboard is open, also in the background: a payment of this wallet was paid, or something waits for your approval.',
    'Dashibodi ikiwa imefunguliwa, hata nyuma ya kurasa nyingine: pochi hii imelipwa, au kuna kinachosubiri idhini yako.',
  ],
  refused: [
    'This browser does not allow it. Allow notifications for this address in the settings of the browser, then try again.',
    'Kivinjari hiki hakijaruhusu. Ruhusu arifa za anwani hii kwenye mipangilio ya kivinjari, kisha jaribu tena.',
  ],
})
