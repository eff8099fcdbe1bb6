/** The sections of the merchants' frame, in their order. A screen that opens one adds a line here. */
import { IconArrowsExchange, IconHome, IconLink, IconReceipt, type Icon } from '@tabler/icons-react'

export type Section = {
  /** Below the wallet in the address. */
  path: '/$owner/$environment' | '/$owner/$environment/payments' | '/$owner/$environment/pages' | '/$owner/$environment/statement'
  /** In `shellTexts`. */
  name: 'sections.home' | 'sections.payments' | 'sections.pages' | 'sections.statement'
  icon: Icon
}

export const sections: readonly Section[] = [
  { path: '/$owner/$environment', name: 'sections.home', icon: IconHome },
  { path: '/$owner/$environment/payments', name: 'sections.payments', icon: IconArrowsExchange },
  { path: '/$owner/$environment/pages', name: 'sections.pages', icon: IconLink },
  { path: '/$owner/$environment/statement', name: 'sections.statement', icon: IconReceipt },
]
