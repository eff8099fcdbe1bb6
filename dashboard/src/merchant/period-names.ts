/** The names of the periods, for Home and for the filters of the lists. */
import { shared } from '../ui/texts.ts'
import { defineTexts } from '../i18n/define-texts.ts'

export const periodNameTexts = defineTexts('period-names', [shared], {
  period: ['Period', 'Kipindi'],
  last_7_days: ['Last 7 days', 'Siku 7 zilizopita'],
  last_30_days: ['Last 30 days', 'Siku 30 zilizopita'],
  last_90_days: ['Last 90 days', 'Siku 90 zilizopita'],
  this_month: ['This month', 'Mwezi huu'],
  last_month: ['Last month', 'Mwezi uliopita'],
})
