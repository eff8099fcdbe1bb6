/** The texts of the pictures for decisions. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const patternTexts = defineTexts('home-patterns', [shared], {
  hours: ['When customers pay', 'Wateja hulipa lini'],
  hoursOf: ['Completed payments by weekday and hour', 'Malipo yaliyokamilika kwa siku ya wiki na saa'],
  busiest_one: ['Most on {{weekday}}, {{hour}}: {{count}} payment', 'Mengi zaidi {{weekday}}, {{hour}}: malipo {{count}}'],
  busiest_other: ['Most on {{weekday}}, {{hour}}: {{count}} payments', 'Mengi zaidi {{weekday}}, {{hour}}: malipo {{count}}'],
  cell: ['{{weekday}}, {{hour}}: {{count}}', '{{weekday}}, {{hour}}: {{count}}'],
  shortDays: ['Mon Tue Wed Thu Fri Sat Sun', 'Jtt Jnn Jtn Alh Iju Jmo Jpi'],
  weekday: ['Weekday', 'Siku ya wiki'],
  total: ['Total', 'Jumla'],
  weeks: ['This week and the last', 'Wiki hii na iliyopita'],
  received: ['Received by day', 'Kilichopokelewa kwa siku'],
  thisWeek: ['This week', 'Wiki hii'],
  lastWeek: ['Last week', 'Wiki iliyopita'],
  sameDays: [
    '{{now}} this week until today. The same days of last week, whole: {{before}}.',
    '{{now}} wiki hii hadi leo. Siku hizohizo za wiki iliyopita, nzima: {{before}}.',
  ],
  noneInWeeks: ['No payments in these two weeks.', 'Hakuna malipo kwenye wiki hizi mbili.'],
  reasons: ['Why payments end without money', 'Kwa nini malipo huisha bila pesa'],
  ended: ['{{lost}} of {{all}} payments ended without money', 'Malipo {{lost}} kati ya {{all}} yaliisha bila pesa'],
  count: ['Payments', 'Malipo'],
  noneLost: ['No payment ended without money in this period.', 'Hakuna malipo yaliyoisha bila pesa kwenye kipindi hiki.'],
  none: ['No payments in this period.', 'Hakuna malipo kwenye kipindi hiki.'],
  newestOnly: ['Only payments since {{when}} are counted: there are many.', 'Malipo tangu {{when}} tu yamehesabiwa: ni mengi.'],
})
