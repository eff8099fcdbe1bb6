/** The texts of the audit log. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const auditTexts = defineTexts('admin-audit', [operatorTexts], {
  title: ['Audit log', 'Kumbukumbu'],
  text: [
    'Who did what, to what, when, and from where. It cannot be changed unnoticed: each entry contains the hash of the previous one.',
    'Nani alifanya nini, kwa nini, lini, na kutoka wapi. Haiwezi kubadilishwa bila kugundulika: kila ingizo lina alama ya lililotangulia.',
  ],
  who: ['Who', 'Nani'],
  what: ['What', 'Nini'],
  target: ['Object', 'Kuhusu'],
  ip: ['IP', 'IP'],
  to: ['To', 'Hadi'],
  filter: ['Show', 'Onyesha'],
  shown: ['Filter: {{what}}', 'Kichujio: {{what}}'],
  everything: ['every entry', 'maingizo yote'],
  clear: ['Show all', 'Onyesha yote'],
  export: ['Export as CSV', 'Hamisha kama CSV'],
  check: ['Check the chain', 'Kagua mnyororo'],
  whole: [
    'The chain is correct: entries {{from}} to {{to}} were recomputed, up to the head {{hash}}.',
    'Mnyororo ni mzima: maingizo {{from}} hadi {{to}} yamekokotolewa upya, hadi mwisho {{hash}}.',
  ],
  broken: ['The chain is broken at entry {{at}}.', 'Mnyororo umekatika kwenye ingizo {{at}}.'],
  change: ['Before and after', 'Kabla na baada'],
  field: ['Field', 'Sehemu'],
  before: ['Before', 'Kabla'],
  after: ['After', 'Baada'],
  nothing: ['no details', 'hakuna maelezo'],
  details: ['Details', 'Maelezo'],
  empty: ['No matching entry', 'Hakuna ingizo la aina hiyo'],
})
