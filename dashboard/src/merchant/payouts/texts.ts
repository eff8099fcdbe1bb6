/** The texts of the list of payouts. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const payoutsTexts = defineTexts('payouts', [shared], {
  title: ['Payouts', 'Kutuma pesa'],
  available: ['Available for payouts', 'Unaweza kutuma'],
  reserved: ['Being paid out', 'Inatoka'],
  receivable: [
    'Owed: repaid from the next payments; payouts are on hold until then',
    'Deni: malipo yajayo yatalilipa kwanza, na kutuma pesa kumesimama hadi hapo',
  ],
  onHold: ['Payouts are on hold', 'Kutuma pesa kumesimamishwa'],
  onHoldBecause: {
    books_under_review: [
      'Our operators are checking the account. Contact support.',
      'Wasimamizi wetu wanaikagua akaunti. Wasiliana na msaada.',
    ],
    payout_under_review: [
      'The provider sent contradictory answers about an earlier payout. Payouts continue when this is resolved.',
      'Mtoa huduma anajipinga kuhusu pesa zilizotumwa awali. Kutuma pesa kutaendelea hilo likimalizika.',
    ],
    amount_owed: [
      'The account owes money: the next payments repay it, then payouts continue.',
      'Akaunti ina deni: malipo yajayo yatalilipa, kisha kutuma pesa kutaendelea.',
    ],
  },
  sent: ['Sent payouts', 'Zilizotumwa'],
  payOut: ['Pay out', 'Tuma pesa'],
  recipient: ['Recipient', 'Mpokeaji'],
  status: ['Status', 'Hali'],
  none: ['No payouts yet', 'Hakuna pesa iliyotumwa bado'],
  noneText: ['Send your money to your phone, or pay someone.', 'Tuma ulichopata kwenye simu yako, au mlipe mtu.'],
  export: ['Export CSV', 'Pakua CSV'],
  filter: ['Filter the payouts', 'Chuja pesa zilizotumwa'],
  search: ['Name, phone number or reference', 'Jina, simu au kumbukumbu namba'],
  noneFound: ['No matching payout', 'Hakuna pesa iliyotumwa inayolingana'],
  noneFoundText: ['Remove a filter, or search for less.', 'Ondoa kichujio, au tafuta kwa maneno machache.'],
  noneYet: ['No match among the newest', 'Hakuna inayolingana kati ya mpya zaidi'],
  noneYetText: ['100,000 payouts have been searched. There are older ones.', 'Zimetafutwa 100,000. Kuna za zamani zaidi.'],
  lookOn: ['Search older payouts', 'Tafuta za zamani zaidi'],
  waits: {
    members: ['Waits for the approval of members', 'Inasubiri idhini ya wanachama'],
    operators: ['Waits for the approval of Malipo', 'Inasubiri idhini ya Malipo'],
  },
})
