/** The sections that the role of the person reaches in this wallet. */
import { useAccount } from './account.ts'
import { useCan, useMembership } from './membership.ts'
import { sections, type Section } from './sections.ts'

export function useShownSections(): Section[] {
  const { owner } = useAccount()
  const can = useCan()
  const isMember = useMembership() !== null
  return sections.filter(
    ({ isOfBusinesses, permission }) =>
      !(isOfBusinesses && owner === 'me') && isMember && (permission === undefined || can(permission) === true),
  )
}
