/** The texts of the list of breaks. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const breaksTexts = defineTexts('admin-breaks', [operatorTexts], {
  title: ['Breaks', 'Tofauti'],
  text: [
    'Differences between our books and the providers. Two operators resolve each one.',
    'Pale vitabu vyetu na watoa huduma wasipokubaliana. Wasimamizi wawili hutatua kila moja.',
  ],
  which: ['Which', 'Zipi'],
  open: ['Not resolved', 'Hazijatatuliwa'],
  proposed: ['To confirm', 'Za kuthibitisha'],
  resolved: ['Resolved', 'Zilizotatuliwa'],
  what: ['What', 'Nini'],
  about: ['About', 'Kuhusu'],
  opened: ['Opened', 'Ilifunguliwa'],
  empty: ['No breaks', 'Hakuna tofauti'],
  emptyText: ['Differences found by the comparison appear here.', 'Ulinganisho utakachogundua kitaonekana hapa.'],
})
