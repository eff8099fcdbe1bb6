/** The texts of the list of breaks. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const breaksTexts = defineTexts('admin-breaks', {
  en: {
    title: 'Breaks',
    text: 'Differences between our books and the providers. Two operators resolve each one.',
    which: 'Which',
    open: 'Not resolved',
    proposed: 'To confirm',
    resolved: 'Resolved',
    what: 'What',
    about: 'About',
    opened: 'Opened',
    state: 'State',
    empty: 'No breaks',
    emptyText: 'Differences found by the comparison appear here.',
  },
  sw: {
    title: 'Tofauti',
    text: 'Pale vitabu vyetu na watoa huduma wasipokubaliana. Wasimamizi wawili hutatua kila moja.',
    which: 'Zipi',
    open: 'Hazijatatuliwa',
    proposed: 'Za kuthibitisha',
    resolved: 'Zilizotatuliwa',
    what: 'Nini',
    about: 'Kuhusu',
    opened: 'Ilifunguliwa',
    state: 'Hali',
    empty: 'Hakuna tofauti',
    emptyText: 'Ulinganisho utakachogundua kitaonekana hapa.',
  },
})
