/** The sections of the merchants' frame, in their order. A screen that opens one adds a line here. */
import { IconArrowsExchange, IconHome, IconLink, type Icon } from '@tabler/icons-react'

export type Section = {
  /** Below the wallet in the address. */
  path: '/$owner/$environment' | '/$owner/$environment/payments' | '/$owner/$environment/pages'
  /** In `shellTexts`. */
  name: 'sections.home' | 'sections.payments' | 'sections.pages'
  icon: Icon
}

export const sections: readonly Section[] = [
  { path: '/$owner/$environment', name: 'sections.home', icon: IconHome },
  { path: '/$owner/$environment/payments', name: 'sections.payments', icon: IconArrowsExchange },
  { path: '/$owner/$environment/pages', name: 'sections.pages', icon: IconLink },
]
