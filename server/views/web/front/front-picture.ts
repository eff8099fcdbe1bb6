/** The picture of the front page: a phone that asks its owner to approve a payment, and the message that it was paid. */
import { byLanguage } from '../../../domain/texts.ts'
import { html, type Html } from '../checkout/html.ts'
import type { Language } from '../checkout/messages.ts'

const words = byLanguage({
  picture: [
    'A phone asks for the PIN to pay TSh 25,000, and the shop sees at once that it was paid.',
    'Simu inaomba namba ya siri ili kulipa TSh 25,000, na duka linaona mara moja kwamba imelipwa.',
  ],
  pay: ['Pay', 'Lipa'],
  pin: ['Enter your PIN', 'Weka namba ya siri'],
  paid: ['Paid', 'Imelipwa'],
})

export function pictureOf(language: Language): Html {
  const { picture, pay, pin, paid } = words[language]
  return html`<svg class="picture" viewBox="0 0 320 300" role="img" aria-label="${picture}">
    <rect class="body" x="58" y="6" width="164" height="288" rx="24"/><rect class="screen" x="68" y="26" width="144" height="248" rx="12"/>
    <rect class="card" x="76" y="58" width="128" height="150" rx="10"/>
    <text class="small" x="140" y="86">${pay}</text><text class="sum" x="140" y="112">TSh 25,000</text>
    <text class="small" x="140" y="142">${pin}</text>
    <circle class="dot" cx="110" cy="168" r="6"/><circle class="dot" cx="130" cy="168" r="6"/><circle class="dot" cx="150" cy="168" r="6"/><circle class="ring" cx="170" cy="168" r="5"/>
    <rect class="paid" x="150" y="214" width="164" height="56" rx="14"/>
    <circle class="tick" cx="178" cy="242" r="14"/><path class="stroke" d="m171 242 5 5 9-10"/>
    <text class="told" x="200" y="238">${paid}</text><text class="told amount" x="200" y="257">TSh 25,000</text></svg>`
}
