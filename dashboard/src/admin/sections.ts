/** The sections of the operators' frame, in their order. A screen that opens one adds a line here. */
import { IconLayoutDashboard, type Icon } from '@tabler/icons-react'

export type Section = {
  path: '/'
  /** In `shellTexts`. */
  name: 'sections.home'
  icon: Icon
}

export const sections: readonly Section[] = [{ path: '/', name: 'sections.home', icon: IconLayoutDashboard }]
