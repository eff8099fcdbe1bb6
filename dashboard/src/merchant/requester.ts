/** Who made something in a wallet: the name of a member, or that it was a key. */
import { useAnswer } from '../api/queries.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { useAccount } from './account.ts'
import { useCan } from './membership.ts'

const texts = defineTexts('requester', {
  you: ['you', 'wewe'],
  key: ['an API key', 'ufunguo wa API'],
  other: ['a former member', 'mwanachama wa zamani'],
})

/** For a `requested_by`; undefined while the names are not known. */
export function useRequester(): (requestedBy: string) => string | undefined {
  const say = texts.use()
  const { owner } = useAccount()
  const can = useCan()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const isNamed = owner !== 'me' && can('members.read') === true
  const members = useAnswer('GET /v1/businesses/{business_id}/members', { params: { business_id: owner } }, { isWanted: isNamed })
    .data?.data
  return (requestedBy) => {
    if (requestedBy.startsWith('key_')) return say('key')
    if (me === undefined) return undefined
    if (requestedBy === me.id) return say('you')
    if (isNamed && members === undefined) return undefined
    return members?.find(({ user_id: id }) => id === requestedBy)?.name ?? say('other')
  }
}
