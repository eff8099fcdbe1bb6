/** The texts of the statement by mail. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const statementMailTexts = defineTexts('statement-mail', {
  en: {
    title: 'Statement by mail',
    off: 'Get a summary every day, week or month.',
    on: {
      daily: 'Every day to {{email}}.',
      weekly: 'Every Monday to {{email}}.',
      monthly: 'On the 1st of every month to {{email}}.',
    },
    next: 'Next: {{day}}.',
    begin: 'Set up',
    change: 'Change',
    stop: 'Stop',
    stopped: 'You get no more statements of this wallet by mail.',
    saved: 'Saved. You get the statement by mail.',
    text: 'A summary with the balances, the money that came in, fees, refunds and payouts goes to {{email}}. It contains no data of your payers.',
    frequency: 'How often',
    daily: 'Every day, for the day before',
    weekly: 'Every Monday, for the week before',
    monthly: 'On the 1st, for the month before',
    language: 'Language of the mail',
  },
  sw: {
    title: 'Taarifa kwa barua pepe',
    off: 'Pata muhtasari kila siku, wiki au mwezi.',
    on: {
      daily: 'Kila siku kwa {{email}}.',
      weekly: 'Kila Jumatatu kwa {{email}}.',
      monthly: 'Tarehe 1 ya kila mwezi kwa {{email}}.',
    },
    next: 'Ijayo: {{day}}.',
    begin: 'Anzisha',
    change: 'Badilisha',
    stop: 'Sitisha',
    stopped: 'Hutapata tena taarifa za pochi hii kwa barua pepe.',
    saved: 'Imehifadhiwa. Utapata taarifa kwa barua pepe.',
    text: 'Muhtasari wenye salio, fedha zilizoingia, makato, marejesho na fedha zilizotolewa unatumwa kwa {{email}}. Hauna taarifa za walipaji wako.',
    frequency: 'Mara ngapi',
    daily: 'Kila siku, kwa siku iliyotangulia',
    weekly: 'Kila Jumatatu, kwa wiki iliyotangulia',
    monthly: 'Tarehe 1, kwa mwezi uliotangulia',
    language: 'Lugha ya barua pepe',
  },
})
