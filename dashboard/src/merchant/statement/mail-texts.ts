/** The texts of the statement by mail. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const statementMailTexts = defineTexts('statement-mail', {
  title: ['Statement by mail', 'Taarifa kwa barua pepe'],
  off: ['Get a summary every day, week or month.', 'Pata muhtasari kila siku, wiki au mwezi.'],
  on: {
    daily: ['Every day to {{email}}.', 'Kila siku kwa {{email}}.'],
    weekly: ['Every Monday to {{email}}.', 'Kila Jumatatu kwa {{email}}.'],
    monthly: ['On the 1st of every month to {{email}}.', 'Tarehe 1 ya kila mwezi kwa {{email}}.'],
  },
  next: ['Next: {{day}}.', 'Ijayo: {{day}}.'],
  begin: ['Set up', 'Anzisha'],
  change: ['Change', 'Badilisha'],
  stop: ['Stop', 'Sitisha'],
  stopped: ['You get no more statements of this wallet by mail.', 'Hutapata tena taarifa za pochi hii kwa barua pepe.'],
  saved: ['Saved. You get the statement by mail.', 'Imehifadhiwa. Utapata taarifa kwa barua pepe.'],
  text: [
    'A summary with the balances, the money that came in, fees, refunds and payouts goes to {{email}}. It contains no data of your payers.',
    'Muhtasari wenye salio, fedha zilizoingia, makato, marejesho na fedha zilizotolewa unatumwa kwa {{email}}. Hauna taarifa za walipaji wako.',
  ],
  frequency: ['How often', 'Mara ngapi'],
  daily: ['Every day, for the day before', 'Kila siku, kwa siku iliyotangulia'],
  weekly: ['Every Monday, for the week before', 'Kila Jumatatu, kwa wiki iliyotangulia'],
  monthly: ['On the 1st, for the month before', 'Tarehe 1, kwa mwezi uliotangulia'],
  language: ['Language of the mail', 'Lugha ya barua pepe'],
})
