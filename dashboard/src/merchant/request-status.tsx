/** The status of a payment request in words, with an icon. */
import { Badge } from '@mantine/core'
import type { PaymentRequest } from '../api/operations.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { IconBan, IconCircleCheck, IconClock, IconClockX } from '../ui/icons.ts'

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
  const [color, Sign] = looks[status]
  return (
    <Badge miw="max-content" color={color} leftSection={<Sign size={13} aria-hidden stroke={2} />}>
      {say(status)}
    </Badge>
  )
}
