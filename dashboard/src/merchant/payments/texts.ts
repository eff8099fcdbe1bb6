/** The texts of the payments. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const paymentsTexts = defineTexts('payments', [shared], {
  title: ['Payments', 'Malipo'],
  export: ['Export CSV', 'Pakua CSV'],
  filter: ['Filter the payments', 'Chuja malipo'],
  search: ['Reference, phone number or name', 'Kumbukumbu namba, simu au jina'],
  status: ['Status', 'Hali'],
  anyPage: ['Any page', 'Ukurasa wowote'],
  network: ['Network', 'Mtandao'],
  anyNetwork: ['Any network', 'Mtandao wowote'],
  when: ['Started', 'Yalianza'],
  least: ['From amount', 'Kiasi kuanzia'],
  most: ['To amount', 'Kiasi hadi'],
  none: ['No payments yet', 'Hakuna malipo bado'],
  noneText: [
    'Share the link of a payment page: new payments appear here at once.',
    'Shiriki kiungo cha ukurasa wa malipo: wateja wanapolipa, malipo yanaonekana hapa mara moja.',
  ],
  toPages: ['To your payment pages', 'Nenda kwenye kurasa za malipo'],
  noneFound: ['No matching payment', 'Hakuna malipo yanayolingana'],
  noneFoundText: ['Remove a filter, or search for less.', 'Ondoa kichujio kimoja, au tafuta kwa maneno machache.'],
  noneYet: ['No match among the newest', 'Hakuna kati ya mapya'],
  noneYetText: [
    '100,000 payments have been searched. There are older ones.',
    'Malipo 100,000 yametazamwa hadi sasa. Kuna ya zamani zaidi.',
  ],
  lookOn: ['Search older payments', 'Tafuta ya zamani zaidi'],
})
