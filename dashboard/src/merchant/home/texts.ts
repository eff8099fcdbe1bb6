/** The texts of the home screen. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { homeWords } from '../first-look/words.ts'
import { shared } from '../../ui/texts.ts'
import { roleTexts } from '../roles.ts'

export const homeTexts = defineTexts('home', [shared, roleTexts], {
  ...homeWords,
  reserved: ['{{amount}} more is being paid out', '{{amount}} nyingine inatoka'],
  last30: ['Last 30 days', 'Siku 30 zilizopita'],
  success: ['Success rate', 'Malipo yanayofanikiwa'],
  payments_one: ['{{count}} payment', 'malipo {{count}}'],
  payments_other: ['{{count}} payments', 'malipo {{count}}'],
  before_one: ['The day before: {{figure}}', 'Siku iliyotangulia: {{figure}}'],
  before_other: ['The {{count}} days before: {{figure}}', 'Siku {{count}} kabla: {{figure}}'],
  days: ['{{from}} – {{to}}', '{{from}} – {{to}}'],
  notRated: ['Not counted for more than 92 days', 'Haihesabiwi kwa zaidi ya siku 92'],
  yesterday: ['Yesterday: {{figure}}', 'Jana: {{figure}}'],
  noneEnded: ['None has ended yet', 'Hakuna yaliyoisha bado'],
  up: ['up by {{percent}}', 'imepanda kwa {{percent}}'],
  down: ['down by {{percent}}', 'imeshuka kwa {{percent}}'],
  volumeByDay: ['Received by day', 'Kilichopokelewa kwa siku'],
  role: ['In {{business}} you are: {{role}}', 'Kwenye {{business}} wewe ni: {{role}}'],
  makeRequest: ['Make a payment request', 'Tengeneza ombi la malipo'],
  toTill: ['Open the till', 'Fungua kaunta'],
  toDevelopers: ['Apps and keys', 'Programu na funguo'],
  status: ['Status', 'Hali'],
  noPaymentsText: ['New payments appear here at once.', 'Wateja wanapolipa, malipo yanaonekana hapa mara moja.'],
  sandbox: {
    title: ['Your sandbox is ready', 'Mazingira yako ya majaribio yako tayari'],
    text: [
      'You have a test page and a test key. No real money moves, and neither needs a verification.',
      'Una ukurasa wa majaribio na ufunguo wa majaribio. Hakuna pesa halisi inayohama, na havihitaji uthibitisho.',
    ],
    tryIt: ['Try a payment now', 'Jaribu malipo sasa'],
    documents: ['Continue with the documents', 'Endelea na nyaraka'],
    page: ['Test page', 'Ukurasa wa majaribio'],
    payer: [
      'It takes any amount from TSh 500. The number 0754 000 789 pays by itself.',
      'Unapokea kiasi chochote kuanzia TSh 500. Namba 0754 000 789 inalipa yenyewe.',
    ],
    key: ['Test key', 'Ufunguo wa majaribio'],
    quickStart: ['Open the quick start with this key', 'Fungua mwanzo wa haraka pamoja na ufunguo huu'],
  },
  first: {
    progress: ['First steps: {{done}} of {{all}} done', 'Hatua za kwanza: {{done}} kati ya {{all}}'],
    testPayment: ['Make a test payment', 'Fanya malipo ya majaribio'],
    keyUsed: ['Use your API key', 'Tumia ufunguo wako wa API'],
    livePayment: ['Take a live payment', 'Pokea malipo halisi'],
  },
  toDo: ['To do', 'Ya kufanya'],
  allSteps: ['Show all {{count}}', 'Onyesha zote {{count}}'],
  steps: {
    approval: ['1 request waits for your approval', 'Ombi 1 linasubiri idhini yako'],
    approvals: ['{{count}} requests wait for your approval', 'Maombi {{count}} yanasubiri idhini yako'],
    approvalsText: ['{{amount}} in total.', 'Jumla {{amount}}.'],
    email: ['Confirm your e-mail address', 'Thibitisha barua pepe yako'],
    emailText: [
      'Enter the code from the mail, or have another one sent.',
      'Andika msimbo uliotumwa kwa barua pepe, au uombe mwingine.',
    ],
    identity: ['Verify your identity', 'Onyesha wewe ni nani'],
    identityText: [
      'Live payments and payouts need a verified identity.',
      'Malipo halisi na kutoa pesa vinahitaji utambulisho uliothibitishwa.',
    ],
    identityAgain: ['Your identity documents were not accepted', 'Nyaraka zako za utambulisho hazikukubaliwa'],
    identityAgainText: ['See the reason, and send them again.', 'Angalia sababu, kisha uzitume tena.'],
    identityWaits: ['We are reviewing your identity documents', 'Tunakagua nyaraka zako za utambulisho'],
    business: ['Submit the documents of the business', 'Wasilisha nyaraka za biashara'],
    businessText: [
      'Live payments and payouts of the business need them.',
      'Malipo halisi na kutoa pesa za biashara vinazihitaji.',
    ],
    businessAgain: ['The documents of the business were not accepted', 'Nyaraka za biashara hazikukubaliwa'],
    businessWaits: ['We are reviewing the documents of the business', 'Tunakagua nyaraka za biashara'],
    waitsText: ['We send you the result by mail.', 'Tutakuarifu kwa barua pepe.'],
    page: ['Create your first payment page', 'Tengeneza ukurasa wako wa kwanza wa malipo'],
    pageText: [
      'A link and a QR code for your customers’ payments.',
      'Kiungo na msimbo wa QR ambao wateja wako wanaweza kulipia.',
    ],
    webhook: ['Notify your server of payments', 'Iwezeshe seva yako kujua malipo'],
    webhookText: ['Add a webhook to one of your apps.', 'Weka webhook kwenye mojawapo ya programu zako.'],
    failing_one: ['A webhook does not answer', 'Webhook moja haijibu'],
    failing_other: ['{{count}} webhooks do not answer', 'Webhook {{count}} hazijibu'],
    failingText: [
      'The last attempt failed. We try each event five times.',
      'Jaribio la mwisho limeshindikana. Tunajaribu kila tukio mara tano.',
    ],
    disabled_one: ['We have switched off a webhook', 'Tumezima webhook moja'],
    disabled_other: ['We have switched off {{count}} webhooks', 'Tumezima webhook {{count}}'],
    disabledText: [
      'Deliveries failed for too long. Save the address again to switch it on.',
      'Hakuna kilichofika huko kwa muda mrefu. Hifadhi anwani tena ili kuiwasha.',
    ],
  },
})
