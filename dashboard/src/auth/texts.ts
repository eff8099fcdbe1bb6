/** The texts of sign-in, registration and mailed codes. */
import { defineTexts } from '../i18n/define-texts.ts'
import { signInWords } from './sign-in-words.ts'

export const people = defineTexts('people', {
  ...signInWords,
  operators: ['Operators', 'Wasimamizi'],
  signInAdmin: ['For operators of the service.', 'Kwa wasimamizi wa huduma.'],
  ended: ['Your session has ended. Sign in to continue.', 'Kikao chako kimeisha. Ingia ili kuendelea ulipokuwa.'],
  newPassword: ['New password', 'Nenosiri jipya'],
  passwordHint: ['12 characters or more. A sentence is good.', 'Herufi 12 au zaidi. Sentensi ni nzuri.'],
  hasAccount: ['Have an account?', 'Una akaunti?'],
  codeTitle: ['Second factor', 'Hatua yako ya pili'],
  codeText: [
    'Open your authenticator app and type the six digits, or paste them.',
    'Fungua programu yako ya uthibitisho na uandike tarakimu sita, au uzibandike.',
  ],
  code: ['Code', 'Msimbo'],
  recoveryText: [
    'Type one of the recovery codes that you kept. Each works once.',
    'Andika mmoja wa misimbo ya akiba uliyotunza. Kila mmoja hutumika mara moja.',
  ],
  recoveryCode: ['Recovery code', 'Msimbo wa akiba'],
  useRecovery: ['Use a recovery code', 'Tumia msimbo wa akiba'],
  useApp: ['Use the app', 'Tumia programu'],
  startAgain: ['Start again', 'Anza upya'],
  fullName: ['Full name', 'Jina kamili'],
  fullNameHint: ['As on your identity card.', 'Kama lilivyo kwenye kitambulisho chako.'],
  email: ['E-mail address', 'Barua pepe'],
  phone: ['Phone number', 'Namba ya simu'],
  studentId: ['Student number', 'Namba ya mwanafunzi'],
  institution: ['University or college', 'Chuo'],
  registerTitle: ['Take payments by mobile money', 'Pokea malipo kwa simu'],
  registerText: [
    'Free to open. You can try everything in the test environment at once.',
    'Kufungua ni bure. Unaweza kujaribu kila kitu mara moja kwenye mazingira ya majaribio.',
  ],
  whoAreYou: ['Who are you?', 'Wewe ni nani?'],
  who: {
    student: ['A student', 'Mwanafunzi'],
    representative: ['I represent a business', 'Ninawakilisha biashara'],
    invited: ['I was invited to a business', 'Nimealikwa kwenye biashara'],
  },
  whoHint: {
    student: ['You take payments for yourself.', 'Unapokea malipo yako mwenyewe.'],
    representative: [
      'Your own account first, then the business. You give your student number with the business.',
      'Kwanza akaunti yako, kisha biashara. Namba yako ya mwanafunzi utaitoa pamoja na biashara.',
    ],
    invited: ['You work in the business of others.', 'Unafanya kazi kwenye biashara ya wengine.'],
  },
  openInvitation: [
    'Open the link in the mail of your invitation, in this browser. It brings you here, and the account needs no student number. Without the mail, ask the business to invite you again.',
    'Fungua kiungo kilicho kwenye barua pepe ya mwaliko wako, kwenye kivinjari hiki. Kitakuleta hapa, na akaunti haihitaji namba ya mwanafunzi. Kama huna barua hiyo, omba biashara ikualike tena.',
  ],
  registerInvitedTitle: ['Register', 'Jisajili'],
  registerInvited: [
    'Your own account, to work in {{business}}. Then you accept the invitation.',
    'Akaunti yako mwenyewe, ya kufanya kazi kwenye {{business}}. Kisha utakubali mwaliko.',
  ],
  forgotTitle: ['Reset your password', 'Badilisha nenosiri lako'],
  forgotText: [
    'We mail a code to your address. It works for 30 minutes.',
    'Tunatuma msimbo kwenye barua pepe yako. Unafanya kazi kwa dakika 30.',
  ],
  sendCode: ['Send the code', 'Tuma msimbo'],
  codeSent: [
    'If there is an account with this address, we have sent a code to it.',
    'Kama kuna akaunti yenye barua pepe hii, msimbo unatumwa kwake.',
  ],
  mailedCode: ['Code from the mail', 'Msimbo uliotumwa'],
  resetText: [
    'Enter the six digits from the mail and choose a new password. You are signed out everywhere.',
    'Andika tarakimu sita zilizotumwa kwa barua pepe na uchague nenosiri jipya. Utaondolewa kwenye vifaa vyote.',
  ],
  setPassword: ['Set the new password', 'Weka nenosiri jipya'],
  passwordSet: ['Your new password is set. Sign in with it.', 'Nenosiri lako jipya limewekwa. Ingia nalo.'],
  verifyTitle: ['Confirm your e-mail address', 'Thibitisha barua pepe yako'],
  verifyText: [
    'We mailed six digits to {{email}}. Enter them here within 30 minutes.',
    'Tumetuma tarakimu sita kwa {{email}}. Ziandike hapa ndani ya dakika 30.',
  ],
  verify: ['Confirm', 'Thibitisha'],
  sendAgain: ['Send another code', 'Tuma msimbo mwingine'],
  sentAgain: ['We have sent another code.', 'Msimbo mwingine unatumwa.'],
  later: ['Later', 'Baadaye'],
  back: ['Back to sign-in', 'Rudi kwenye kuingia'],
})
