/** The texts of the comparison with the providers. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const reconciliationTexts = defineTexts('admin-reconciliation', [operatorTexts], {
  title: ['Reconciliation', 'Ulinganisho'],
  text: [
    'Open payments and payouts are compared every five minutes, and a whole day every night.',
    'Kila dakika tano vilivyo wazi huulizwa; kila usiku siku nzima hulinganishwa.',
  ],
  late: ['The comparison is late', 'Ulinganisho umechelewa'],
  lateText: [
    'No run has finished for 15 minutes. Check that the workers run and the provider answers.',
    'Hakuna uliokamilika kwa dakika 15. Angalia kama wafanyakazi wanafanya kazi na mtoa huduma anajibu.',
  ],
  runs: ['Latest runs', 'Ulinganisho wa karibuni'],
  start: ['Compare now', 'Linganisha sasa'],
  started: ['A worker starts it within seconds.', 'Utaanza ndani ya sekunde chache.'],
  kind: ['Which', 'Upi'],
  recent: ['Open', 'Vilivyo wazi'],
  lateSuccesses: ['Late successes', 'Vilivyolipwa baadaye'],
  daily: ['Day {{day}}', 'Siku {{day}}'],
  subject: {
    charges: ['Payments', 'Malipo'],
    payouts: ['Payouts', 'Malipo ya nje'],
  },
  began: ['Began', 'Ulianza'],
  ended: ['Ended', 'Uliisha'],
  state: {
    planned: ['Planned', 'Umepangwa'],
    running: ['Running', 'Unaendelea'],
    ended: ['Ended', 'Umeisha'],
  },
  seen: ['Checked', 'Vilivyoangaliwa'],
  repaired: ['Fixed', 'Vilivyorekebishwa'],
  breaks: ['Breaks', 'Tofauti'],
  calls: ['Calls', 'Maswali'],
  days: ['Totals by day: provider and our books', 'Jumla za siku, mtoa huduma kando ya vitabu vyetu'],
  day: ['Day (UTC)', 'Siku (UTC)'],
  theirs: ['Provider', 'Mtoa huduma'],
  ours: ['Our books', 'Vitabu vyetu'],
  difference: ['Unexplained', 'Isiyoelezwa'],
  noDays: ['No day has been compared yet', 'Bado hakuna siku iliyolinganishwa'],
  noRuns: ['Nothing has been compared yet', 'Bado hakuna kilicholinganishwa'],
  toBreaks: ['To the breaks', 'Kwenye tofauti'],
})
