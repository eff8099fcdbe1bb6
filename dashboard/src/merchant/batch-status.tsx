/** The status of a payout batch as a word with an icon. */
import { Badge } from '@mantine/core'
import type { PayoutBatch } from '../api/operations.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { IconBan, IconCircleCheck, IconClock, IconLoader2, IconPencil, type Icon } from '../ui/icons.ts'

const texts = defineTexts('batch-status', {
  draft: ['Draft', 'Rasimu'],
  waiting: ['Waiting for approval', 'Inasubiri idhini'],
  running: ['Being paid', 'Inatumwa'],
  done: ['Done', 'Imekamilika'],
  stopped: ['Stopped', 'Imesimamishwa'],
  refused: ['Refused', 'Imekataliwa'],
})

const looks = {
  draft: ['gray', IconPencil],
  waiting: ['yellow', IconClock],
  running: ['blue', IconLoader2],
  done: ['green', IconCircleCheck],
  stopped: ['gray', IconBan],
  refused: ['red', IconBan],
} as const satisfies Record<string, readonly [color: string, icon: Icon]>

export function BatchStatus({ batch }: { batch: Pick<PayoutBatch, 'status' | 'failure'> }) {
  const say = texts.use()
  const shown = batch.failure?.code === 'approval_refused' ? 'refused' : batch.status
  const [color, Sign] = looks[shown]
  return (
    <Badge miw="max-content" color={color} leftSection={<Sign size={13} aria-hidden stroke={2} />}>
      {say(shown)}
    </Badge>
  )
}
