/**
 * Every sentence for payers, in both languages. Invariant: a key that is missing in one language fails the build. Only
 * `noMoneyTaken` says that no money was taken, so that one place decides when it is true.
 */
import type { PayerLanguage } from '../../../domain/language.ts'
import { byLanguage } from '../../../domain/texts.ts'
import { moneyHeld } from '../../../domain/failure.ts'

export type Language = PayerLanguage

export type AmountLimits = { least: string; most: string; fixed: string }

/** What the sentences about errors name. `waitSeconds`: after how long the same may succeed. */
type ErrorFacts = AmountLimits & { waitSeconds?: number | undefined }

/** A time to wait, rounded up. In Swahili `saa` alone is a time of day, too. */
function waitOf(seconds: number | undefined): { en: string; sw: string } {
  if (seconds === undefined) return { en: 'a few minutes', sw: 'dakika chache' }
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  if (minutes <= 90) return { en: minutes === 1 ? 'a minute' : `${minutes} minutes`, sw: `dakika ${minutes}` }
  const hours = Math.ceil(minutes / 60)
  return { en: `${hours} hours`, sw: `kwa muda wa saa ${hours}` }
}

const closed = ['This page accepts no payments now', 'Ukurasa huu haupokei malipo kwa sasa'] as const

export const messagesOf = byLanguage({
  otherLanguage: ['Kiswahili', 'English'],
  pinSafety: [
    'Never tell anyone your PIN. We never ask for it here.',
    'Usimpe mtu yeyote namba yako ya siri. Hatuiombi kwenye ukurasa huu.',
  ],
  testBanner: ['Test page: no real money is involved.', 'Ukurasa wa majaribio: pesa halisi haihusiki.'],
  testNumbersTitle: ['Test numbers', 'Namba za kujaribu'],
  testNumbers: [
    ['Ending in 789: pays.', 'Inayoishia 789: inalipa.'],
    ['Ending in 049: not enough balance.', 'Inayoishia 049: salio halitoshi.'],
    ['Ending in 059: a wrong PIN.', 'Inayoishia 059: namba ya siri si sahihi.'],
    ['Ending in 129: no answer.', 'Inayoishia 129: haijibu.'],
    ['Any other: answer on the simulator’s phone.', 'Nyingine yoyote: jibu kwenye simu ya majaribio.'],
  ],
  requestId: ['Report number', 'Namba ya taarifa hii'],

  payTo: ['Pay to', 'Unamlipa'],
  paidTo: ['Paid to', 'Umemlipa'],
  verified: ['Verified business', 'Biashara iliyothibitishwa'],
  amount: ['Amount (TSh)', 'Kiasi (TSh)'],
  amountLabel: ['Amount', 'Kiasi'],
  amountHint: (limits: AmountLimits) => [
    `From ${limits.least} to ${limits.most}, without decimals.`,
    `Kuanzia ${limits.least} hadi ${limits.most}, bila senti.`,
  ],
  phone: ['Mobile money number', 'Namba ya simu ya malipo'],
  phoneHint: ['0754\u00a0123\u00a0456', '0754\u00a0123\u00a0456'],
  network: ['Network', 'Mtandao'],
  networkGuess: ['Known from the number', 'Utatambuliwa kwa namba'],
  networkGuessed: ['from the number', 'kwa namba'],
  quickAmounts: ['Choose an amount', 'Chagua kiasi'],
  networkNotReachable: ['not available', 'haupatikani'],
  name: ['Your name', 'Jina lako'],
  email: ['E-mail for a receipt', 'Barua pepe ya kutuma risiti'],
  optional: ['Optional: e-mail, remember me', 'Si lazima: barua pepe, nikumbuke'],
  optionalField: ['(optional)', '(si lazima)'],
  chooseOne: ['Choose', 'Chagua'],
  pay: ['Pay', 'Lipa'],
  payAmount: (amount: string) => [`Pay ${amount}`, `Lipa ${amount}`],
  sending: ['Sending…', 'Inatuma…'],
  about: ['About this payment', 'Kuhusu malipo haya'],
  remember: ['Remember my number and name on this phone', 'Kumbuka namba na jina langu kwenye simu hii'],
  rememberUse: ['Use', 'Tumia'],
  rememberForget: ['Forget it', 'Isahau'],
  nextStep: [
    'After you press the button, approve the message on your phone.',
    'Ukibonyeza, utapata ujumbe kwenye simu yako ili uthibitishe malipo.',
  ],
  consent: [
    'By pressing it you agree that we use this data for this payment and its receipt.',
    'Kwa kubonyeza unakubali tutumie taarifa hizi kwa malipo haya na risiti yake.',
  ],
  consentLink: ['How we use your data', 'Tunavyotunza taarifa zako'],

  errorTitle: ['Error: ', 'Kosa: '],
  errorSummary: ['Please correct this:', 'Tafadhali rekebisha:'],
  errors: (limits: ErrorFacts) => ({
    amount_required: ['Enter the amount to pay.', 'Weka kiasi cha kulipa.'],
    amount_invalid: ['Enter a whole amount in digits, such as 5000.', 'Weka kiasi kamili kwa tarakimu, mfano 5000.'],
    amount_too_small: [`The minimum is ${limits.least}.`, `Kiasi cha chini ni ${limits.least}.`],
    amount_too_large: [`The maximum is ${limits.most}.`, `Kiasi cha juu ni ${limits.most}.`],
    amount_mismatch: [
      `The price has changed: it is now ${limits.fixed}. Nothing was sent. Press Pay if you agree.`,
      `Bei imebadilika: sasa ni ${limits.fixed}. Hakuna ombi lililotumwa. Bonyeza Lipa ukikubali.`,
    ],
    phone_required: ['Enter your mobile money number.', 'Weka namba ya simu ya malipo.'],
    phone_invalid: [
      'This is not a Tanzanian mobile number, such as 0754\u00a0123\u00a0456.',
      'Hii si namba ya simu ya Tanzania, mfano 0754\u00a0123\u00a0456.',
    ],
    network_unsupported: [
      'Numbers of this network cannot pay here. Use M-Pesa, Airtel Money, Mixx by Yas or HaloPesa.',
      'Namba za mtandao huu haziwezi kulipa hapa. Tumia M-Pesa, Airtel Money, Mixx by Yas au HaloPesa.',
    ],
    name_required: ['Enter your name.', 'Weka jina lako.'],
    name_invalid: [
      'Write your name in one line of at most 120 letters.',
      'Andika jina lako kwa mstari mmoja, herufi zisizozidi 120.',
    ],
    email_invalid: [
      'This is not an e-mail address, such as asha@example.com. You may leave it empty.',
      'Hii si barua pepe, mfano asha@example.com. Unaweza kuiacha wazi.',
    ],
    key_reused: [
      'You have already sent a payment request from this form. If it comes to your phone, do not approve two. Press Pay only if you want a new payment.',
      'Umeshatuma ombi la malipo kutoka fomu hii. Likikujia kwenye simu, usithibitishe mara mbili. Bonyeza Lipa ikiwa tu unataka malipo mapya.',
    ],
    paid_meanwhile: [
      'Your earlier payment has succeeded. Press Pay only if you want to pay again.',
      'Malipo yako ya awali yamekamilika. Bonyeza Lipa ikiwa tu unataka kulipa tena.',
    ],
    form_stale: ['This form is too old. Press Pay again.', 'Fomu hii imekaa muda mrefu. Bonyeza Lipa mara moja tena.'],
    phone_busy: [
      'A payment request is already open on this phone. Answer it, or wait two minutes and try again.',
      'Kuna ombi la malipo ambalo halijajibiwa kwenye simu hii. Lijibu, au subiri dakika mbili ujaribu tena.',
    ],
    rate_limited: [
      `Too many attempts. Wait ${waitOf(limits.waitSeconds).en}, then try again.`,
      `Umejaribu mara nyingi. Subiri ${waitOf(limits.waitSeconds).sw}, kisha ujaribu tena.`,
    ],
    provider_unavailable: [
      'Mobile money payments are not available at the moment. Nothing was sent. Try again in a few minutes.',
      'Malipo kwa simu hayapatikani kwa sasa. Hakuna ombi lililotumwa. Jaribu tena baada ya dakika chache.',
    ],
    network_unavailable: [
      'This mobile network is not available at the moment. Nothing was sent. Try again in a few minutes.',
      'Mtandao huu wa simu haupatikani kwa sasa. Hakuna ombi lililotumwa. Jaribu tena baada ya dakika chache.',
    ],
    resend_unknown: [
      'It is not known whether the request was sent again. Check your phone first.',
      'Haijulikani kama ombi limetumwa tena. Angalia simu yako kwanza.',
    ],
    overloaded: [
      'Too many people are paying right now. Nothing was sent. Try again in a moment.',
      'Watu wengi wanalipa kwa sasa. Hakuna ombi lililotumwa. Jaribu tena baada ya muda mfupi.',
    ],
  }),

  networksAllOff: [
    'Mobile money payments are not available at the moment. Try again in a few minutes.',
    'Malipo kwa simu hayapatikani kwa sasa. Jaribu tena baada ya dakika chache.',
  ],

  openPayment: [
    'You have a payment here that is not completed yet. Do not pay again before you see its result.',
    'Una malipo hapa ambayo bado hayajakamilika. Usilipe tena kabla ya kupata jibu.',
  ],
  openUnwanted: [
    'You have a payment here that is not completed yet. If its request is on your phone, do not enter your PIN.',
    'Una malipo hapa ambayo bado hayajakamilika. Kama ombi lake liko kwenye simu yako, usiweke namba ya siri.',
  ],
  openPaymentLink: ['See that payment', 'Angalia malipo hayo'],
  alreadyPaid: (amount: string, at: string) => [
    `You have already paid ${amount} here, on ${at}.`,
    `Umeshalipa ${amount} hapa, ${at}.`,
  ],
  takenBackBefore: [
    'Your earlier payment here is under review. Do not pay again before you have seen it.',
    'Malipo yako ya awali hapa yanakaguliwa. Usilipe tena kabla ya kuyaangalia.',
  ],
  payAgainIfMeant: ['Pay again only if you mean to.', 'Lipa tena ikiwa tu umekusudia.'],
  alreadyPaidLink: ['See the receipt', 'Angalia risiti'],
  expiredBefore: [
    'Your earlier payment expired. If your phone says that money was sent, do not pay again.',
    'Muda wa malipo yako ya awali uliisha. Simu yako ikionyesha kuwa pesa imetoka, usilipe tena.',
  ],
  expiredBeforeLink: ['See that payment', 'Angalia malipo hayo'],

  confirmTitle: ['Confirm your payment', 'Thibitisha malipo yako'],
  confirmText: (phone: string, network: string | undefined) => [
    `Many payments are being started here at the moment. Press the button to get a payment request on ${phone}${network === undefined ? '' : ` (${network})`}.`,
    `Malipo mengi yanaanzishwa hapa kwa sasa. Bonyeza kitufe, na ombi la malipo litakuja kwenye ${phone}${network === undefined ? '' : ` (${network})`}.`,
  ],
  confirmSafe: [
    'Nothing has been sent yet. If you do not want to pay, close this page.',
    'Bado hakuna ombi lililotumwa. Kama hutaki kulipa, funga ukurasa huu.',
  ],
  confirmButton: (amount: string) => [`Yes, pay ${amount}`, `Ndiyo, lipa ${amount}`],
  unconfirmedText: [
    'The payment was not confirmed in time, so no request was sent.',
    'Malipo hayakuthibitishwa kwa wakati, hivyo hakuna ombi lililotumwa.',
  ],

  waitTitle: ['Check your phone', 'Angalia simu yako'],
  waitSent: (phone: string, network: string | undefined) => [
    `We sent a payment request to ${phone}${network === undefined ? '' : ` (${network})`}.`,
    `Tumetuma ombi la malipo kwenye namba ${phone}${network === undefined ? '' : ` (${network})`}.`,
  ],
  waitSending: (phone: string, network: string | undefined) => [
    `We are sending a payment request to ${phone}${network === undefined ? '' : ` (${network})`}.`,
    `Tunatuma ombi la malipo kwenye namba ${phone}${network === undefined ? '' : ` (${network})`}.`,
  ],
  waitSentAgain: (phone: string) => [`We sent the request to ${phone} again.`, `Tumetuma ombi tena kwenye namba ${phone}.`],
  waitName: (name: string, merchant: string) => [
    `Your phone shows the name ${name}, because we collect this payment for ${merchant}.`,
    `Simu itaonyesha jina ${name}, kwa sababu tunapokea malipo haya kwa niaba ya ${merchant}.`,
  ],
  waitPin: (amount: string) => [
    `Enter your mobile money PIN to approve ${amount}.`,
    `Weka namba ya siri (PIN) ya pesa kwa simu kuthibitisha ${amount}.`,
  ],
  waitStay: ['Come back here: this page shows when it is done.', 'Kisha rudi hapa: ukurasa huu utaonyesha malipo yakikamilika.'],
  secondsLeft: ['seconds to answer', 'sekunde za kujibu'],
  askedAgain: (time: string) => [
    `We ask the network again at ${time}. Without its answer this payment stays open after that, too.`,
    `Tutauliza mtandao tena ifikapo ${time}. Mtandao usipojibu, malipo haya yatabaki wazi hata baada ya hapo.`,
  ],
  waiting: ['Waiting for confirmation…', 'Tunasubiri uthibitisho…'],
  unsure: [
    'We are still confirming. Do not pay again yet.',
    'Bado tunathibitisha malipo yako. Usilipe tena kabla ya kupata jibu.',
  ],
  longUnsure: [
    'Ten minutes have passed, and the network has not given the result yet. We keep asking it and are still confirming. Do not pay again. If money has left your phone, this page will show the payment.',
    'Dakika kumi zimepita, na mtandao bado haujatoa jibu. Tunaendelea kuuliza na bado tunathibitisha. Usilipe tena. Kama pesa imetoka kwenye simu yako, ukurasa huu utaonyesha malipo.',
  ],
  goneTitle: ['The request on your phone has closed', 'Ombi kwenye simu yako limefungwa'],
  gone: (seconds: number) => [
    `It stays on the screen for about ${seconds} seconds. If you entered your PIN, wait: this page shows the payment.`,
    `Hukaa kwenye skrini kwa takriban sekunde ${seconds}. Kama uliweka namba ya siri, subiri: ukurasa huu utaonyesha malipo.`,
  ],
  goneResend: ['If you did not enter it, send the request again:', 'Kama hukuiweka, tuma ombi tena:'],
  goneCancel: ['If you did not enter it, cancel this payment and start again.', 'Kama hukuiweka, ghairi malipo haya uanze upya.'],
  offline: [
    'No connection at the moment. This page keeps trying. The payment is not affected.',
    'Hakuna mtandao kwa sasa. Tunaendelea kujaribu; malipo yenyewe hayaathiriki.',
  ],
  checkAgain: ['Check again', 'Angalia tena'],
  autoOff: ['Stop automatic updates', 'Zima kujisasisha'],
  autoOn: ['Update automatically', 'Washa kujisasisha'],
  noPrompt: ['No message on your phone?', 'Hujapata ujumbe kwenye simu?'],
  noPromptWait: [
    'On a busy network the message can take two minutes.',
    'Mtandao ukiwa na shughuli nyingi, ujumbe huchukua hadi dakika mbili.',
  ],
  noPromptResend: ['Then send the request again:', 'Kisha omba ombi litumwe tena:'],

  resend: ['Send the request again', 'Tuma ombi tena'],
  resendIn: (seconds: number) => [
    `You can send it again in ${seconds} seconds.`,
    `Unaweza kutuma tena baada ya sekunde ${seconds}.`,
  ],
  resendSpent: ['It was sent the maximum number of times.', 'Ombi limetumwa mara nyingi inavyoruhusiwa.'],
  cancel: ['Cancel the payment', 'Ghairi malipo'],
  cancellingTitle: ['Cancelling the payment', 'Tunaghairi malipo'],
  cancelling: [
    'You have cancelled. If a request still comes to your phone, do not enter your PIN. We are asking the network whether it is closed; as soon as it says so, this page says that you can safely try again.',
    'Umeghairi. Ombi likija kwenye simu yako, usiweke namba ya siri. Tunauliza mtandao kama limefungwa; mtandao ukithibitisha hivyo, ukurasa huu utasema kuwa unaweza kujaribu tena bila wasiwasi.',
  ],

  confirmingTitle: ['Confirming your payment', 'Tunathibitisha malipo yako'],
  doneTitle: ['Payment complete', 'Malipo yamekamilika'],
  takenBackTitle: ['This payment is under review', 'Malipo haya yanakaguliwa'],
  takenBackText: (merchant: string) => [
    `The network first said that this was paid, and later that it was not. ${merchant} does not have the money. Do not pay again before you have asked ${merchant}.`,
    `Mtandao ulisema kwanza kuwa malipo haya yamelipwa, kisha ukasema kuwa hayakulipwa. ${merchant} hana pesa hiyo. Usilipe tena kabla ya kumuuliza ${merchant}.`,
  ],
  failedTitle: ['Payment did not go through', 'Malipo hayajakamilika'],
  voidedTitle: ['You cancelled the payment', 'Umeghairi malipo'],
  expiredTitle: ['Payment expired', 'Muda wa kulipa umeisha'],
  expiredText: [
    'If your phone says that money was sent, do not pay again. Open this page again later: it will show the payment.',
    'Simu yako ikionyesha kuwa pesa imetoka, usilipe tena. Fungua tena ukurasa huu baadaye: utaonyesha malipo.',
  ],
  noMoneyTaken: ['No money was taken.', 'Hakuna pesa iliyokatwa.'],
  closedSafe: ['The request is closed: it is safe to try again.', 'Ombi limefungwa: unaweza kujaribu tena bila wasiwasi.'],
  moneyHeld,
  moneyReturned: [
    'The money that arrived did not match this payment. It was sent back to the phone that paid.',
    'Pesa iliyofika haikulingana na malipo haya. Imerudishwa kwenye simu iliyolipa.',
  ],
  moneyLeft: [
    'The money that arrived did not match this payment. The network returns it to the phone that paid.',
    'Pesa iliyofika haikulingana na malipo haya. Mtandao unairudisha kwenye simu iliyolipa.',
  ],
  tryAgain: ['Try again', 'Jaribu tena'],
  anotherNumber: ['Use another number', 'Tumia namba nyingine'],
  payAtMerchant: (merchant: string) => [
    `If you still need to pay, go back to ${merchant} and pay there.`,
    `Kama bado unahitaji kulipa, rudi kwa ${merchant} ulipie huko.`,
  ],
  startAgain: ['Start again', 'Anza upya'],

  returnTo: (merchant: string) => [`Return to ${merchant}`, `Rudi kwa ${merchant}`],
  returningIn: (seconds: number) => [
    `This page takes you back in ${seconds} seconds.`,
    `Ukurasa huu utakurudisha baada ya sekunde ${seconds}.`,
  ],
  stay: ['Stay on this page', 'Baki kwenye ukurasa huu'],

  receiptTitle: ['Receipt', 'Risiti'],
  amountAsked: ['Requested amount', 'Kiasi kilichoombwa'],
  receiptOpen: ['Open the receipt', 'Fungua risiti'],
  receiptKeep: (code: string) => [
    `This page is your receipt. Share it, or write down its code: ${code}.`,
    `Ukurasa huu ni risiti yako. Utume kwa mtu, au andika msimbo wake: ${code}.`,
  ],
  receiptShare: ['Share the receipt', 'Tuma risiti'],
  receiptWhatsApp: ['Send with WhatsApp', 'Tuma kwa WhatsApp'],
  receiptText: (amount: string, merchant: string, title: string, code: string) => [
    `Receipt: ${amount} paid to ${merchant} for ${title}. Payment code ${code}.`,
    `Risiti: ${amount} zimelipwa kwa ${merchant}, malipo ya ${title}. Msimbo wa malipo ${code}.`,
  ],
  someMerchant: ['a merchant', 'mfanyabiashara'],
  somePage: ['a payment page', 'ukurasa wa malipo'],
  receiptCopy: ['Copy the link', 'Nakili kiungo'],
  receiptCopied: ['The link is copied', 'Kiungo kimenakiliwa'],
  receiptPrint: ['Print', 'Chapisha'],
  receiptQr: ['Scan this code to check the receipt', 'Skani msimbo huu kuhakiki risiti'],
  receiptAddress: ['Address of this receipt', 'Anwani ya risiti hii'],
  receiptProof: (host: string) => [
    `This page comes from the records of Malipo. It is genuine if the address begins with ${host}.`,
    `Ukurasa huu unatoka kwenye kumbukumbu za Malipo. Ni halisi ikiwa anwani yake inaanza na ${host}.`,
  ],
  paidFor: ['For', 'Malipo ya'],
  paidFrom: ['Paid from', 'Yamelipwa kutoka'],
  paidAt: ['Date', 'Tarehe'],
  refunded: ['Refunded', 'Fedha zilizorudishwa'],
  refundedTo: ['The money was sent back to the phone that paid.', 'Fedha zilirudishwa kwenye simu iliyolipa.'],
  refundedOutside: [
    'Returned by the merchant, not through Malipo.',
    'Zilirudishwa na mfanyabiashara mwenyewe, si kupitia Malipo.',
  ],
  eastAfricaTime: ['East Africa Time', 'saa za Afrika Mashariki'],
  reference: ['Reference', 'Kumbukumbu namba'],
  shortCode: ['Payment code', 'Msimbo wa malipo'],
  networkReceipt: (network: string) => [`${network} receipt number`, `Namba ya risiti ya ${network}`],
  someNetwork: ['Network', 'mtandao'],

  notFoundTitle: ['Page not found', 'Ukurasa haupo'],
  notFoundText: [
    'There is no payment page here. Check the link, or ask the person who sent it to you.',
    'Hakuna ukurasa wa malipo hapa. Kagua kiungo, au muulize aliyekutumia.',
  ],
  paymentNotFoundText: [
    'There is no such payment on this page. Check the link.',
    'Hakuna malipo hayo kwenye ukurasa huu. Kagua kiungo.',
  ],
  receiptNotFoundText: [
    'There is no receipt here. A receipt exists once the payment is complete.',
    'Hakuna risiti hapa. Risiti hupatikana malipo yakishakamilika.',
  ],
  closedTitle: {
    inactive: closed,
    expired: closed,
    sold_out: ['No places left', 'Nafasi zimekwisha'],
    paid: ['This is already paid', 'Malipo haya yameshalipwa'],
    cancelled: ['This payment was cancelled', 'Malipo haya yameghairiwa'],
    busy: ['A payment is in progress', 'Malipo yanaendelea'],
  },
  closedText: (of: { amount: string; title: string; merchant: string }) => ({
    inactive: [
      'The owner has closed it. Ask them if you still need to pay.',
      'Mwenye ukurasa ameufunga. Muulize kama bado unahitaji kulipa.',
    ],
    expired: [
      'It has expired. Ask the owner if you still need to pay.',
      'Muda wake umekwisha. Muulize mwenye ukurasa kama bado unahitaji kulipa.',
    ],
    sold_out: [
      'All places are taken. If another payment is not completed, a place may become free later.',
      'Nafasi zote zimechukuliwa. Mtu asipokamilisha malipo, nafasi inaweza kupatikana baadaye.',
    ],
    paid: [
      `${of.amount} for “${of.title}” has been paid to ${of.merchant}. You do not need to pay again.`,
      `${of.amount} kwa ajili ya “${of.title}” zimeshalipwa kwa ${of.merchant}. Huhitaji kulipa tena.`,
    ],
    cancelled: [
      `${of.merchant} has cancelled this payment. Do not pay; ask them if you have a question.`,
      `${of.merchant} ameghairi malipo haya. Usilipe; muulize kama una swali.`,
    ],
    busy: [
      'Someone has just started to pay this. Wait for the result. If that payment fails, you can pay here.',
      'Kuna mtu ameanza kulipa sasa hivi. Subiri matokeo. Malipo hayo yasipofanikiwa, unaweza kulipa hapa.',
    ],
  }),
  paidInPart: (of: { amount: string; asked: string; title: string; merchant: string }) => [
    `${of.amount} of ${of.asked} for “${of.title}” has been paid to ${of.merchant}. Ask ${of.merchant} about the rest before you pay anything more.`,
    `${of.amount} kati ya ${of.asked} kwa ajili ya “${of.title}” zimelipwa kwa ${of.merchant}. Muulize ${of.merchant} kuhusu kiasi kilichobaki kabla ya kulipa tena.`,
  ],
  paidAndReturned: (of: { amount: string; returned: string; title: string; merchant: string }) => [
    `${of.amount} for “${of.title}” was paid to ${of.merchant}, and ${of.returned} was sent back to the payer. Ask ${of.merchant} if you still need to pay.`,
    `${of.amount} kwa ajili ya “${of.title}” zililipwa kwa ${of.merchant}, na ${of.returned} zimerudishwa kwa aliyelipa. Muulize ${of.merchant} kama bado unahitaji kulipa.`,
  ],
  invoiceClosedText: (merchant: string) => [
    `This invoice takes no payment any more. Ask ${merchant} if you still need to pay.`,
    `Ankara hii haipokei malipo tena. Muulize ${merchant} kama bado unahitaji kulipa.`,
  ],
  requestExpiredTitle: ['This payment link has expired', 'Muda wa kiungo hiki cha malipo umekwisha'],
  requestExpiredText: (merchant: string) => [
    `No new payment can start here. Ask ${merchant} for a new link if you still need to pay.`,
    `Malipo mapya hayawezi kuanza hapa. Mwombe ${merchant} kiungo kipya kama bado unahitaji kulipa.`,
  ],
  notUnderstoodTitle: ['We could not read this', 'Hatukuweza kusoma ombi hili'],
  notUnderstoodText: [
    'The data that was sent cannot be read. Open the payment page again and fill in the form.',
    'Kilichotumwa hakieleweki. Fungua tena ukurasa wa malipo ujaze fomu.',
  ],
  tooManyTitle: ['Too many attempts', 'Umejaribu mara nyingi'],
  tooManyText: (waitSeconds: number | undefined) => [
    `Wait ${waitOf(waitSeconds).en}, then open this page again. A payment that has started continues by itself.`,
    `Subiri ${waitOf(waitSeconds).sw}, kisha fungua tena ukurasa huu. Malipo yaliyoanza yanaendelea yenyewe.`,
  ],
  busyTitle: ['Try again in a moment', 'Jaribu tena baada ya muda mfupi'],
  busyText: [
    'The service cannot answer right now. If you had already sent a payment, do not send another one: open this page again.',
    'Huduma haiwezi kujibu kwa sasa. Kama ulishatuma malipo, usitume mengine: fungua tena ukurasa huu.',
  ],
  brokenTitle: ['Something went wrong on our side', 'Kuna hitilafu upande wetu'],
  brokenText: [
    'If you had already sent a payment, do not send another one: open this page again to see it.',
    'Kama ulishatuma malipo, usitume mengine: fungua tena ukurasa huu uyaone.',
  ],
  openAgain: ['Open this page again', 'Fungua tena ukurasa huu'],
})

export type ErrorCode = keyof ReturnType<(typeof messagesOf)['en']['errors']>

/** For sentences without an amount. */
export const anyLimits: AmountLimits = { least: '', most: '', fixed: '' }

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(messagesOf.en.errors(anyLimits), code)
}
