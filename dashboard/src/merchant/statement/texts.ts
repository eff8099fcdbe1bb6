/** The texts of the statement. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const statementTexts = defineTexts('statement', [shared], {
  title: ['Statement', 'Taarifa ya akaunti'],
  text: [
    'The credits and debits of your wallet, month by month.',
    'Kilichoingia kwenye pochi yako na kilichotoka, mwezi kwa mwezi.',
  ],
  month: ['Month', 'Mwezi'],
  before: ['The month before', 'Mwezi uliotangulia'],
  after: ['The month after', 'Mwezi unaofuata'],
  opening: ['Opening balance', 'Salio la mwanzo'],
  credits: ['Came in', 'Zilizoingia'],
  debits: ['Went out', 'Zilizotoka'],
  closing: ['Closing balance', 'Salio la mwisho'],
  final: ['The month is closed', 'Mwezi umefungwa'],
  notFinal: ['The month is not over', 'Mwezi haujaisha'],
  asOf: ['As of', 'Hadi'],
  lines: ['Lines', 'Mistari'],
  kind: ['Kind', 'Nini'],
  cause: ['Cause', 'Chanzo'],
  balance: ['Balance', 'Salio'],
  totals: ['By kind', 'Kwa aina'],
  count: ['Number', 'Idadi'],
  types: {
    payment: ['Payment', 'Malipo'],
    payout: ['Payout', 'Utoaji'],
    payout_reversal: ['Payout came back', 'Utoaji umerudi'],
    refund: ['Refund', 'Kurudisha kwa mlipaji'],
    refund_reversal: ['Refund came back', 'Fedha za mlipaji zimerudi kwako'],
    adjustment: ['Adjustment', 'Marekebisho'],
    fee: ['Fee', 'Makato'],
  },
  none: ['No transactions in this month', 'Hakuna kilichohama mwezi huu'],
  noneText: ['The balance did not change in this month.', 'Pochi ilimaliza mwezi kama ilivyouanza.'],
})
