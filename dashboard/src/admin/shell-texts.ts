/** The texts of the operators' frame. */
import { defineTexts } from '../i18n/define-texts.ts'

export const shellTexts = defineTexts('admin-shell', {
  en: {
    operators: 'Operators',
    sections: {
      home: 'Overview',
      search: 'Search',
      reviews: 'Reviews',
      stuck: 'Stuck payments',
      support: 'Support cases',
      breaks: 'Breaks',
      reconciliation: 'Reconciliation',
      payouts: 'Payouts',
      switches: 'Switches',
      audit: 'Audit log',
    },
  },
  sw: {
    operators: 'Wasimamizi',
    sections: {
      home: 'Muhtasari',
      search: 'Tafuta',
      reviews: 'Ukaguzi',
      stuck: 'Malipo yaliyokwama',
      support: 'Masuala ya walipaji',
      breaks: 'Tofauti',
      reconciliation: 'Ulinganisho',
      payouts: 'Malipo ya nje',
      switches: 'Swichi',
      audit: 'Kumbukumbu',
    },
  },
})
