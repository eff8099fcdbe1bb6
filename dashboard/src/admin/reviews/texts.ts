/** The texts of the queue of reviews. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const reviewsTexts = defineTexts('admin-reviews', [operatorTexts], {
  title: ['Reviews', 'Ukaguzi'],
  text: [
    'People and businesses who want to be verified, oldest first.',
    'Watu na biashara wanaotaka kuthibitishwa, wa zamani kwanza.',
  ],
  status: ['Which cases', 'Kesi zipi'],
  waiting: ['Waiting', 'Zinazosubiri'],
  verified: ['Verified', 'Zilizothibitishwa'],
  rejected: ['Rejected', 'Zilizokataliwa'],
  kind: ['Kind', 'Aina'],
  claimed: ['Assigned to', 'Ziko kwa nani'],
  anybody: ['All', 'Yeyote'],
  mine: ['Me', 'Zangu'],
  nobody: ['No one', 'Hakuna mtu'],
  submitted: ['Submitted', 'Iliwasilishwa'],
  age: ['Waiting for', 'Muda wa kusubiri'],
  onlyOverdue: ['Only overdue', 'Zilizochelewa tu'],
  reviewer: ['Reviewer', 'Iko kwa'],
  selfReview: ['Your own', 'Ni yako'],
  take: ['Take', 'Chukua'],
  empty: ['Nothing is waiting', 'Hakuna kinachosubiri'],
  emptyText: [
    'All cases are decided. New cases appear here automatically.',
    'Zote zimeamuliwa. Kesi mpya zitaonekana hapa zenyewe.',
  ],
  noneSuch: ['No matching case', 'Hakuna kesi ya aina hiyo'],
  of: {
    person: {
      waiting: ['People waiting', 'Watu wanaosubiri'],
      oldest: ['The oldest: ', 'Aliyesubiri zaidi: '],
      late: ['{{overdue}} overdue', 'Waliochelewa: {{overdue}}'],
      count: ['{{claimed}} assigned · {{overdue}} overdue', 'Waliochukuliwa: {{claimed}} · waliochelewa: {{overdue}}'],
      decided: ['{{verified}} verified · {{rejected}} rejected', 'Waliothibitishwa: {{verified}} · waliokataliwa: {{rejected}}'],
    },
    business: {
      waiting: ['Businesses waiting', 'Biashara zinazosubiri'],
      oldest: ['The oldest: ', 'Iliyosubiri zaidi: '],
      late: ['{{overdue}} overdue', 'Zilizochelewa: {{overdue}}'],
      count: ['{{claimed}} assigned · {{overdue}} overdue', 'Zilizochukuliwa: {{claimed}} · zilizochelewa: {{overdue}}'],
      decided: [
        '{{verified}} verified · {{rejected}} rejected',
        'Zilizothibitishwa: {{verified}} · zilizokataliwa: {{rejected}}',
      ],
    },
  },
  keys: ['Keys: j and k move, Enter opens, t takes', 'Vitufe: j na k husogeza, Enter hufungua, t huchukua'],
})
