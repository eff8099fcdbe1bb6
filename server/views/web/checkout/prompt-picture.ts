/** What a payer looks at while a prompt waits on the phone: how the prompt looks there, and a ring that counts its life, without script too. */
import { payerGuide } from '../../../money/controls/payer-guide.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import { money } from './format.ts'
import { html, type Html } from './html.ts'
import { messagesOf, type Language } from './messages.ts'

export type Prompt = {
  /** Undefined: it depends on the network, which is not known. */
  name: string | undefined
  seconds: number
}

/** The prompt as the phone draws it, in the colour of its network. */
function phoneHtml({ network, amount }: Pick<PaymentView, 'network' | 'amount'>, { name }: Prompt): Html {
  const wallet = network === null ? 'PIN' : payerGuide(network).wallet
  return html`<span class="pic ${network ?? ''}">
    <b>${wallet}</b>${name !== undefined && html`<i>${name}</i>`}<i>${money(amount)}</i><u>••••</u>
  </span>`
}

/** The circle empties in the time that is left: the browser draws it, and a reload without script continues it. */
function ringHtml(leftSeconds: number, { seconds }: Prompt, language: Language): Html {
  const gone = Math.round((1 - leftSeconds / seconds) * 100)
  return html`<span class="count" id="count" data-in="${leftSeconds}">
    <svg viewBox="0 0 40 40" width="80" height="80"><circle class="rail" cx="20" cy="20" r="17" /><circle class="left" cx="20" cy="20" r="17" pathLength="100" stroke-dasharray="100" stroke-dashoffset="${gone}"><animate attributeName="stroke-dashoffset" from="${gone}" to="100" dur="${leftSeconds}s" fill="freeze" /></circle></svg
    ><b id="secs">${leftSeconds}</b><small>${messagesOf[language].secondsLeft}</small>
  </span>`
}

/** `leftSeconds`: of the life of the prompt, more than 0. The steps beside it say the same in words. */
export function promptPictureHtml(
  payment: Pick<PaymentView, 'network' | 'amount'>,
  prompt: Prompt,
  { leftSeconds, language }: { leftSeconds: number; language: Language },
): Html {
  return html`<div class="look" id="ring" aria-hidden="true">${phoneHtml(payment, prompt)}${ringHtml(Math.min(leftSeconds, prompt.seconds), prompt, language)}</div>`
}
