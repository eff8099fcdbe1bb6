/** The texts of the log of requests. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const requestsTexts = defineTexts('requests', [shared], {
  title: ['Request log', 'Kumbukumbu ya maombi'],
  text: [
    'The API requests of your keys in the last seven days, the newest 5,000. Their contents are never stored.',
    'Funguo zako zilichoiomba API kwa siku saba zilizopita, maombi 5,000 mapya zaidi. Kilichokuwa ndani hakihifadhiwi.',
  ],
  outcome: ['Which', 'Yapi'],
  outcomes: {
    any: ['All', 'Yote'],
    failed: ['Failed', 'Yaliyoshindikana'],
    succeeded: ['Succeeded', 'Yaliyofanikiwa'],
  },
  app: ['App', 'Programu'],
  anyApp: ['Any app', 'Programu yoyote'],
  anyKey: ['Any key', 'Ufunguo wowote'],
  status: ['Answer', 'Jibu'],
  failed: ['failed', 'limeshindikana'],
  succeeded: ['succeeded', 'limefanikiwa'],
  error: ['Error', 'Kosa'],
  none: ['–', '–'],
  took: ['Took', 'Muda'],
  id: ['Request id', 'Kitambulisho cha ombi'],
  no: ['No requests yet', 'Hakuna maombi bado'],
  noText: [
    'Each call that a key of this wallet makes appears here a second later.',
    'Kila ombi la ufunguo wa pochi hii linaonekana hapa baada ya sekunde moja.',
  ],
  toQuickStart: ['To the quick start', 'Nenda Anza haraka'],
  noSuch: ['No such requests', 'Hakuna maombi kama hayo'],
  noSuchText: [
    'No request of the last seven days matches your filter.',
    'Kwa siku saba zilizopita hakuna linalolingana na ulichochagua.',
  ],
})
