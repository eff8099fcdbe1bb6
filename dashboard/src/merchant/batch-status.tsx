/** The status of a payout batch as a word with an icon. */
import type { PayoutBatch } from '../api/operations.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { IconBan, IconCircleCheck, IconClock, IconLoader2, IconPencil, type Icon } from '../ui/icons.ts'
import { SignBadge } from '../ui/status-badge.tsx'

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
  return <SignBadge look={looks[shown]}>{say(shown)}</SignBadge>
}
