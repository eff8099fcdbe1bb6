/** The links within the developers' section. */
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNavLink, SectionNav } from '../ui/section-nav.tsx'

const texts = defineTexts('developer-nav', {
  label: ['For developers', 'Kwa watengenezaji programu'],
  apps: ['Apps and keys', 'Programu na funguo'],
  requests: ['Requests', 'Maombi'],
  quickStart: ['Quick start', 'Anza haraka'],
})

export function DeveloperNav() {
  const say = texts.use()
  return (
    <SectionNav label={say('label')}>
      <SectionNavLink from="/$owner/$environment" to="./developers" activeOptions={{ exact: true }}>
        {say('apps')}
      </SectionNavLink>
      <SectionNavLink from="/$owner/$environment" to="./developers/requests">
        {say('requests')}
      </SectionNavLink>
      <SectionNavLink from="/$owner/$environment" to="./developers/quick-start">
        {say('quickStart')}
      </SectionNavLink>
    </SectionNav>
  )
}
