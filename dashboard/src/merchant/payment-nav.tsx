/** The links within the section of payments. */
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNav, SectionNavLink } from '../ui/section-nav.tsx'
import { useCan } from './membership.ts'

const texts = defineTexts('payment-nav', {
  label: ['Payments', 'Malipo'],
  payments: ['All payments', 'Malipo yote'],
  customers: ['Customers', 'Wateja'],
})

export function PaymentNav() {
  const say = texts.use()
  const can = useCan()
  if (!can('customers.read')) return undefined
  return (
    <SectionNav label={say('label')}>
      <SectionNavLink from="/$owner/$environment" to="./payments" activeOptions={{ exact: true, includeSearch: false }}>
        {say('payments')}
      </SectionNavLink>
      <SectionNavLink from="/$owner/$environment" to="./payments/customers" activeOptions={{ includeSearch: false }}>
        {say('customers')}
      </SectionNavLink>
    </SectionNav>
  )
}
