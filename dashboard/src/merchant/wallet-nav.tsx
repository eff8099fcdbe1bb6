/** The links between the screens of one section of a wallet. */
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNav } from '../ui/section-nav.tsx'
import { SectionNavLink } from './links.tsx'
import { useCan } from './membership.ts'

const texts = defineTexts('wallet-nav', {
  payments: ['Payments', 'Malipo'],
  allPayments: ['All payments', 'Malipo yote'],
  customers: ['Customers', 'Wateja'],
  payouts: ['Payouts', 'Kutuma pesa'],
  sent: ['Payouts', 'Pesa zilizotumwa'],
  batches: ['Batches', 'Kwa orodha'],
  recipients: ['Recipients', 'Wapokeaji'],
  developers: ['For developers', 'Kwa watengenezaji programu'],
  apps: ['Apps and keys', 'Programu na funguo'],
  requests: ['Requests', 'Maombi'],
  quickStart: ['Quick start', 'Anza haraka'],
  team: ['Team', 'Timu'],
  members: ['Members', 'Wanachama'],
  activity: ['Activity', 'Yaliyofanyika'],
})

/** `needs`: without this permission the section has only its first screen. `isFiltered`: the addresses have the filter of a list. */
const sections = {
  payments: {
    needs: 'customers.read',
    isFiltered: true,
    links: { allPayments: './payments', customers: './payments/customers' },
  },
  payouts: {
    needs: undefined,
    isFiltered: true,
    links: { sent: './payouts', batches: './payouts/batches', recipients: './payouts/recipients' },
  },
  developers: {
    needs: undefined,
    isFiltered: false,
    links: { apps: './developers', requests: './developers/requests', quickStart: './developers/quick-start' },
  },
  team: { needs: 'activity.read', isFiltered: false, links: { members: './team', activity: './team/activity' } },
} as const

export function WalletNav({ of }: { of: keyof typeof sections }) {
  const say = texts.use()
  const can = useCan()
  const { needs, isFiltered, links } = sections[of]
  if (needs !== undefined && !can(needs)) return undefined
  return (
    <SectionNav label={say(of)}>
      {Object.entries(links).map(([name, to], place) => (
        <SectionNavLink key={name} to={to} activeOptions={{ exact: place === 0, includeSearch: !isFiltered }}>
          {say(name as 'apps')}
        </SectionNavLink>
      ))}
    </SectionNav>
  )
}
