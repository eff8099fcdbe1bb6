/** The links within the section of the team. */
import { SectionNavLink } from './links.tsx'
import { defineTexts } from '../i18n/define-texts.ts'
import { SectionNav } from '../ui/section-nav.tsx'
import { useCan } from './membership.ts'

const texts = defineTexts('team-nav', {
  label: ['Team', 'Timu'],
  members: ['Members', 'Wanachama'],
  activity: ['Activity', 'Yaliyofanyika'],
})

export function TeamNav() {
  const say = texts.use()
  const can = useCan()
  if (!can('activity.read')) return undefined
  return (
    <SectionNav label={say('label')}>
      <SectionNavLink to="./team" activeOptions={{ exact: true }}>
        {say('members')}
      </SectionNavLink>
      <SectionNavLink to="./team/activity">{say('activity')}</SectionNavLink>
    </SectionNav>
  )
}
