/** The sections of the merchants' frame, in order. A new section is one more line here. */
import type { Permission } from './membership.ts'
import {
  IconArrowsExchange,
  IconCode,
  IconDeviceTablet,
  IconHome,
  IconLink,
  IconMessage,
  IconPalette,
  IconReceipt,
  IconSend,
  IconShieldCheck,
  IconUserCheck,
  IconUsers,
  type Icon,
} from '../ui/icons.ts'

type Name =
  | 'home'
  | 'payments'
  | 'till'
  | 'pages'
  | 'payouts'
  | 'approvals'
  | 'statement'
  | 'developers'
  | 'team'
  | 'support'
  | 'brand'
  | 'verification'

export type Section = {
  /** Below the wallet in the address. */
  path: `/$owner/$environment${'' | `/${Exclude<Name, 'home'>}`}`
  /** In `shellTexts`. */
  name: `sections.${Name}`
  icon: Icon
  /** At the lower edge of a phone. */
  isEveryDay?: true
  /** A person alone has no members. */
  isOfBusinesses?: true
  /** What the role of the person must allow. */
  permission?: Permission
}

export const sections: readonly Section[] = [
  { path: '/$owner/$environment', name: 'sections.home', icon: IconHome, isEveryDay: true },
  {
    path: '/$owner/$environment/payments',
    name: 'sections.payments',
    icon: IconArrowsExchange,
    permission: 'payments.read',
    isEveryDay: true,
  },
  {
    path: '/$owner/$environment/till',
    name: 'sections.till',
    icon: IconDeviceTablet,
    permission: 'payments.read',
    isEveryDay: true,
  },
  { path: '/$owner/$environment/pages', name: 'sections.pages', icon: IconLink, permission: 'pages.read' },
  {
    path: '/$owner/$environment/payouts',
    name: 'sections.payouts',
    icon: IconSend,
    permission: 'payouts.read',
    isEveryDay: true,
  },
  {
    path: '/$owner/$environment/approvals',
    name: 'sections.approvals',
    icon: IconUserCheck,
    isOfBusinesses: true,
    permission: 'rules.read',
  },
  { path: '/$owner/$environment/statement', name: 'sections.statement', icon: IconReceipt, permission: 'statements.read' },
  { path: '/$owner/$environment/developers', name: 'sections.developers', icon: IconCode, permission: 'apps.write' },
  { path: '/$owner/$environment/team', name: 'sections.team', icon: IconUsers, isOfBusinesses: true },
  { path: '/$owner/$environment/support', name: 'sections.support', icon: IconMessage, permission: 'business.read' },
  { path: '/$owner/$environment/brand', name: 'sections.brand', icon: IconPalette, permission: 'business.read' },
  {
    path: '/$owner/$environment/verification',
    name: 'sections.verification',
    icon: IconShieldCheck,
    permission: 'business.read',
  },
]
