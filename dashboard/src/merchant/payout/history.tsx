/** The history of a payout, oldest first: its states, and each of its wallet lines. */
import { Text, Timeline } from '@mantine/core'
import {
  IconArrowBackUp,
  IconArrowDownLeft,
  IconArrowUpRight,
  IconBan,
  IconCheck,
  IconClock,
  IconLoader2,
  IconSend,
  IconX,
  type Icon,
} from '../../ui/icons.ts'
import type { PayoutWithTimeline } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { money } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { payoutTexts } from './texts.ts'

type Entry = PayoutWithTimeline['timeline'][number]
type Shown = { color: string; icon: Icon; title: string; detail?: string }

const looks: Record<PayoutWithTimeline['status'], readonly [color: string, icon: Icon]> = {
  pending: ['gray', IconClock],
  processing: ['blue', IconLoader2],
  completed: ['green', IconCheck],
  failed: ['red', IconX],
  reversed: ['gray', IconArrowBackUp],
  cancelled: ['gray', IconBan],
}

function useShown(): (entry: Entry) => Shown {
  const say = payoutTexts.use()
  return (entry) => {
    if (entry.type === 'sent') return { color: 'gray', icon: IconSend, title: say('sent') }
    if (entry.type === 'status') {
      const [color, icon] = looks[entry.status]
      return { color, icon, title: say(`state.${entry.status}`) }
    }
    const isCredit = entry.direction === 'credit'
    return {
      color: isCredit ? 'green' : 'gray',
      icon: isCredit ? IconArrowDownLeft : IconArrowUpRight,
      title: say(`line.${entry.kind}`, { amount: money(entry.amount) }),
      ...(entry.balance_after !== null && { detail: say('balanceAfter', { amount: money(entry.balance_after) }) }),
    }
  }
}

/** Each happens once, except the lines, which have an id. */
const keyOf = (entry: Entry): string =>
  entry.type === 'transaction' ? entry.transaction_id : entry.type === 'status' ? entry.status : entry.type

export function History({ entries }: { entries: readonly Entry[] }) {
  const say = payoutTexts.use()
  const shownOf = useShown()
  return (
    <Timeline active={entries.length} bulletSize={26} lineWidth={2} aria-label={say('history')} role="list">
      {entries.map((entry) => {
        const { color, icon: Sign, title, detail } = shownOf(entry)
        return (
          <Timeline.Item key={keyOf(entry)} role="listitem" color={color} bullet={<Sign size={14} aria-hidden />} title={title}>
            {detail !== undefined && <Text size="sm">{detail}</Text>}
            <Note>
              <Moment at={entry.at} hasSeconds />
            </Note>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}
