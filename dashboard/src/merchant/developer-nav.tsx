/** The links within the developers' section. */
import { SectionNavLink } from './links.tsx'
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNav } from '../ui/section-nav.tsx'

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
      <SectionNavLink to="./developers" activeOptions={{ exact: true }}>
        {say('apps')}
      </SectionNavLink>
      <SectionNavLink to="./developers/requests">{say('requests')}</SectionNavLink>
      <SectionNavLink to="./developers/quick-start">{say('quickStart')}</SectionNavLink>
    </SectionNav>
  )
}
