/** The links within the section of payouts. */
import { SectionNavLink } from './links.tsx'
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNav } from '../ui/section-nav.tsx'

const texts = defineTexts('payout-nav', {
  label: ['Payouts', 'Kutuma pesa'],
  payouts: ['Payouts', 'Pesa zilizotumwa'],
  batches: ['Batches', 'Kwa orodha'],
  recipients: ['Recipients', 'Wapokeaji'],
})

export function PayoutNav() {
  const say = texts.use()
  return (
    <SectionNav label={say('label')}>
      <SectionNavLink to="./payouts" activeOptions={{ exact: true, includeSearch: false }}>
        {say('payouts')}
      </SectionNavLink>
      <SectionNavLink to="./payouts/batches" activeOptions={{ includeSearch: false }}>
        {say('batches')}
      </SectionNavLink>
      <SectionNavLink to="./payouts/recipients" activeOptions={{ includeSearch: false }}>
        {say('recipients')}
      </SectionNavLink>
    </SectionNav>
  )
}
