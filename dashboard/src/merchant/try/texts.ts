/** The texts of the first test payment. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const tryTexts = defineTexts('try', [shared], {
  title: ['Try a payment', 'Jaribu malipo'],
  text: [
    'You are the customer and the payer’s phone. No real money moves.',
    'Wewe ni mteja na pia simu ya mlipaji. Hakuna pesa halisi inayohama.',
  ],
  onlyTest: [
    'Test payments are possible in the test environment only.',
    'Malipo ya majaribio yanawezekana kwenye mazingira ya majaribio tu.',
  ],
  toTest: ['Go to the test environment', 'Nenda kwenye mazingira ya majaribio'],
  page: ['1. Your customer pays on your page', '1. Mteja wako analipa kwenye ukurasa wako'],
  pageText: [
    'Your test page takes any amount. Pay with the button, or open the page on any device.',
    'Ukurasa wako wa majaribio unapokea kiasi chochote. Lipa kwa kitufe, au ufungue ukurasa kwenye kifaa chochote.',
  ],
  qr: ['QR code of {{title}}', 'Msimbo wa QR wa {{title}}'],
  pay: ['Pay {{amount}} as a customer', 'Lipa {{amount}} kama mteja'],
  payText: [
    'With the number 0754 000 111 and your own name and address.',
    'Kwa namba 0754 000 111, jina lako na barua pepe yako.',
  ],
  noPage: [
    'This wallet has no open payment page in the test environment.',
    'Pochi hii haina ukurasa wa malipo uliofunguliwa kwenye mazingira ya majaribio.',
  ],
  phone: ['2. The payer’s phone asks for the PIN', '2. Simu ya mlipaji inaomba namba ya siri'],
  waiting: ['The phone is waiting. Pay on the page first.', 'Simu inasubiri. Lipa kwanza kwenye ukurasa.'],
  coming: ['The request is on its way to the phone…', 'Ombi linatumwa kwenye simu…'],
  ask: [
    'Pay {{amount}} to MALIPO for “{{title}}”? Enter your PIN.',
    'Lipa {{amount}} kwa MALIPO kwa ajili ya “{{title}}”? Weka namba ya siri.',
  ],
  pin: ['PIN', 'Namba ya siri'],
  pinHint: [
    'Any four digits, except 0000. Never your real PIN: this phone is simulated, and the PIN stays in this browser.',
    'Tarakimu nne zozote, isipokuwa 0000. Usiandike namba yako halisi: simu hii ni ya kuigiza, na namba inabaki kwenye kivinjari hiki.',
  ],
  pinForm: ['Enter four digits.', 'Andika tarakimu nne.'],
  wrongPin_one: ['The PIN is wrong. {{count}} try is left.', 'Namba ya siri si sahihi. Limebaki jaribio {{count}}.'],
  wrongPin_other: ['The PIN is wrong. {{count}} tries are left.', 'Namba ya siri si sahihi. Yamebaki majaribio {{count}}.'],
  send: ['Send', 'Tuma'],
  poor: ['Too little money', 'Salio halitoshi'],
  answered: ['Answered. The network is confirming…', 'Umejibu. Mtandao unathibitisha…'],
  sms: {
    completed: ['You have paid {{amount}} to MALIPO. Thank you.', 'Umelipa {{amount}} kwa MALIPO. Asante.'],
    other: [
      'The payment of {{amount}} was not made. No money was taken.',
      'Malipo ya {{amount}} hayakufanyika. Hakuna pesa iliyochukuliwa.',
    ],
  },
  result: ['3. You see it at once', '3. Unayaona papo hapo'],
  resultText: [
    'The payment appears here as soon as the network confirms it, as later in your list and at your webhook.',
    'Malipo yanaonekana hapa mara mtandao unapothibitisha, kama yatakavyoonekana baadaye kwenye orodha yako na kwenye webhook yako.',
  ],
  done: ['The payment has arrived', 'Malipo yamefika'],
  ended: ['The payment ended without money', 'Malipo yameisha bila pesa'],
  see: ['See the payment', 'Angalia malipo'],
  again: ['Pay again', 'Lipa tena'],
  next: ['Next: take payments with your program', 'Kinachofuata: pokea malipo kwa programu yako'],
  home: ['To the start page', 'Nenda mwanzo'],
})
