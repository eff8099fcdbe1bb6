/** The texts of the support contact. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const supportTexts = defineTexts('merchant-support', [shared], {
  title: ['Support contact', 'Mawasiliano ya msaada'],
  text: [
    'Payers see it on the payment page, on the receipt and in mails. It is the same for test and real money.',
    'Walipaji wanayaona kwenye ukurasa wa malipo, kwenye risiti na kwenye barua pepe. Ni yale yale kwa majaribio na kwa pesa halisi.',
  ],
  seen: ['What payers see', 'Wanachokiona walipaji'],
  none: [
    'You have set none. Payers see your name and the contact of Malipo, never your own phone number.',
    'Hujaweka chochote. Walipaji wanaona jina lako na mawasiliano ya Malipo, kamwe si namba yako binafsi.',
  ],
  phoneHint: [
    'With the country code, such as +255\u00a0754\u00a0123\u00a0456. Leave it empty for none.',
    'Pamoja na msimbo wa nchi, mfano +255\u00a0754\u00a0123\u00a0456. Acha wazi kama hutaki.',
  ],
  whatsapp: ['WhatsApp', 'WhatsApp'],
  saved: ['Saved. Payers see it from now on.', 'Imehifadhiwa. Walipaji wanaiona kuanzia sasa.'],
  readOnly: ['Your role cannot change it.', 'Jukumu lako haliwezi kuibadilisha.'],
})
