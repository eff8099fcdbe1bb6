/** The texts of the stuck payments. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const stuckTexts = defineTexts('admin-stuck', [operatorTexts], {
  title: ['Stuck payments', 'Malipo yaliyokwama'],
  text: [
    'Payments whose outcome is still unknown a minute after they were started. The service asks the provider again automatically; you can also ask now.',
    'Malipo ambayo matokeo yake hayajulikani dakika moja baada ya kuanza. Mfumo humuuliza mtoa huduma tena wenyewe; unaweza kuuliza sasa.',
  ],
  whichOf: {
    unknown: ['Outcome unknown', 'Hayajulikani'],
    all: ['All unfinished', 'Yote yasiyoisha'],
  },
  age: ['Open for', 'Yako wazi kwa'],
  state: ['Last known', 'Hali ya mwisho'],
  notAsked: ['not asked yet', 'bado hayajaulizwa'],
  asked_one: ['asked once', 'yameulizwa mara moja'],
  asked_other: ['asked {{count}} times', 'yameulizwa mara {{count}}'],
  next: ['Next check', 'Ukaguzi ujao'],
  notAgain: ['none by itself', 'hakuna wa moja kwa moja'],
  older: ['Open for at least', 'Yako wazi kwa angalau'],
  minutes: {
    five: ['5 min', 'dk 5'],
    thirty: ['30 min', 'dk 30'],
    hour: ['1 h', 'saa 1'],
    day: ['1 day', 'siku 1'],
    any: ['Any time', 'Muda wowote'],
  },
  network: ['Network', 'Mtandao'],
  empty: ['Nothing is stuck', 'Hakuna kilichokwama'],
  emptyText: ['Every payment is in flight or final.', 'Kila malipo yako njiani au yamefika mwisho.'],
  charge: {
    claimed: ['is being sent', 'yanatumwa'],
    unsent: ['not sent', 'hayajatumwa'],
    deferred: ['postponed', 'yameahirishwa'],
    unknown: ['sent, no answer', 'yalitumwa, hakuna jibu'],
    accepted: ['accepted by the provider', 'yamepokelewa na mtoa huduma'],
    rejected: ['refused', 'yamekataliwa'],
  },
})
