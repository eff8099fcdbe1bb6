/** The texts of the logo and the colour. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const brandTexts = defineTexts('merchant-brand', [shared], {
  title: ['Logo and colour', 'Nembo na rangi'],
  text: [
    'Payers see them on the payment page and on the receipt, beside your name. They are the same for test and real money.',
    'Walipaji wanaviona kwenye ukurasa wa malipo na kwenye risiti, kando ya jina lako. Ni vile vile kwa majaribio na kwa pesa halisi.',
  ],
  notLive: [
    'Payers see them once you are verified, and not while you are suspended.',
    'Walipaji wanaviona ukishathibitishwa, si wakati umesimamishwa.',
  ],
  readOnly: ['Your role cannot change them.', 'Jukumu lako haliwezi kuvibadilisha.'],
  logo: ['Logo', 'Nembo'],
  logoHint: [
    'PNG, JPEG or WebP, at most 2 MB, at least 48 pixels wide and high. We make a small picture of it.',
    'PNG, JPEG au WebP, isiyozidi MB 2, yenye upana na urefu wa angalau pikseli 48. Tunatengeneza picha ndogo yake.',
  ],
  noLogo: [
    'You have set none. Payers see the first letter of your name.',
    'Hujaweka nembo. Walipaji wanaona herufi ya kwanza ya jina lako.',
  ],
  current: ['Your logo', 'Nembo yako'],
  choose: ['Choose a picture', 'Chagua picha'],
  replace: ['Choose another picture', 'Chagua picha nyingine'],
  logoSaved: ['Saved. Payers see the logo from now on.', 'Imehifadhiwa. Walipaji wanaiona nembo kuanzia sasa.'],
  logoRemoved: ['The logo is removed.', 'Nembo imeondolewa.'],
  removedByUs: ['We removed your logo: {{reason}}', 'Tumeondoa nembo yako: {{reason}}'],
  tooLarge: ['The file is larger than 2 MB. Choose a smaller one.', 'Faili linazidi MB 2. Chagua dogo zaidi.'],
  color: ['Colour', 'Rangi'],
  colorCode: ['Colour code', 'Msimbo wa rangi'],
  colorHint: [
    'For the pay button, the mark and the line at the top. # and six digits, such as #0a6148.',
    'Ya kitufe cha kulipa, alama na mstari wa juu. # na tarakimu sita, mfano #0a6148.',
  ],
  pick: ['Pick the colour', 'Chagua rangi'],
  wrongColor: [
    'Write # and six digits from 0 to f, such as #0a6148.',
    'Andika # na tarakimu sita kuanzia 0 hadi f, mfano #0a6148.',
  ],
  save: ['Save the colour', 'Hifadhi rangi'],
  colorSaved: ['Saved. Payers see the colour from now on.', 'Imehifadhiwa. Walipaji wanaiona rangi kuanzia sasa.'],
  noColor: ['Use the colours of Malipo', 'Tumia rangi za Malipo'],
  colorRemoved: ['Payers see the colours of Malipo again.', 'Walipaji wanaona tena rangi za Malipo.'],
  preview: ['What payers see', 'Wanachokiona walipaji'],
  light: ['Light screen', 'Skrini nyeupe'],
  dark: ['Dark screen', 'Skrini nyeusi'],
  payTo: ['Pay to', 'Unamlipa'],
  pay: ['Pay TSh 25,000', 'Lipa TSh 25,000'],
  unchanged: ['Your colour, unchanged.', 'Rangi yako, bila mabadiliko.'],
  darker: [
    'Your colour would be hard to see here, so we show a darker shade of it: {{color}}.',
    'Rangi yako ingekuwa ngumu kuonekana hapa, hivyo tunaonyesha iliyo nyeusi zaidi: {{color}}.',
  ],
  lighter: [
    'Your colour would be hard to see here, so we show a lighter shade of it: {{color}}.',
    'Rangi yako ingekuwa ngumu kuonekana hapa, hivyo tunaonyesha iliyo nyeupe zaidi: {{color}}.',
  ],
  statesStay: [
    'Errors, success and the TEST banner keep their own colours.',
    'Makosa, mafanikio na bango la TEST hubaki na rangi zao.',
  ],
})
