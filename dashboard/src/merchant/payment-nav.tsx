/** The links within the section of payments. */
import { SectionNavLink } from './links.tsx'
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNav } from '../ui/section-nav.tsx'
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
      <SectionNavLink to="./payments" activeOptions={{ exact: true, includeSearch: false }}>
        {say('payments')}
      </SectionNavLink>
      <SectionNavLink to="./payments/customers" activeOptions={{ includeSearch: false }}>
        {say('customers')}
      </SectionNavLink>
    </SectionNav>
  )
}
