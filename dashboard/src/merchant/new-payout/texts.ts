/** The texts of sending money out of a wallet. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const newPayoutTexts = defineTexts('new-payout', [shared], {
  title: ['Pay out', 'Tuma pesa'],
  back: ['Payouts', 'Pesa zilizotumwa'],
  available: ['You can pay out {{amount}}.', 'Unaweza kutuma {{amount}}.'],
  amountHint: ['The amount that the recipient gets.', 'Atakachopata mpokeaji.'],
  phone: ['Mobile money number', 'Namba ya simu ya kupokelea'],
  phoneHint: [
    'M-Pesa, Airtel Money, Mixx by Yas or HaloPesa: 0754 123 456.',
    'M-Pesa, Airtel Money, Mixx by Yas au HaloPesa: 0754 123 456.',
  ],
  name: ['Name of the recipient', 'Jina la mpokeaji'],
  nameHint: ['As registered with their mobile money account.', 'Kama akaunti yake ya simu ilivyosajiliwa.'],
  narration: ['Purpose', 'Ni ya nini'],
  narrationHint: ['The recipient sees it if the network shows it.', 'Mpokeaji anaweza kuiona, mtandao wake ukiionyesha.'],
  reference: ['Your reference', 'Kumbukumbu yako'],
  choose: ['Choose a saved recipient', 'Chagua mpokeaji aliyehifadhiwa'],
  search: ['Search by name or number', 'Tafuta kwa jina au namba'],
  noneSaved: ['No recipient is saved yet.', 'Hakuna mpokeaji aliyehifadhiwa bado.'],
  lastPaid: ['Last paid {{when}}', 'Mara ya mwisho {{when}}'],
  otherName: ['This number had another name', 'Namba hii ilikuwa na jina jingine'],
  otherNameOf: [
    'Last time it was paid as “{{last}}”, now as “{{name}}”. Check the number before you pay.',
    'Mara ya mwisho ililipwa kama “{{last}}”, sasa kama “{{name}}”. Hakikisha namba kabla ya kutuma.',
  ],
  otherNameText: [
    'It was last paid under another name than “{{name}}”. Check the number before you pay.',
    'Mara ya mwisho ililipwa kwa jina jingine, si “{{name}}”. Hakikisha namba kabla ya kutuma.',
  ],
  again: ['Pay again?', 'Utume tena?'],
  againText: ['You already paid {{phone}} {{amount}} {{when}}.', 'Tayari ulituma {{amount}} kwa {{phone}} {{when}}.'],
  seeFirst: ['See that payout', 'Ona uliyotuma'],
  payAgain: ['Pay {{amount}} again', 'Tuma {{amount}} tena'],
  total: ['Total debit', 'Yanayotoka kwenye pochi'],
  notEnough: [
    'The wallet does not have enough for the amount and the fee.',
    'Pochi haina pesa za kutosha kwa kiasi hiki pamoja na makato.',
  ],
  check: ['Check', 'Hakiki'],
  checkTitle: ['Is this right?', 'Ni sahihi?'],
  checkText: ['Money that has arrived cannot be recalled.', 'Pesa iliyofika kwenye simu haiwezi kurudishwa.'],
  to: ['To', 'Kwa'],
  network: ['Network', 'Mtandao'],
  change: ['Change', 'Badili'],
  pay: ['Pay {{amount}}', 'Tuma {{amount}}'],
  ask: ['Ask for approval of {{amount}}', 'Omba idhini ya {{amount}}'],
  askText: [
    'The approval rule holds here: the money leaves when other members have approved it.',
    'Kanuni ya idhini inatumika hapa: pesa zitatoka wanachama wengine wakiidhinisha.',
  ],
  unsure: ['We do not know yet whether it was sent', 'Bado hatujui kama imetumwa'],
  unsureText: [
    'The connection was lost during the request. Try again: it is paid only once, however often you try.',
    'Mtandao ulikatika tulipokuwa tunauliza. Uliza tena: hata ukiuliza mara ngapi, inatumwa mara moja tu.',
  ],
  askAgain: ['Try again', 'Uliza tena'],
  startAgain: ['Start a new one', 'Anza mpya'],
  toList: ['See the payouts', 'Ona pesa zilizotumwa'],
  testHint: [
    'In the test environment the number decides: a number that ends in 089 has no account, 309 is reversed; any other payout arrives.',
    'Kwenye mazingira ya majaribio namba ndiyo inayoamua: inayoishia na 089 haina akaunti, 309 inarudi; nyingine yoyote inafika.',
  ],
})
