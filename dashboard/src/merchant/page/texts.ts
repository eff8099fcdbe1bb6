/** The texts of one payment page. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const pageTexts = defineTexts('page', [shared], {
  title: ['Payment page', 'Ukurasa wa malipo'],
  back: ['Payment pages', 'Kurasa za malipo'],
  loading: ['Loading the page', 'Ukurasa unapakiwa'],
  edit: ['Edit', 'Hariri'],
  suspended: ['We have suspended this page: no one can pay on it.', 'Tumeusimamisha ukurasa huu: hakuna anayeweza kuulipia.'],
  flooded: ['Payers confirm first', 'Walipaji wanathibitisha kwanza'],
  floodedText: [
    'Since {{since}} far more payments are started here than usual. To protect strangers’ phones, each payer must press one more button before we send the request to the phone. This ends automatically.',
    'Tangu {{since}} malipo mengi kuliko kawaida yanaanzishwa hapa. Ili simu za watu wengine zisisumbuliwe, kila mlipaji anabonyeza kitufe kimoja zaidi kabla hatujaiuliza simu. Itaisha yenyewe.',
  ],
  floodedByNetwork: [
    'Since {{since}} many phones behind one network address start payments, here or on other pages, and do not pay. Payers behind that address must press one more button before we send the request to the phone; others are not affected. This ends automatically.',
    'Tangu {{since}} simu nyingi za anwani moja ya mtandao zinaanzisha malipo, hapa au kwenye kurasa nyingine, na hazilipi. Walipaji wa anwani hiyo wanabonyeza kitufe kimoja zaidi kabla hatujaiuliza simu; wengine hawataona tofauti. Itaisha yenyewe.',
  ],
  floodedByOrder: [
    'Since {{since}} each payer must press one more button before we send the request to the phone. Our team has set this.',
    'Tangu {{since}} kila mlipaji anabonyeza kitufe kimoja zaidi kabla hatujaiuliza simu. Timu yetu imeagiza hivyo.',
  ],
  total: ['Total paid', 'Jumla iliyolipwa'],
  count: ['Completed payments', 'Malipo yaliyokamilika'],
  ofMost: ['of at most {{most}}', 'kati ya {{most}} kwa juu'],
  asks: ['Amount', 'Unaomba'],
  until: ['Until', 'Hadi'],
  payerChooses: ['The payer chooses', 'Mlipaji anachagua'],
  share: ['Share the link', 'Shiriki kiungo'],
  link: ['Link for payers', 'Kiungo cha walipaji'],
  linkText: ['It never changes, so you can print it.', 'Hakibadiliki kamwe, hivyo unaweza kukichapisha.'],
  copyLink: ['Copy link', 'Nakili kiungo'],
  open: ['Open', 'Fungua'],
  qr: ['QR code', 'Msimbo wa QR'],
  qrOf: ['QR code of {{title}}', 'Msimbo wa QR wa {{title}}'],
  qrText: [
    'A phone’s camera opens the page directly. Put it on an invoice, a wall or a counter.',
    'Kamera ya simu inafungua ukurasa moja kwa moja. Uweke kwenye ankara, ukutani au kaunta.',
  ],
  poster: ['Poster (A5)', 'Bango (A5)'],
  payments: ['Newest payments', 'Malipo mapya'],
  allPayments: ['All payments of this page', 'Malipo yote ya ukurasa huu'],
  status: ['Status', 'Hali'],
  noPayments: ['No payments here yet', 'Hakuna aliyelipa hapa bado'],
  noPaymentsText: [
    'Share the link or the code: payments appear here at once.',
    'Shiriki kiungo au msimbo: malipo yanaonekana hapa mara moja.',
  ],
  deactivate: ['Deactivate', 'Zima'],
  deactivateTitle: ['Deactivate this page?', 'Uzime ukurasa huu?'],
  deactivateText: [
    'No one can pay on it until you activate it again. Payments that have started continue.',
    'Hakuna atakayeweza kulipa hadi uuwashe tena. Malipo yaliyoanza yanaendelea.',
  ],
  inactiveMessage: ['Message for payers', 'Walipaji wasome nini badala yake'],
  inactiveMessageText: ['Shown at the link while the page is closed.', 'Huonyeshwa kwenye kiungo ukurasa ukiwa umezimwa.'],
  activate: ['Activate', 'Washa'],
  opened: ['The page takes payments again.', 'Ukurasa unapokea malipo tena.'],
  closed: ['The page takes no more payments.', 'Ukurasa haupokei malipo tena.'],
})
