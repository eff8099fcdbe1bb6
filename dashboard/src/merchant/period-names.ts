/** The names of the periods, for Home and for the filters of the lists. */
import { defineTexts } from '../i18n/define-texts.ts'

export const periodNameTexts = defineTexts('period-names', {
  en: {
    period: 'Period',
    today: 'Today',
    last_7_days: 'Last 7 days',
    last_30_days: 'Last 30 days',
    last_90_days: 'Last 90 days',
    this_month: 'This month',
    last_month: 'Last month',
  },
  sw: {
    period: 'Kipindi',
    today: 'Leo',
    last_7_days: 'Siku 7 zilizopita',
    last_30_days: 'Siku 30 zilizopita',
    last_90_days: 'Siku 90 zilizopita',
    this_month: 'Mwezi huu',
    last_month: 'Mwezi uliopita',
  },
})
