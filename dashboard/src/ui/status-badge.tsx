/** A status as a word with an icon: never by colour alone. */
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import {
  IconArrowBackUp,
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconClockX,
  IconLoader2,
  type Icon,
} from './icons.ts'
import { ofPayments } from './payment-texts.ts'
import { shared } from './texts.ts'

const looks = {
  pending: ['yellow', IconClock],
  processing: ['blue', IconLoader2],
  completed: ['green', IconCircleCheck],
  failed: ['red', IconCircleX],
  voided: ['gray', IconBan],
  expired: ['gray', IconClockX],
  unsubmitted: ['gray', IconCircleDashed],
  verified: ['green', IconCircleCheck],
  rejected: ['red', IconCircleX],
  active: ['green', IconCircleCheck],
  inactive: ['gray', IconBan],
  expiring: ['yellow', IconClock],
  revoked: ['red', IconBan],
  succeeded: ['green', IconCircleCheck],
  reversed: ['gray', IconArrowBackUp],
  cancelled: ['gray', IconBan],
  open: ['yellow', IconAlertTriangle],
  resolved: ['green', IconCircleCheck],
  invited: ['yellow', IconClock],
  removed: ['gray', IconBan],
} as const satisfies Record<string, readonly [color: string, icon: Icon]>

export type Status = keyof typeof looks

/** A colour and an icon, as in `looks`. */
export function SignBadge({
  look: [color, Sign],
  children,
}: {
  look: readonly [color: string, icon: Icon]
  children: ReactNode
}) {
  return (
    // A cut-off status is unreadable: the column becomes wider instead.
    <Badge miw="max-content" color={color} leftSection={<Sign size={13} aria-hidden stroke={2} />}>
      {children}
    </Badge>
  )
}

/** `isOfPayment`: the words agree with a payment or refund. */
export function StatusBadge({ status, isOfPayment = false }: { status: Status; isOfPayment?: boolean }) {
  const say = (isOfPayment ? ofPayments : shared).use()
  return <SignBadge look={looks[status]}>{say(`status.${status}`)}</SignBadge>
}
