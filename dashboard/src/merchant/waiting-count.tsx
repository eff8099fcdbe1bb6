/** How many entries of the approval queue wait for the decision of this person, beside the section. */
import { Badge, VisuallyHidden } from '@mantine/core'
import { useAnswer } from '../api/queries.ts'
import { useAccount } from './account.ts'
import { shellTexts } from './shell-texts.ts'

const counted = 20

export function WaitingCount() {
  const say = shellTexts.use()
  const { query } = useAccount()
  const entries = useAnswer('GET /v1/merchant/approvals', { query: { ...query, limit: counted } }, { isLive: true }).data
  const count = entries?.data.filter((entry) => entry.may_decide).length ?? 0
  if (count === 0) return undefined
  return (
    <Badge ml="auto" size="lg" circle={count < 10} color="red" variant="filled">
      <span aria-hidden>{entries?.has_more && count === counted ? `${count}+` : count}</span>
      <VisuallyHidden>{say('waiting', { count })}</VisuallyHidden>
    </Badge>
  )
}
