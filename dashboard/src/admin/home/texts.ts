/** The texts of the operators' overview. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const homeTexts = defineTexts('admin-home', [operatorTexts], {
  title: ['Overview', 'Muhtasari'],
  queues: ['Open work', 'Kinachosubiri mtu'],
  businesses: ['Businesses to review', 'Biashara za kukagua'],
  people: ['People to review', 'Watu wa kukagua'],
  stuck: ['Stuck payments', 'Malipo yaliyokwama'],
  cases: ['Support cases', 'Masuala ya walipaji'],
  breaks: ['Open breaks', 'Tofauti zilizo wazi'],
  payouts: ['Payouts to approve', 'Malipo ya nje ya kuidhinisha'],
  nothing: ['Nothing is waiting', 'Hakuna kinachosubiri'],
  overdue: ['{{count}} overdue', '{{count}} zimechelewa'],
  oldest: ['the oldest for {{age}}', 'ya zamani zaidi kwa {{age}}'],
  networks: ['Networks: share of successful payments', 'Mitandao: malipo mangapi yanafanikiwa'],
  last: {
    five: ['5 minutes', 'Dakika 5'],
    hour: ['1 hour', 'Saa 1'],
    day: ['24 hours', 'Saa 24'],
  },
  noneBegun: ['none', 'hakuna'],
  ofBegun: ['{{rate}} of {{count}}', '{{rate}} ya {{count}}'],
  status: {
    operational: ['Works', 'Inafanya kazi'],
    degraded: ['Many fail', 'Mengi yanashindikana'],
    down: ['Down', 'Haipatikani'],
  },
  providers: ['Providers, the last five minutes', 'Watoa huduma, dakika tano zilizopita'],
  circuit: {
    closed: ['Reachable', 'Anapatikana'],
    open: ['Circuit open', 'Amezuiwa'],
    half_open: ['Being tested', 'Anajaribiwa'],
  },
  otherSignature: [
    'Webhooks are refused: their signature is right in another form. Set {{setting}}={{form}}',
    'Webhook zinakataliwa: sahihi yake ni sahihi kwa muundo mwingine. Weka {{setting}}={{form}}',
  ],
  direction: {
    charges: ['Payments', 'Malipo'],
    payouts: ['Payouts', 'Malipo ya nje'],
  },
  calls: ['Calls', 'Maswali'],
  latency: ['Response time', 'Hujibu ndani ya'],
  latencyText: ['{{median}} ms, 95%: {{p95}} ms', 'ms {{median}}, 95%: ms {{p95}}'],
  success: ['Answered', 'Yaliyojibiwa'],
  work: ['Work that is due', 'Kazi inayosubiri'],
  queue: {
    webhook_deliveries: ['Webhook deliveries', 'Webhook za kutuma'],
    provider_messages: ['Provider messages', 'Ujumbe wa watoa huduma'],
    charge_checks: ['Payment status checks', 'Maswali kuhusu malipo'],
    payout_checks: ['Payout status checks', 'Maswali kuhusu malipo ya nje'],
    mails: ['Mails', 'Barua pepe'],
  },
  webhooks: ['Failed webhook attempts in the last hour', 'Webhook zilizoshindikana saa iliyopita'],
  books: ['The books', 'Vitabu'],
  booksHold: ['All checks passed.', 'Kila kitu kinalingana.'],
  booksBroken: ['The books are wrong: {{what}}', 'Vitabu havilingani: {{what}}'],
  booksLate: ['The books have not been checked recently.', 'Vitabu havijakaguliwa hivi karibuni.'],
  reconciliation: ['Last comparison with a provider', 'Ulinganisho wa mwisho na mtoa huduma'],
  late: ['late', 'umechelewa'],
  noData: ['No network has received a payment yet', 'Hakuna mtandao uliopokea malipo bado'],
})
