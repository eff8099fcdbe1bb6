/** The texts of the operators' frame. */
import { defineTexts } from '../i18n/define-texts.ts'

export const shellTexts = defineTexts('admin-shell', {
  operators: ['Operators', 'Wasimamizi'],
  sections: {
    home: ['Overview', 'Muhtasari'],
    search: ['Search', 'Tafuta'],
    reviews: ['Reviews', 'Ukaguzi'],
    stuck: ['Stuck payments', 'Malipo yaliyokwama'],
    support: ['Support cases', 'Masuala ya walipaji'],
    breaks: ['Breaks', 'Tofauti'],
    reconciliation: ['Reconciliation', 'Ulinganisho'],
    payouts: ['Payouts', 'Malipo ya nje'],
    switches: ['Switches', 'Swichi'],
    audit: ['Audit log', 'Kumbukumbu'],
  },
})
