/** The invitation whose secret is kept in this tab. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { call, type Answer } from '../api/call.ts'
import { keptInvitation } from './kept-invitation.ts'

/** Nothing is read without one. */
export function useInvitation(): UseQueryResult<Answer<'POST /v1/invitations/read'>> {
  const secret = keptInvitation()
  return useQuery({
    queryKey: ['POST /v1/invitations/read', secret],
    queryFn: () => call('POST /v1/invitations/read', { body: { token: secret! } }),
    enabled: secret !== undefined,
  })
}
