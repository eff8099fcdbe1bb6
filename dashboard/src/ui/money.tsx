/** An amount of money, to the shilling, with digits of equal width. */
import { useLanguage } from '../i18n/define-texts.ts'
import { money } from './format.ts'

export function Money({ amount }: { amount: number }) {
  return <span className="figures">{money(amount, useLanguage())}</span>
}
