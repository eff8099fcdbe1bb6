/** The texts of the verification of people and businesses. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const verificationTexts = defineTexts('verification', [shared], {
  title: {
    person: ['Your identity', 'Utambulisho wako'],
    business: ['The business and its documents', 'Biashara na nyaraka zake'],
    new: ['Register a business', 'Sajili biashara'],
  },
  text: {
    person: [
      'Verify your identity once. Then you can use live payments and payouts.',
      'Onyesha wewe ni nani, mara moja tu. Kisha malipo halisi na kutoa pesa vinafunguka kwako.',
    ],
    business: [
      'Enter the details of the business and upload four documents. Then it can use live payments and payouts.',
      'Tueleze kuhusu biashara na uonyeshe nyaraka nne. Kisha malipo halisi na kutoa pesa vinafunguka.',
    ],
  },
  before: {
    title: ['Before you start', 'Kabla ya kuanza'],
    why: [
      'The law asks who receives money from others, and payers can trust a checked name. Only our reviewers see what you send.',
      'Sheria inataka ijulikane nani anapokea pesa za wengine, na walipaji wanaamini jina lililokaguliwa. Wakaguzi wetu tu wanaona unachotuma.',
    ],
    time: [
      'It takes about five minutes. We look at it within two days and tell you by mail.',
      'Inachukua kama dakika tano. Tunaikagua ndani ya siku mbili na kukuarifu kwa barua pepe.',
    ],
    need: ['Have these ready, as photos or PDF:', 'Andaa hivi, kama picha au PDF:'],
    number: ['the number of your identity card and your date of birth', 'namba ya kitambulisho chako na tarehe yako ya kuzaliwa'],
    details: [
      'the registration number and the address of the business, and its TIN if it has one',
      'namba ya usajili na anwani ya biashara, na TIN kama ipo',
    ],
    kept: [
      'What you type stays here if you go to another screen. The number of your card is kept nowhere until you send it.',
      'Unachoandika kinabaki hapa ukienda kurasa nyingine. Namba ya kitambulisho haitunzwi popote hadi uitume.',
    ],
    keptBusiness: [
      'What you type stays here until you save it, also if this page is loaded again.',
      'Unachoandika kinabaki hapa hadi ukihifadhi, hata ukurasa huu ukipakiwa upya.',
    ],
  },
  stepsLabel: ['Steps', 'Hatua'],
  steps: {
    facts: {
      person: ['About you', 'Kuhusu wewe'],
      business: ['The business', 'Biashara'],
    },
    documents: ['Documents', 'Nyaraka'],
    send: ['Check and send', 'Kagua na utume'],
  },
  student: {
    title: ['Your student number', 'Namba yako ya mwanafunzi'],
    text: [
      'You have not given it yet. It is kept with your verification and with each business that you register, and cannot be changed later.',
      'Bado hujaitoa. Inatunzwa pamoja na uthibitisho wako na kila biashara unayosajili, na haibadilishwi baadaye.',
    ],
  },
  chooseRegion: ['Choose a region …', 'Chagua mkoa …'],
  part: {
    what: ['Business', 'Ni biashara gani'],
    where: ['Address', 'Ilipo'],
    reach: ['Contact', 'Jinsi ya kuwasiliana'],
  },
  fact: {
    full_name: ['Name', 'Jina'],
    institution: ['University or college', 'Chuo'],
    student_id: ['Student number', 'Namba ya mwanafunzi'],
    national_id_number: ['Number of your identity card', 'Namba ya kitambulisho chako'],
    date_of_birth: ['Date of birth', 'Tarehe ya kuzaliwa'],
    business_type: ['Kind of business', 'Aina ya biashara'],
    legal_name: ['Registered name', 'Jina lililosajiliwa'],
    trading_name: ['Trading name', 'Jina la biashara'],
    registration_number: ['Registration number', 'Namba ya usajili'],
    tax_identification_number: ['TIN', 'TIN'],
    address: ['Address', 'Anwani'],
    city: ['Town or city', 'Mji'],
    region: ['Region', 'Mkoa'],
    phone: ['Phone number', 'Namba ya simu'],
    email: ['E-mail address', 'Barua pepe'],
    website: ['Website', 'Tovuti'],
    representative_role: ['Your role in it', 'Wadhifa wako'],
  },
  businessType: {
    sole_proprietor: ['One person’s business', 'Biashara ya mtu mmoja'],
    company: ['Company', 'Kampuni'],
    partnership: ['Partnership', 'Ubia'],
    ngo: ['Association or NGO', 'Chama au shirika lisilo la kiserikali'],
    other: ['Something else', 'Nyingine'],
  },
  hint: {
    legal_name: [
      'As on its documents; without documents, your own name.',
      'Kama lilivyo kwenye nyaraka zake; bila nyaraka, jina lako.',
    ],
    trading_name: [
      'The name that your customers know. They see it when they pay.',
      'Jinsi wateja wanavyoiita. Wanaliona wanapolipa.',
    ],
    registration_number: ['The number from BRELA or another registrar.', 'Namba iliyotolewa na BRELA au aliyeisajili.'],
    no_registration: ['Leave it empty if the business is not registered.', 'Acha wazi kama biashara haijasajiliwa.'],
    tax_identification_number: ['The number from TRA, if it has one.', 'Namba ya TRA, kama ipo.'],
    address: ['Street, plot or house number.', 'Mtaa, kiwanja au nyumba, ili mtu aweze kufika.'],
    representative_role: ['Owner, director, treasurer …', 'Mmiliki, mkurugenzi, mweka hazina …'],
    national_id_number: [
      'NIDA number, voter’s card or passport. It is kept sealed.',
      'Namba ya NIDA, kadi ya mpiga kura au pasipoti. Inatunzwa kwa siri.',
    ],
    keptNumber: [
      'Leave it empty to keep the number that ends in {{end}}.',
      'Acha wazi ili kubaki na namba inayoishia na {{end}}.',
    ],
    date_of_birth: ['As on the identity card.', 'Kama ilivyo kwenye kitambulisho.'],
    registration_certificate: [
      'Certificate from BRELA or another registrar. Without one: a letter from your local government.',
      'Cheti cha BRELA au cha aliyeisajili. Kama hakipo: barua ya serikali ya mtaa.',
    ],
    tax_certificate: ['The TIN certificate of TRA.', 'Cheti cha TIN kutoka TRA.'],
    business_license: ['The licence of your municipality, valid today.', 'Leseni ya halmashauri, iliyo hai leo.'],
    proof_of_address: [
      'A bill or letter from the last three months with the address.',
      'Bili au barua ya miezi mitatu iliyopita inayoonyesha anwani.',
    ],
    national_id: [
      'The side with your face and name, all four corners in the picture.',
      'Upande wenye uso na jina lako, pembe zote nne zionekane.',
    ],
    student_id_card: ['The side with your name and the name of the institution.', 'Upande wenye jina lako na jina la chuo.'],
    selfie: [
      'Your face from the front, in daylight, without hat and sunglasses.',
      'Uso wako kwa mbele, penye mwanga, bila kofia wala miwani ya jua.',
    ],
  },
  purpose: {
    registration_certificate: ['Registration certificate', 'Cheti cha usajili'],
    tax_certificate: ['Tax certificate', 'Cheti cha mlipakodi'],
    business_license: ['Business licence', 'Leseni ya biashara'],
    proof_of_address: ['Proof of address', 'Uthibitisho wa anwani'],
    national_id: ['Identity card', 'Kitambulisho'],
    student_id_card: ['Student card', 'Kitambulisho cha mwanafunzi'],
    selfie: ['Picture of your face', 'Picha ya uso wako'],
  },
  nameText: ['Your name must be the same as on your identity card.', 'Jina lako liwe kama lilivyo kwenye kitambulisho.'],
  nameWay: ['Change it in your profile', 'Libadilishe kwenye wasifu wako'],
  documentsText: [
    'A picture (JPEG or PNG) or a PDF for each. Drop a file on its card, or use the button. Only you and our reviewers see them.',
    'Picha (JPEG au PNG) au PDF kwa kila moja. Dondosha faili kwenye kadi yake, au tumia kitufe. Wewe na wakaguzi wetu tu mnaziona.',
  ],
  documentsTextPhone: [
    'Take a photo of each, or choose a picture or a PDF. Only you and our reviewers see them.',
    'Piga picha ya kila moja, au chagua picha au PDF. Wewe na wakaguzi wetu tu mnaziona.',
  ],
  chooseFile: ['Choose a file', 'Chagua faili'],
  takePhoto: ['Take a photo', 'Piga picha'],
  replace: ['Replace', 'Badilisha'],
  lookAt: ['Open: {{name}}', 'Angalia: {{name}}'],
  lookAtSent: ['See what you sent', 'Angalia ulichotuma'],
  sentCopy: [
    'A picture made from your file, as our reviewers see it.',
    'Picha iliyotengenezwa kutoka kwenye faili yako, kama wakaguzi wetu wanavyoiona.',
  ],
  openAlone: ['Open it in a new tab', 'Fungua peke yake'],
  uploaded: ['Uploaded', 'Imepakiwa'],
  sameAs: [
    'This is the same file as for: {{name}}. Is it the right one?',
    'Faili hii ni ile ile ya: {{name}}. Je, ndiyo sahihi?',
  ],
  upload: {
    waiting: ['Waiting', 'Inasubiri zamu'],
    sending: ['Sending', 'Inatumwa'],
    checking: ['Arrived, being checked', 'Imefika, inakaguliwa'],
  },
  unfit: {
    empty: ['{{name}} is empty. Choose another file.', '{{name}} ni tupu. Chagua faili nyingine.'],
    type: [
      '{{name}} is neither a JPEG or PNG picture nor a PDF. Choose another file.',
      '{{name}} si picha ya JPEG au PNG wala PDF. Chagua faili nyingine.',
    ],
    heic: [
      '{{name}} is a HEIC picture, which reviewers cannot open. On an iPhone: Settings, Camera, Formats, “Most Compatible”, then take it again; or choose a screenshot of it.',
      '{{name}} ni picha ya HEIC, ambayo wakaguzi hawawezi kuifungua. Kwenye iPhone: Settings, Camera, Formats, “Most Compatible”, kisha piga upya; au chagua screenshot yake.',
    ],
    unreadable: [
      '{{name}} cannot be read from this device. Save it here first, then choose it again.',
      '{{name}} haisomeki kwenye kifaa hiki. Ihifadhi hapa kwanza, kisha uichague tena.',
    ],
    size: [
      '{{name}} is too large: at most {{most}}. Take a smaller picture, or scan it with fewer dots.',
      '{{name}} ni kubwa mno: isizidi {{most}}. Piga picha ndogo zaidi.',
    ],
    several: [
      'One file for each document: put the pages into one PDF.',
      'Faili moja kwa kila hati: unganisha kurasa kwenye PDF moja.',
    ],
  },
  refused: {
    document_content_mismatch: [
      'The file type does not match its content. Save it again as a picture or PDF.',
      'Faili si aina inayodaiwa. Ihifadhi upya kama picha au PDF.',
    ],
    document_active_content: [
      'The PDF contains programs or attachments. Print it to a new PDF and upload that.',
      'PDF ina programu au viambatisho. Ichapishe kwenye PDF mpya na upakie hiyo.',
    ],
    document_encrypted: [
      'The PDF is locked with a password. Save it without one.',
      'PDF imefungwa kwa nenosiri. Ihifadhi bila nenosiri.',
    ],
    document_too_complex: [
      'The file takes too long to read. Scan the document again, with fewer pages or dots.',
      'Faili inachukua muda mrefu kusomeka. Skani upya, kwa kurasa chache.',
    ],
    document_infected: [
      'A virus was found in this file. Use another device to create it again.',
      'Kirusi kimepatikana kwenye faili hii. Tengeneza nyingine kwa kifaa kingine.',
    ],
    document_too_large: ['The file is too large. Take a smaller picture.', 'Faili ni kubwa mno. Piga picha ndogo zaidi.'],
    document_unreadable: [
      'The file cannot be opened. Upload it again, as another file.',
      'Faili haifunguki. Pakia tena, kama faili nyingine.',
    ],
    address_used: ['That took too long. Try again.', 'Imechukua muda mrefu mno. Jaribu tena.'],
    storage_unavailable: [
      'Documents cannot be stored right now. Nothing is lost: try again shortly.',
      'Nyaraka haziwezi kutunzwa kwa sasa. Hakuna kilichopotea: jaribu tena baada ya muda mfupi.',
    ],
    scanner_unavailable: [
      'Documents cannot be checked right now. Nothing is lost: try again shortly.',
      'Nyaraka haziwezi kukaguliwa kwa sasa. Hakuna kilichopotea: jaribu tena baada ya muda mfupi.',
    ],
    upload_too_slow: ['The connection was too slow. Try again.', 'Mtandao ni wa polepole mno. Jaribu tena.'],
    upload_cut: ['The connection was cut. Try again.', 'Mtandao umekatika. Jaribu tena.'],
    other: ['The file was refused. Choose another one.', 'Faili haikukubaliwa. Chagua nyingine.'],
  },
  problem: {
    missing: ['This is required.', 'Hii inahitajika.'],
    number: ['Required, unless it is one person’s business.', 'Inahitajika, isipokuwa kwa biashara ya mtu mmoja.'],
    text: ['This is not correct, or it is too long.', 'Si sahihi, au ni ndefu mno.'],
    website: ['An address that begins with https://.', 'Anwani inayoanza na https://.'],
    phone: [
      'This is not a phone number. Write it as 022 211 2345 or +255 22 211 2345.',
      'Hii si namba ya simu. Iandike kama 022 211 2345 au +255 22 211 2345.',
    ],
    email: ['Write it as name@example.com.', 'Iandike kama jina@mfano.com.'],
    nationalId: [
      'Write the number as on the card: letters, digits and hyphens.',
      'Andika namba kama ilivyo kwenye kitambulisho: herufi, tarakimu na vistari.',
    ],
    dateOfBirth: ['This date of birth is not possible. Check it again.', 'Huwezi kuwa umezaliwa siku hii. Iangalie tena.'],
    future: ['This day is in the future.', 'Siku hii bado haijafika.'],
    format: ['Enter the day, the month and the year.', 'Andika siku, mwezi na mwaka.'],
  },
  saveAndGoOn: ['Save and continue', 'Hifadhi na uendelee'],
  goOn: ['Continue', 'Endelea'],
  goBack: ['Back', 'Rudi'],
  none: ['None', 'Hakuna'],
  missing: ['Missing', 'Haipo bado'],
  sent: ['Submitted data', 'Ulichotuma'],
  change: ['Change something', 'Badilisha kitu'],
  changeText: ['Changes are reviewed again.', 'Utakachobadilisha kitakaguliwa upya.'],
  notYet: ['Something is still missing', 'Kuna kinachokosekana bado'],
  notYetFacts: ['Your personal details.', 'Unayoandika kukuhusu.'],
  uploading_one: ['{{count}} file is still uploading.', 'Faili {{count}} bado inatumwa.'],
  uploading_other: ['{{count}} files are still uploading.', 'Faili {{count}} bado zinatumwa.'],
  send: ['Send for review', 'Tuma ikaguliwe'],
  sendText: [
    'Our reviewers compare your details with the documents. We send you the result by mail.',
    'Wakaguzi wetu wanalinganisha ulichoandika na nyaraka. Tutakuarifu kwa barua pepe.',
  ],
  correct: ['Correct it and send again', 'Sahihisha na utume tena'],
  correctItem: ['Correct', 'Sahihisha'],
  verified: {
    title: ['Verified', 'Imethibitishwa'],
    text: [
      'Live payments and payouts are possible. Verified details cannot be changed here.',
      'Malipo halisi na kutoa pesa vimefunguliwa. Kilichothibitishwa hakibadilishwi hapa.',
    ],
  },
  rejected: {
    title: ['It was not accepted', 'Haikukubaliwa'],
    items_one: [
      'One thing needs to be corrected; everything else is fine and stays as it is:',
      'Kuna kitu kimoja cha kusahihisha; mengine yote ni sawa na yanabaki kama yalivyo:',
    ],
    items_other: [
      '{{count}} things need to be corrected; everything else is fine and stays as it is:',
      'Kuna vitu {{count}} vya kusahihisha; mengine yote ni sawa na yanabaki kama yalivyo:',
    ],
    still: [
      'Not replaced yet: {{names}}. You can send it again like this, but the answer may be the same.',
      'Bado hazijabadilishwa: {{names}}. Unaweza kutuma hivi, lakini jibu linaweza kuwa lile lile.',
    ],
    text: [
      'Everything that you sent is still here: correct the errors and send it again.',
      'Ulichotuma bado kipo hapa: sahihisha kilichokosewa na utume tena.',
    ],
  },
  pending: {
    title: ['In review', 'Tunaikagua'],
    since: ['Sent', 'Ilitumwa'],
    text: ['We send you the result by mail and show it here.', 'Tutakuarifu kwa barua pepe, na itaonekana hapa.'],
    unreadable: [
      'One of the documents cannot be opened. Upload it again and send.',
      'Hati mojawapo haifunguki. Ipakie tena na utume.',
    ],
  },
  representative: {
    title: ['Verify your own identity first', 'Kwanza tukujue wewe ni nani'],
    text: [
      'You represent this business. After your own identity is verified, you can send its documents.',
      'Wewe ni mwakilishi wa biashara hii. Utambulisho wako ukithibitishwa utaweza kutuma nyaraka zake.',
    ],
    pending: [
      'We are still reviewing your own documents. After your identity is verified, you can send the documents of the business.',
      'Bado tunakagua nyaraka zako mwenyewe. Zikithibitishwa utaweza kutuma za biashara.',
    ],
    way: ['To your identity', 'Nenda kwenye utambulisho wako'],
    unnamed: ['The representative', 'Mwakilishi'],
    otherTitle: ['{{name}} must be verified first', '{{name}} lazima athibitishwe kwanza'],
    other: [
      '{{name}} represents this business and opens Verification in their own account. Or another owner becomes the representative: make a second owner under Team, then give {{name}} another role.',
      '{{name}} ndiye mwakilishi wa biashara hii, na anafungua Uthibitisho kwenye akaunti yake mwenyewe. Au mmiliki mwingine awe mwakilishi: weka mmiliki wa pili kwenye Timu, kisha mpe {{name}} jukumu jingine.',
    ],
  },
})

export type VerificationSay = ReturnType<typeof verificationTexts.use>
