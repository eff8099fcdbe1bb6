/** The wallet of the current screen. */
import { useParams } from '@tanstack/react-router'
import { accountOf, firstPlace, readPlace, type Account } from './place.ts'

export type { Account, Environment } from './place.ts'

/** As in the lists of apps. */
export function ownerOf(owner: string): string {
  return owner === 'me' ? 'personal' : owner
}

/** The wallet of this screen; without one, as on the profile, the last wallet. */
export function useAccount(): Account {
  const params: { owner?: string; environment?: string } = useParams({ strict: false })
  return accountOf(readPlace(params) ?? firstPlace())
}
