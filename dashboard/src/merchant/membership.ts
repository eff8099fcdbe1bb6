/**
 * What the signed-in person may do in the wallet of this screen, as the API says: no screen has a table of roles. A person alone may do
 * everything in their own account.
 */
import type { Membership } from '../api/operations.ts'
import { useAnswer } from '../api/queries.ts'
import { useAccount, type Environment } from './account.ts'

export type Permission = Membership['permissions']['live'][number]

/** Every business that the person is a member of. The answer is read again now and then: others change it. */
export function useMemberships(): Membership[] | undefined {
  return useAnswer('GET /v1/memberships', {}, { isLive: true }).data?.data
}

/** The membership of the wallet on this screen. `me`: the person's own account; undefined: not known yet; null: no member. */
export function useMembership(): Membership | 'me' | null | undefined {
  const { owner } = useAccount()
  const all = useMemberships()
  if (owner === 'me') return 'me'
  return all && (all.find(({ business }) => business.id === owner) ?? null)
}

/** Whether the role of the person has a permission in this wallet; undefined while that is not known. */
export function useCan(): (permission: Permission, environment?: Environment) => boolean | undefined {
  const { environment: shown } = useAccount()
  const membership = useMembership()
  return (permission, environment = shown) => {
    if (membership === 'me') return true
    if (membership === null) return false
    return membership?.permissions[environment].includes(permission)
  }
}
