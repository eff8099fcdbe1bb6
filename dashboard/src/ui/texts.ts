/** Words that every screen shares: states, networks, refusals, buttons. */
import { defineTexts } from '../i18n/define-texts.ts'
import { statusWords } from './status-words.ts'

export const shared = defineTexts('shared', {
  cancel: ['Cancel', 'Ghairi'],
  close: ['Close', 'Funga'],
  showPassword: ['Show the password', 'Onyesha nenosiri'],
  save: ['Save', 'Hifadhi'],
  continue: ['Continue', 'Endelea'],
  copy: ['Copy', 'Nakili'],
  copied: ['Copied', 'Imenakiliwa'],
  tryAgain: ['Try again', 'Jaribu tena'],
  loading: ['Loading …', 'Inapakia …'],
  asOf: ['As of {{time}}', 'Ilivyokuwa saa {{time}}'],
  error: ['Error', 'Kosa'],
  optional: ['optional', 'si lazima'],
  none: ['None', 'Hakuna'],
  newest: ['Back to the newest', 'Rudi kwenye mpya zaidi'],
  older: ['Older', 'Za zamani zaidi'],
  asTable: ['Show as table', 'Onyesha kama jedwali'],
  asChart: ['Show as chart', 'Onyesha kama chati'],
  requestId: ['Request {{id}}', 'Ombi {{id}}'],
  day: ['Day', 'Siku'],
  status: statusWords,
  network: {
    mpesa: ['M-Pesa', 'M-Pesa'],
    airtel: ['Airtel Money', 'Airtel Money'],
    mixx: ['Mixx by Yas', 'Mixx by Yas'],
    halotel: ['HaloPesa', 'HaloPesa'],
  },
  problem: {
    unreachable: ['The service cannot be reached. Check your connection.', 'Huduma haipatikani. Angalia mtandao wako.'],
    unknown: ['Something went wrong on our side. Nothing is lost.', 'Kuna hitilafu upande wetu. Hakuna kilichopotea.'],
    rate_limited_until: [
      'Too many tries. Try again in {{minutes}} min.',
      'Umejaribu mara nyingi mno. Jaribu tena baada ya dakika {{minutes}}.',
    ],
    payout_must_wait: [
      'Payouts wait after a new password, a new device or a new authenticator app, so that no one else can empty the wallet. They are possible again from {{until}}.',
      'Kutuma pesa kunasubiri baada ya nenosiri jipya, kifaa kipya au programu mpya ya uthibitisho, ili mtu mwingine asichukue pesa zako. Kutaendelea kuanzia {{until}}.',
    ],
    required: ['This field is required.', 'Sehemu hii inahitajika.'],
  },
  stepUp: {
    title: ['Verify that it is you', 'Thibitisha kuwa ni wewe'],
    why: [
      'This action is sensitive. After this check you are not asked again for 5 minutes.',
      'Unachotaka kufanya ni nyeti. Utaulizwa mara moja, kisha si tena kwa dakika 5.',
    ],
    code: ['Code of your authenticator app', 'Msimbo wa programu yako ya uthibitisho'],
    password: ['Password', 'Nenosiri'],
  },
  missing: {
    title: ['Page not found', 'Hakuna kitu hapa'],
    text: ['The page has moved, or the address is not complete.', 'Ukurasa umehamishwa, au anwani haijakamilika.'],
    home: ['To the start', 'Rudi mwanzo'],
  },
})

/** The label of a field that may stay empty. */
export const optional = (label: string): string => `${label} (${shared.say('optional')})`
