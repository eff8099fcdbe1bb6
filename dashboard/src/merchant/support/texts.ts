/** The texts of the support contact. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const supportTexts = defineTexts('merchant-support', {
  en: {
    title: 'Support contact',
    text: 'Payers see it on the payment page, on the receipt and in mails. It is the same for test and real money.',
    seen: 'What payers see',
    none: 'You have set none. Payers see your name and the contact of Malipo, never your own phone number.',
    phone: 'Phone',
    phoneHint: 'With the country code, such as +255 754 123 456. Leave it empty for none.',
    whatsapp: 'WhatsApp',
    email: 'E-mail',
    save: 'Save',
    saved: 'Saved. Payers see it from now on.',
    readOnly: 'Your role cannot change it.',
  },
  sw: {
    title: 'Mawasiliano ya msaada',
    text: 'Walipaji wanayaona kwenye ukurasa wa malipo, kwenye risiti na kwenye barua pepe. Ni yale yale kwa majaribio na kwa pesa halisi.',
    seen: 'Wanachokiona walipaji',
    none: 'Hujaweka chochote. Walipaji wanaona jina lako na mawasiliano ya Malipo, kamwe si namba yako binafsi.',
    phone: 'Simu',
    phoneHint: 'Pamoja na msimbo wa nchi, mfano +255 754 123 456. Acha wazi kama hutaki.',
    whatsapp: 'WhatsApp',
    email: 'Barua pepe',
    save: 'Hifadhi',
    saved: 'Imehifadhiwa. Walipaji wanaiona kuanzia sasa.',
    readOnly: 'Jukumu lako haliwezi kuibadilisha.',
  },
})
