/** The sections of the operators' frame, in their order. A screen that opens one adds a line here. */
import { IconLayoutDashboard, IconUserCheck, type Icon } from '@tabler/icons-react'

export type Section = {
  path: '/' | '/reviews'
  /** In `shellTexts`. */
  name: 'sections.home' | 'sections.reviews'
  icon: Icon
}

export const sections: readonly Section[] = [
  { path: '/', name: 'sections.home', icon: IconLayoutDashboard },
  { path: '/reviews', name: 'sections.reviews', icon: IconUserCheck },
]
