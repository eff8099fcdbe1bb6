/** The texts of the kill switches. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { operatorTexts } from '../operator-texts.ts'

export const switchesTexts = defineTexts('admin-switches', [operatorTexts], {
  title: ['Switches', 'Swichi'],
  text: [
    'While a switch is off, nothing new starts. Payers see this at once on every payment page; payments and payouts in flight continue.',
    'Wakati swichi imezimwa, hakuna jipya linaloanza. Walipaji wanaona mara moja kwenye kila ukurasa wa malipo; vilivyo njiani vinafika mwisho.',
  ],
  subject: {
    checkout: ['Payments', 'Malipo'],
    payouts: ['Payouts', 'Malipo ya nje'],
  },
  every: ['All networks', 'Mitandao yote'],
  off: ['Off', 'Imezimwa'],
  turnOff: ['Switch off', 'Zima'],
  turnOn: ['Switch on', 'Washa'],
  turnOffTitle: ['Switch off: {{name}}', 'Zima: {{name}}'],
  turnOnTitle: ['Switch on: {{name}}', 'Washa: {{name}}'],
  turnOffText: [
    'Within five seconds nothing new starts. Payers see that it is temporarily unavailable.',
    'Hakuna kitakachoanza tena, ndani ya sekunde tano. Walipaji watasoma kuwa haipatikani kwa sasa.',
  ],
  turnOnText: ['It starts again within five seconds.', 'Itaanza tena, ndani ya sekunde tano.'],
  force: ['Switch on without the comparison', 'Washa bila kulinganisha'],
  forceTitle: ['Switch on without the comparison: {{name}}', 'Washa bila kulinganisha: {{name}}'],
  forceText: [
    'Only if the list of a provider cannot be read at all: see the runbook “restore”. With the switch for all payouts, the comparison ends: payouts from before the restore are not sent, and become cases to decide.',
    'Ni pale tu orodha ya mtoa huduma isiposomeka kabisa: soma mwongozo “restore”. Ukiwasha swichi ya malipo yote ya nje, ulinganishaji unaisha: malipo ya nje ya kabla ya kurudisha hifadhidata hayatumwi, yanakuwa masuala ya kuamuliwa.',
  ],
  realMoney: ['Real payers and merchants are affected at once.', 'Walipaji na wafanyabiashara halisi wanaguswa mara moja.'],
  testOnly: ['Only the test environment: no real money.', 'Mazingira ya majaribio tu: hakuna pesa halisi.'],
  why: ['The reason, in one sentence, for the other operators', 'Kwa nini, kwa sentensi moja, kwa wasimamizi wengine'],
  allOn: ['Every switch is on.', 'Swichi zote zimewashwa.'],
  offNow: ['Switched off now: {{names}}.', 'Zilizozimwa sasa: {{names}}.'],
  stopped: ['Stopped', 'Imesimamishwa'],
  stoppedBy: ['Switched off: {{name}}', 'Imezimwa: {{name}}'],
  both: ['Test and live', 'Majaribio na halisi'],
})
