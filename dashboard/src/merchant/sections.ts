/** The sections of the merchants' frame, in order. A new section is one more line here. */
import {
  IconArrowsExchange,
  IconCode,
  IconHome,
  IconLink,
  IconReceipt,
  IconSend,
  IconShieldCheck,
  type Icon,
} from '../ui/icons.ts'

type Name = 'home' | 'payments' | 'pages' | 'payouts' | 'statement' | 'developers' | 'verification'

export type Section = {
  /** Below the wallet in the address. */
  path: `/$owner/$environment${'' | `/${Exclude<Name, 'home'>}`}`
  /** In `shellTexts`. */
  name: `sections.${Name}`
  icon: Icon
}

export const sections: readonly Section[] = [
  { path: '/$owner/$environment', name: 'sections.home', icon: IconHome },
  { path: '/$owner/$environment/payments', name: 'sections.payments', icon: IconArrowsExchange },
  { path: '/$owner/$environment/pages', name: 'sections.pages', icon: IconLink },
  { path: '/$owner/$environment/payouts', name: 'sections.payouts', icon: IconSend },
  { path: '/$owner/$environment/statement', name: 'sections.statement', icon: IconReceipt },
  { path: '/$owner/$environment/developers', name: 'sections.developers', icon: IconCode },
  { path: '/$owner/$environment/verification', name: 'sections.verification', icon: IconShieldCheck },
]
