/** The texts of creating and changing a payment page. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const editorTexts = defineTexts('page-editor', [shared], {
  new: ['New payment page', 'Ukurasa mpya wa malipo'],
  edit: ['Edit the page', 'Hariri ukurasa'],
  back: ['Payment pages', 'Kurasa za malipo'],
  backToPage: ['To the page', 'Rudi kwenye ukurasa'],
  make: ['Create the page', 'Tengeneza ukurasa'],
  save: ['Save changes', 'Hifadhi mabadiliko'],
  made: ['The page is ready. Share its link.', 'Ukurasa uko tayari. Shiriki kiungo chake.'],
  changed: ['The page has been changed.', 'Ukurasa umebadilishwa.'],
  title: ['Title', 'Kichwa'],
  titleText: ['The purpose of the payment.', 'Wateja wako wanalipia nini.'],
  titleExample: ['Purpose of the payment', 'Kinacholipiwa'],
  type: ['Kind', 'Aina'],
  types: {
    payment: ['Payment – any number of times', 'Malipo – mara nyingi'],
    invoice: ['Invoice – paid once', 'Ankara – inalipwa mara moja'],
    donation: ['Donation', 'Mchango wa hiari'],
    event: ['Event – a limited number of places', 'Tukio – nafasi chache'],
    contribution: ['Contribution', 'Mchango'],
  },
  amountKind: ['Amount', 'Kiasi'],
  fixed: ['Fixed', 'Kilichopangwa'],
  custom: ['The payer chooses', 'Mlipaji anachagua'],
  amount: ['Amount to pay', 'Kiasi cha kulipa'],
  suggestion: ['Suggested amount', 'Kiasi kinachopendekezwa'],
  least: ['At least', 'Angalau'],
  most: ['At most', 'Kisichozidi'],
  noLimit: ['No limit', 'Bila kikomo'],
  further: ['More settings', 'Mipangilio zaidi'],
  more: ['Show', 'Onyesha'],
  less: ['Hide', 'Ficha'],
  limit: {
    max_payments: {
      label: ['Number of payments', 'Idadi ya malipo'],
      text: [
        'The page closes after this many payments. If you set it later, payments that have begun are counted only when they are completed.',
        'Ukurasa unafungwa baada ya idadi hii. Ukiiweka baadaye, malipo yaliyoanza yanahesabiwa yakikamilika tu.',
      ],
    },
  },
  endsAt: ['Open until', 'Wazi hadi'],
  endsAtText: ['Time of Dar es Salaam.', 'Saa za Dar es Salaam.'],
  language: ['Language of the page', 'Lugha ya ukurasa'],
  languageAuto: ['The language of the payer’s phone', 'Ya simu ya mlipaji'],
  successMessage: ['Thank-you message', 'Shukrani kwa mlipaji'],
  successMessageText: ['Shown after the payment.', 'Huonyeshwa baada ya malipo.'],
  redirectUrl: ['Redirect to your site', 'Njia ya kurudi kwenye tovuti yako'],
  redirectUrlText: [
    'Payers are redirected there after the payment. Begins with https.',
    'Waliolipa wanapelekwa huko. Inaanza na https.',
  ],
  slug: ['Address', 'Anwani'],
  slugText: [
    'The end of the link. It cannot be changed later; if it is empty, we choose one.',
    'Mwisho wa kiungo. Haiwezi kubadilishwa baadaye; bila hiyo tunaibuni.',
  ],
  preview: ['Preview', 'Hakikisho'],
  previewLanguage: ['Language of the preview', 'Lugha ya hakikisho'],
  previewText: ['Your payers see the page like this.', 'Hivi ndivyo walipaji wako wanavyoona.'],
  problem: {
    other: ['This is not accepted.', 'Hii haikubaliki ilivyo.'],
    title: ['Describe the purpose in a few words.', 'Eleza kwa maneno machache kinacholipiwa.'],
    amount_required: ['Give an amount, or let the payer choose it.', 'Weka kiasi, au mwache mlipaji achague.'],
    amount_too_small: [
      'Too small: the minimum is TSh 500, or the minimum that you have set.',
      'Ni kidogo mno: angalau TSh 500, au kima cha chini ulichoweka.',
    ],
    amount_too_large: [
      'Too large: the maximum is TSh 10,000,000, or the maximum that you have set.',
      'Ni kikubwa mno: kisichozidi TSh 10,000,000, au kima cha juu ulichoweka.',
    ],
    max_amount: ['It must be between the minimum and TSh 10,000,000.', 'Lazima kiwe kati ya kima cha chini na TSh 10,000,000.'],
    max_payments_invalid: [
      'An invoice is paid once; an event has a limited number of places.',
      'Ankara inalipwa mara moja; tukio lina nafasi chache.',
    ],
    slug_taken: ['This address is already in use. Choose another one.', 'Anwani hii ina mwenyewe tayari. Chagua nyingine.'],
    slug: [
      'Use 3 to 60 characters: a–z, 0–9 and hyphens; no hyphen at the start or end.',
      'Tumia herufi a–z, namba 0–9 na vistari, 3 hadi 60; kistari si mwanzoni wala mwishoni.',
    ],
    redirect_url: ['A complete address that begins with https://.', 'Anwani kamili inayoanza na https://.'],
  },
})
