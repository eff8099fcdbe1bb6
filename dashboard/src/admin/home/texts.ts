/** The texts of the operators' overview. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const homeTexts = defineTexts('admin-home', {
  en: {
    title: 'Overview',
    queues: 'What waits for somebody',
    businesses: 'Businesses to review',
    people: 'People to review',
    stuck: 'Stuck payments',
    breaks: 'Open breaks',
    payouts: 'Payouts to approve',
    nothing: 'Nothing waits',
  },
  sw: {
    title: 'Muhtasari',
    queues: 'Kinachosubiri mtu',
    businesses: 'Biashara za kukagua',
    people: 'Watu wa kukagua',
    stuck: 'Malipo yaliyokwama',
    breaks: 'Tofauti zilizo wazi',
    payouts: 'Malipo ya nje ya kuidhinisha',
    nothing: 'Hakuna kinachosubiri',
  },
})
