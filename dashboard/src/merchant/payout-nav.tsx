/** The links within the section of payouts. */
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNavLink, SectionNav } from '../ui/section-nav.tsx'

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
      <SectionNavLink from="/$owner/$environment" to="./payouts" activeOptions={{ exact: true, includeSearch: false }}>
        {say('payouts')}
      </SectionNavLink>
      <SectionNavLink from="/$owner/$environment" to="./payouts/batches" activeOptions={{ includeSearch: false }}>
        {say('batches')}
      </SectionNavLink>
      <SectionNavLink from="/$owner/$environment" to="./payouts/recipients" activeOptions={{ includeSearch: false }}>
        {say('recipients')}
      </SectionNavLink>
    </SectionNav>
  )
}
