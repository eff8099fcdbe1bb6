/** The privacy notice: which data is collected, why, for how long, and the contact: one page in both languages, without script. */
import { html, type Html } from './html.ts'
import type { Language } from './messages.ts'
import { screenHtml } from './screen.ts'

export type PrivacyFacts = {
  /** The controller of the data, and the contact address. */
  controller: string
  contact: string
  kycRecordYears: number
}

/** In days, equal to server/operations/data-lifecycle/retention-rules.ts; a test compares the two. */
const days = { messages: 90, mails: 30, sessions: 90, documents: 90, cases: 365 }

type Notice = { title: string; sections: { title: string; lines: string[] }[]; askAt: string }

const notices: Record<Language, (facts: PrivacyFacts) => Notice> = {
  en: ({ controller, kycRecordYears }) => ({
    title: 'Your data',
    askAt: 'Ask at',
    sections: [
      { title: 'Controller', lines: [`${controller}, under the Personal Data Protection Act, 2022.`] },
      {
        title: 'Data that we collect, and why',
        lines: [
          'If you pay: your mobile money number, name, the amount, your e-mail address if you give one, and what you answer to the merchant’s own questions. We use them to send the payment request to your phone, to send you the receipt, and to identify the payer to the merchant.',
          'If you ask this phone to remember your number and name, they stay in its browser until you press “Forget it” there. We do not receive them before you pay.',
          'If you report that money was taken: the number in the network’s message, and what else you tell us. We use it only to find out and to answer you. Only our team sees it.',
          'If you open an account: name, e-mail address, phone number, student number and university. To accept real payments also your identity number, date of birth and pictures of documents, and the details and documents of a business: the law requires us to identify the people and businesses that take money.',
          'While you are signed in: the kind of your device and its internet address. We use them to protect your account.',
        ],
      },
      {
        title: 'Who receives it',
        lines: [
          'Only the merchant that you pay (name, e-mail address if you give one, number, your answers; who looks at the whole number there is recorded), the mobile money provider, and our e-mail provider. We do not sell it and do not use it for advertising.',
        ],
      },
      {
        title: 'How long we keep it',
        lines: [
          'Payments: with the books. Your name, number, e-mail address and answers in them: until you ask us to erase them.',
          `Messages of providers: ${days.messages} days. Recipients of mail: ${days.mails} days. Devices: ${days.sessions} days after the last day on which they were signed in. Pictures that you never submitted: ${days.documents} days. Reports that money was taken: ${days.cases} days after their answer.`,
          `Proof of the identity of an account holder: ${kycRecordYears} years after the account is closed, because the law against money laundering requires it.`,
        ],
      },
      {
        title: 'Your rights',
        lines: [
          'You can ask us to show you all your data, to correct it, to stop using it, and to erase it. This is free. Amounts stay in the books, without your name.',
          'Write from the e-mail address, or call from the number, that the data is about. If you do not agree with our answer, you can complain to the Personal Data Protection Commission (pdpc.go.tz).',
        ],
      },
    ],
  }),
  sw: ({ controller, kycRecordYears }) => ({
    title: 'Taarifa zako',
    askAt: 'Uliza kupitia',
    sections: [
      { title: 'Nani anawajibika', lines: [`${controller}, chini ya Sheria ya Ulinzi wa Taarifa Binafsi ya mwaka 2022.`] },
      {
        title: 'Tunachochukua, na kwa nini',
        lines: [
          'Ukilipa: namba yako ya simu ya malipo, jina, kiasi, barua pepe ukiitoa, na unachojibu maswali ya mfanyabiashara. Ili kutuma ombi kwenye simu yako, kukutumia risiti, na ili mfanyabiashara ajue nani amelipa.',
          'Ukiomba simu hii ikumbuke namba na jina lako, hubaki kwenye kivinjari chake hadi ubonyeze “Isahau” humo. Hatuzipati kabla hujalipa.',
          'Ukiripoti kuwa pesa imekatwa: namba iliyo kwenye ujumbe wa mtandao, na mengine unayotuambia. Ili kuchunguza na kukujibu tu. Timu yetu pekee ndiyo inayaona.',
          'Ukifungua akaunti: jina, barua pepe, namba ya simu, namba ya mwanafunzi na chuo. Ili kupokea malipo halisi, pia namba ya kitambulisho, tarehe ya kuzaliwa na picha za hati, na taarifa na hati za biashara: sheria inataka ijulikane nani anapokea pesa.',
          'Ukiwa umeingia: aina ya kifaa chako na anwani yake ya intaneti. Ili kulinda akaunti yako.',
        ],
      },
      {
        title: 'Nani anazipata',
        lines: [
          'Mfanyabiashara unayemlipa (jina, barua pepe ukiitoa, namba, majibu yako; anayeangalia namba nzima huko anahifadhiwa), mtoa huduma wa pesa kwa simu, na anayesafirisha barua pepe zetu. Hakuna mwingine. Hatuziuzi wala hatuzitumii kwa matangazo.',
        ],
      },
      {
        title: 'Tunazitunza kwa muda gani',
        lines: [
          'Kilicholipwa: pamoja na vitabu vya hesabu. Jina, namba, barua pepe na majibu yako humo: hadi utuombe tukusahau.',
          `Tunachoambiwa na watoa huduma: siku ${days.messages}. Barua pepe zilikokwenda: siku ${days.mails}. Vifaa: siku ${days.sessions} baada ya siku ya mwisho vilipokuwa vimeingia. Picha ambazo hukuzituma: siku ${days.documents}. Ripoti za pesa iliyokatwa: siku ${days.cases} baada ya jibu.`,
          `Uthibitisho wa mwenye akaunti: miaka ${kycRecordYears} baada ya akaunti kufungwa, kwa sababu sheria ya kuzuia utakatishaji wa fedha inataka hivyo.`,
        ],
      },
      {
        title: 'Unachoweza kuomba',
        lines: [
          'Kuona yote tunayojua kukuhusu, yasahihishwe, tuache kuyatumia, na kusahauliwa. Ni bure. Kiasi kinabaki kwenye vitabu vya hesabu, bila jina lako.',
          'Andika kutoka kwenye barua pepe, au piga kutoka kwenye namba, inayohusika. Jibu letu lisipokuridhisha, Tume ya Ulinzi wa Taarifa Binafsi (pdpc.go.tz) itakusikiliza.',
        ],
      },
    ],
  }),
}

export function privacyHtml(facts: PrivacyFacts, language: Language): Html {
  const { title, sections, askAt } = notices[language](facts)
  const parts = sections.map(
    (section) =>
      html`<h2>${section.title}</h2>
        ${section.lines.map((line) => html`<p>${line}</p>`)}`,
  )
  const body = html`<div class="card">
    <h1>${title}</h1>
    ${parts}
    <p>${askAt}: <a class="dial" href="mailto:${facts.contact}">${facts.contact}</a></p>
  </div>`
  return screenHtml({ language, title, script: null, body })
}
