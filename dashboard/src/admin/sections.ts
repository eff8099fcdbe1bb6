/** The sections of the operators' frame, in order. A new section is one more line here. */
import {
  IconArrowsExchange,
  IconCash,
  IconHourglassLow,
  IconLayoutDashboard,
  IconListSearch,
  IconMessage,
  IconPower,
  IconScale,
  IconSearch,
  IconUserCheck,
} from '../ui/icons.ts'

/** The name is in `shellTexts`. */
export const sections = [
  { path: '/', name: 'sections.home', icon: IconLayoutDashboard },
  { path: '/search', name: 'sections.search', icon: IconSearch },
  { path: '/reviews', name: 'sections.reviews', icon: IconUserCheck },
  { path: '/stuck', name: 'sections.stuck', icon: IconHourglassLow },
  { path: '/support-cases', name: 'sections.support', icon: IconMessage },
  { path: '/breaks', name: 'sections.breaks', icon: IconScale },
  { path: '/reconciliation', name: 'sections.reconciliation', icon: IconArrowsExchange },
  { path: '/payouts', name: 'sections.payouts', icon: IconCash },
  { path: '/switches', name: 'sections.switches', icon: IconPower },
  { path: '/audit', name: 'sections.audit', icon: IconListSearch },
] as const
