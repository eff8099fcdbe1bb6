/** The texts of the operators' search. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { numberNames } from '../../ui/number-names.ts'
import { operatorTexts } from '../operator-texts.ts'

export const searchTexts = defineTexts('admin-search', [operatorTexts], {
  title: ['Search', 'Tafuta'],
  label: ['A name, a number, a reference, or a whole SMS', 'Jina, namba, kumbukumbu namba, au SMS nzima'],
  hint: [
    'A phone number, an e-mail address, a merchant, a payer, an SMS or the number in it, a payment’s code or reference, a payout, a refund, a page, a support case. Type how a name begins.',
    'Namba ya simu, barua pepe, mfanyabiashara, mlipaji, SMS au namba yake, msimbo au kumbukumbu ya malipo, malipo ya nje, urejeshaji, ukurasa, suala la mlipaji. Andika mwanzo wa jina.',
  ],
  understood: ['Understood as: {{what}}.', 'Imeeleweka kama: {{what}}.'],
  maybe: ['Nothing found. Searched as: {{what}}.', 'Hakuna kilichopatikana. Imetafutwa kama: {{what}}.'],
  message: ['Read in the message', 'Kilichosomwa kwenye ujumbe'],
  networkReceipt: numberNames.networkReceipt,
  foundBy: ['Found by', 'Imepatikana kwa'],
  way: {
    id: ['ID', 'kitambulisho'],
    phone_number: ['phone number', 'namba ya simu'],
    network_receipt: ['network receipt number', 'namba ya risiti ya mtandao'],
    reported_number: ['SMS number that a payer gave', 'namba ya SMS aliyotoa mlipaji'],
    short_code: ['payment code', 'msimbo wa malipo'],
    provider_reference: ['provider reference', 'namba ya mtoa huduma'],
    merchant_reference: ['merchant’s order number', 'namba ya oda ya mfanyabiashara'],
    page_address: ['page address', 'anwani ya ukurasa'],
    payer_name: ['payer’s name', 'jina la mlipaji'],
    merchant: ['name, e-mail or registration number', 'jina, barua pepe au namba ya usajili'],
  },
  find: ['Find', 'Tafuta'],
  what: ['What', 'Nini'],
  kind: {
    person: ['Person', 'Mtu'],
    business: ['Business', 'Biashara'],
    payment: ['Payment', 'Malipo'],
    payout: ['Payout', 'Malipo ya nje'],
    payment_page: ['Payment page', 'Ukurasa wa malipo'],
    support_case: ['Support case', 'Suala la mlipaji'],
  },
  status: {
    suspended: ['Suspended', 'Imesimamishwa'],
    asking: ['Being asked', 'Linaulizwa'],
    answered: ['Answered', 'Limejibiwa'],
    with_operators: ['Waiting for an operator', 'Linasubiri msimamizi'],
    closed: ['Closed', 'Limefungwa'],
  },
  whose: ['Owner', 'Ya nani'],
  empty: ['Nothing found', 'Hakuna kilichopatikana'],
  emptyText: [
    'Try a part of the name, the whole number, or the whole reference.',
    'Jaribu sehemu ya jina, namba nzima, au kumbukumbu nzima.',
  ],
})
