/** The sections of the merchants' frame, in their order. A screen that opens one adds a line here. */
import { IconHome, type Icon } from '@tabler/icons-react'

export type Section = {
  /** Below the wallet in the address. */
  path: '/$owner/$environment'
  /** In `shellTexts`. */
  name: 'sections.home'
  icon: Icon
}

export const sections: readonly Section[] = [{ path: '/$owner/$environment', name: 'sections.home', icon: IconHome }]
