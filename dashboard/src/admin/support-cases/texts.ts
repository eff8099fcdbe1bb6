/** The texts of support cases, for the queue and for one case. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const caseTexts = defineTexts('admin-support-cases', [operatorTexts], {
  title: ['Support cases', 'Masuala ya walipaji'],
  one: ['Support case', 'Suala la mlipaji'],
  text: [
    'Payers who say that money was taken. The machine has answered what it can prove; the rest waits for you.',
    'Walipaji wanaosema pesa imekatwa. Mashine imejibu inachoweza kuthibitisha; mengine yanakusubiri.',
  ],
  state: {
    with_operators: ['Waiting', 'Linasubiri'],
    open: ['New', 'Jipya'],
    asking: ['Being asked', 'Linaulizwa'],
    answered: ['Answered', 'Limejibiwa'],
    closed: ['Closed', 'Limefungwa'],
  },
  number: ['Number in the SMS', 'Namba kwenye SMS'],
  alike: ['{{count}} reports without proof', 'Ripoti {{count}} bila uthibitisho'],
  reason: {
    still_open: ['The provider says: not ended', 'Mtoa huduma: hayajaisha'],
    not_found: ['The provider does not find it', 'Mtoa huduma hayaoni'],
    not_proven: ['The answer is no proof', 'Jibu si uthibitisho'],
    no_answer: ['The provider does not answer', 'Mtoa huduma hajibu'],
    money_held: ['Other amount, held', 'Kiasi tofauti, kimezuiwa'],
    number_differs: ['Paid, with another number', 'Yamelipwa, kwa namba nyingine'],
    number_of_another: ['Number of another payment', 'Namba ya malipo mengine'],
    payer_disagrees: ['The payer disagrees', 'Mlipaji hakubali'],
  },
  because: ['Why', 'Kwa nini'],
  waits: ['Waiting for', 'Limesubiri'],
  opened: ['Reported', 'Liliripotiwa'],
  empty: ['No cases', 'Hakuna masuala'],
  emptyText: [
    'Reports of payers that the machine cannot answer appear here.',
    'Ripoti za walipaji ambazo mashine haiwezi kujibu zitaonekana hapa.',
  ],
  finding: ['Proven', 'Kilichothibitishwa'],
  findings: {
    received: ['The payment was received', 'Malipo yamepokelewa'],
    no_money: ['No money was taken', 'Hakuna pesa iliyokatwa'],
    none: ['Nothing is proven yet', 'Bado hakuna kilichothibitishwa'],
  },
  belongs: [
    'This number belongs to another payment: {{reference}}. Do not tell the payer of this case.',
    'Namba hii ni ya malipo mengine: {{reference}}. Usimwambie mlipaji wa suala hili.',
  ],
  claim: ['What the payer says', 'Anachosema mlipaji'],
  phone: ['Paid from', 'Amelipa kutoka'],
  time: ['When', 'Lini'],
  words: ['In their words', 'Kwa maneno yake'],
  mail: ['Answer by mail', 'Jibu kwa barua pepe'],
  yes: ['yes', 'ndiyo'],
  no: ['no', 'hapana'],
  answers: ['What the provider answered', 'Alichojibu mtoa huduma'],
  answer: {
    found: ['found', 'yameonekana'],
    not_found: ['not found', 'hayakuonekana'],
    indeterminate: ['no answer', 'hakuna jibu'],
    not_asked: ['not asked: our books were enough', 'hakuulizwa: vitabu vyetu vilitosha'],
  },
  none: ['It was not asked yet.', 'Bado hajaulizwa.'],
  decide: ['Decide', 'Amua'],
  decision: {
    received: ['The payment was received', 'Malipo yamepokelewa'],
    no_money: ['No money was taken', 'Hakuna pesa iliyokatwa'],
    other: ['Other answer, in the message', 'Jibu lingine, kwenye ujumbe'],
  },
  decided: ['Decision', 'Uamuzi'],
  note: ['Evidence', 'Ushahidi'],
  noteHint: [
    'The provider’s letter, statement or ticket. Only operators read it.',
    'Barua ya mtoa huduma, taarifa au tiketi yake. Wasimamizi pekee wanausoma.',
  ],
  message: ['Message to the payer', 'Ujumbe kwa mlipaji'],
  messageHint: [
    'In the payer’s language. Write nothing about other payments.',
    'Kwa lugha ya mlipaji. Usiandike chochote kuhusu malipo mengine.',
  ],
  close: ['Close the case', 'Funga suala'],
  done: ['The case is closed, and the payer sees the answer.', 'Suala limefungwa, na mlipaji anaona jibu.'],
  by: ['Decided by', 'Imeamuliwa na'],
})
