/**
 * Where a payer finds help: the merchant's own contact, the operators', and the way to report that money was taken. Invariant: it shows
 * only what the merchant chose to show.
 */
import { nameForPayers } from '../../../domain/merchant.ts'
import { localPhone } from '../../../domain/phone.ts'
import { byLanguage } from '../../../domain/texts.ts'
import type { SupportContact } from '../../../collect/support-cases/support-contact.ts'
import { html, type Html } from './html.ts'
import type { Language } from './messages.ts'

export type OperatorContact = { phone: string | null; email: string }

const texts = byLanguage({
  title: ['Help', 'Msaada'],
  aboutGoods: (merchant: string) => [`About what you pay for: ${merchant}`, `Kuhusu unacholipia: ${merchant}`],
  askDirectly: [
    'Ask where you got this link. No contact is given here.',
    'Uliza mahali ulipopata kiungo hiki. Hakuna mawasiliano yaliyowekwa hapa.',
  ],
  aboutPayment: ['About the payment itself: Malipo', 'Kuhusu malipo yenyewe: Malipo'],
  call: ['Call', 'Piga'],
  write: ['Write to', 'Andika kwa'],
  debited: ['Was money taken from your phone?', 'Pesa imekatwa kwenye simu yako?'],
  debitedText: [
    'Give us the number in the network’s message, and we ask the network.',
    'Tupe namba iliyo kwenye ujumbe wa mtandao, nasi tutauuliza mtandao.',
  ],
  report: ['Report it here', 'Ripoti hapa'],
})

/** `0754 123 456` for a number of Tanzania, E.164 for any other. */
export function writtenPhone(phone: string): string {
  return /^\+255\d{9}$/.test(phone) ? localPhone(phone) : phone
}

function contactLines(contact: Partial<SupportContact>, language: Language): Html[] {
  const t = texts[language]
  const { phone = null, email = null, whatsapp = null } = contact
  return [
    ...(phone === null ? [] : [html`<li>${t.call} <a class="dial" href="tel:${phone}">${writtenPhone(phone)}</a></li>`]),
    ...(whatsapp === null
      ? []
      : [
          html`<li>WhatsApp <a class="dial" href="https://wa.me/${whatsapp.slice(1)}" rel="noopener noreferrer">${writtenPhone(whatsapp)}</a></li>`,
        ]),
    ...(email === null ? [] : [html`<li>${t.write} <a class="dial" href="mailto:${email}">${email}</a></li>`]),
  ]
}

/** The operators' contact alone, for pages without a merchant. */
export function operatorHelpHtml(operators: OperatorContact, language: Language): Html {
  const t = texts[language]
  return html`<div class="card">
    <h2>${t.title}</h2>
    <p>${t.aboutPayment}</p>
    <ul>
      ${contactLines(operators, language)}
    </ul>
  </div>`
}

export type Help = {
  merchantName: string | null
  /** Undefined: the merchant has chosen none. */
  contact: SupportContact | undefined
  operators: OperatorContact
  /** The path of the form for money that was taken. */
  reportPath?: string
}

export function helpHtml({ merchantName, contact, operators, reportPath }: Help, language: Language): Html {
  const t = texts[language]
  return html`<div class="card" id="help">
    <h2>${t.title}</h2>
    ${
      reportPath !== undefined &&
      html`<p><b>${t.debited}</b><br />${t.debitedText} <a class="dial" href="${reportPath}">${t.report}</a></p>`
    }
    <p>${t.aboutGoods(nameForPayers(merchantName, language))}${contact === undefined && html`<br /><small>${t.askDirectly}</small>`}</p>
    ${
      contact &&
      html`<ul>
        ${contactLines(contact, language)}
      </ul>`
    }
    <p>${t.aboutPayment}</p>
    <ul>
      ${contactLines(operators, language)}
    </ul>
  </div>`
}
