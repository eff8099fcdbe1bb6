/** The status of a payment request in words, with an icon. */
import type { PaymentRequest } from '../api/operations.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { IconBan, IconCircleCheck, IconClock, IconClockX } from '../ui/icons.ts'
import { SignBadge } from '../ui/status-badge.tsx'

const texts = defineTexts('requestStatus', {
  open: ['Waiting for payment', 'Linasubiri malipo'],
  paid: ['Paid', 'Limelipwa'],
  expired: ['Expired', 'Muda umekwisha'],
  cancelled: ['Cancelled', 'Limeghairiwa'],
})

const looks = {
  open: ['yellow', IconClock],
  paid: ['green', IconCircleCheck],
  expired: ['gray', IconClockX],
  cancelled: ['gray', IconBan],
} as const

export function RequestStatus({ status }: { status: PaymentRequest['status'] }) {
  const say = texts.use()
  return <SignBadge look={looks[status]}>{say(status)}</SignBadge>
}
