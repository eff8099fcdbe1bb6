/** How many entries of the approval queue wait for the decision of this person, beside the section. */
import { Badge, VisuallyHidden } from '@mantine/core'
import { shellTexts } from './shell-texts.ts'
import { useWaitingForMe } from './waiting-for-me.ts'

export function WaitingCount() {
  const say = shellTexts.use()
  const waiting = useWaitingForMe()
  if (!waiting) return undefined
  const { length } = waiting.entries
  return (
    <Badge ml="auto" size="lg" circle={length < 10} color="red" variant="filled">
      <span aria-hidden>{waiting.count}</span>
      <VisuallyHidden>{say('waiting', { count: length })}</VisuallyHidden>
    </Badge>
  )
}
