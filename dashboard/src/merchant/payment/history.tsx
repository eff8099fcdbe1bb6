/** The history of a payment, oldest first: states, provider messages, wallet lines and webhooks. */
import { Text, Timeline } from '@mantine/core'
import {
  IconArrowDownLeft,
  IconArrowUpRight,
  IconBan,
  IconBell,
  IconCheck,
  IconClock,
  IconLoader2,
  IconMessage,
  IconSend,
  IconX,
  type Icon,
} from '../../ui/icons.ts'
import type { ReactNode } from 'react'
import type { MerchantPaymentWithTimeline } from '../../api/operations.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { money } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { ofPayments } from '../../ui/payment-texts.ts'
import { failureText } from './failure-text.ts'
import classes from './payment.module.css'
import { paymentTexts } from './texts.ts'

export type Entry = MerchantPaymentWithTimeline['timeline'][number]
type Status = MerchantPaymentWithTimeline['status']

const statusLooks: Record<Status, readonly [color: string, icon: Icon]> = {
  pending: ['gray', IconClock],
  processing: ['blue', IconLoader2],
  completed: ['green', IconCheck],
  failed: ['red', IconX],
  voided: ['gray', IconBan],
  expired: ['gray', IconClock],
}

const providerWords = Object.keys(statusLooks) as Status[]

type Shown = { color: string; icon: Icon; title: string; detail?: ReactNode; id?: string }

function useShown(): (entry: Entry) => Shown {
  const say = paymentTexts.use()
  const sayOfPayment = ofPayments.use()
  return (entry) => {
    switch (entry.type) {
      case 'status': {
        const [color, icon] = statusLooks[entry.status]
        return { color, icon, title: say(`state.${entry.status}`) }
      }
      case 'provider_message': {
        const word = providerWords.find((one) => one === entry.status)
        return {
          color: 'gray',
          icon: IconMessage,
          title: word ? say('providerSaid', { status: sayOfPayment(`status.${word}`) }) : say('providerSaidNothing'),
          ...(entry.failure_code !== null && {
            detail: failureText({ code: entry.failure_code, message: entry.failure_code }),
          }),
        }
      }
      case 'transaction': {
        const isCredit = entry.direction === 'credit'
        return {
          color: isCredit ? 'green' : 'gray',
          icon: isCredit ? IconArrowDownLeft : IconArrowUpRight,
          title: say(isCredit ? 'credited' : 'debited', { amount: money(entry.amount) }),
          ...(entry.balance_after !== null && { detail: say('balanceAfter', { amount: money(entry.balance_after) }) }),
          id: entry.transaction_id,
        }
      }
      case 'event':
        return { color: 'gray', icon: IconBell, title: say('event', { type: entry.event_type }), id: entry.event_id }
      case 'webhook_attempt': {
        const isIn = entry.outcome === 'succeeded'
        return {
          color: isIn ? 'green' : 'red',
          icon: IconSend,
          title: say(isIn ? 'delivered' : 'notDelivered', { attempt: entry.attempt }),
          detail: [entry.response_status ?? entry.error_code, entry.url].filter((one) => one !== null).join(' · '),
          id: entry.delivery_id,
        }
      }
    }
  }
}

export function History({ entries }: { entries: readonly Entry[] }) {
  const say = paymentTexts.use()
  const shownOf = useShown()
  return (
    <Timeline active={entries.length} bulletSize={26} lineWidth={2} aria-label={say('history')} role="list">
      {entries.map((entry, index) => {
        const { color, icon: Sign, title, detail, id } = shownOf(entry)
        return (
          <Timeline.Item
            // oxlint-disable-next-line react/no-array-index-key -- a history only grows at its end
            key={index}
            role="listitem"
            color={color}
            bullet={<Sign size={14} aria-hidden />}
            title={title}
            data-entry={entry.type}
          >
            {detail !== undefined && (
              <Text size="sm" className={classes['breaks']}>
                {detail}
              </Text>
            )}
            <Text size="xs" c="dimmed" component="div" className={classes['when']}>
              <Moment at={entry.at} hasSeconds />
              {id !== undefined && (
                <>
                  <span className="code">{id}</span>
                  <CopyButton value={id} label={id} />
                </>
              )}
            </Text>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}
