/** The texts of the list of payouts. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const payoutsTexts = defineTexts('payouts', {
  en: {
    title: 'Payouts',
    available: 'Available for payouts',
    reserved: 'Being paid out',
    receivable: 'Owed: repaid from the next payments; payouts are on hold until then',
    sent: 'Sent payouts',
    payOut: 'Pay out',
    recipient: 'Recipient',
    amount: 'Amount',
    fee: 'Fee',
    status: 'Status',
    anyStatus: 'Any status',
    when: 'When',
    none: 'No payouts yet',
    noneText: 'Send your money to your phone, or pay someone.',
    noneSuch: 'No such payouts',
  },
  sw: {
    title: 'Kutuma pesa',
    available: 'Unaweza kutuma',
    reserved: 'Inatoka',
    receivable: 'Deni: malipo yajayo yatalilipa kwanza, na kutuma pesa kumesimama hadi hapo',
    sent: 'Zilizotumwa',
    payOut: 'Tuma pesa',
    recipient: 'Mpokeaji',
    amount: 'Kiasi',
    fee: 'Makato',
    status: 'Hali',
    anyStatus: 'Hali yoyote',
    when: 'Lini',
    none: 'Hakuna pesa iliyotumwa bado',
    noneText: 'Tuma ulichopata kwenye simu yako, au mlipe mtu.',
    noneSuch: 'Hakuna zenye hali hii',
  },
})
