/** What is known about a break, in words: the amounts side by side, and the other evidence. */
import { Paper, SimpleGrid, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Break } from '../api/operations.ts'
import { useLanguage } from '../i18n/define-texts.ts'
import { Money } from '../ui/money.tsx'
import { networks } from '../ui/networks.ts'
import { Note } from '../ui/note.tsx'
import type { Fact } from '../ui/facts.tsx'
import { breakTexts } from './break-texts.ts'
import { Facts } from './facts.tsx'
import { ageText } from './operator-texts.ts'
import { useProviderStatus } from './provider-status.ts'

type FigureProps = { title: string; amount: number | null; note?: string | false }

function Figure({ title, amount, note }: FigureProps) {
  const say = breakTexts.use()
  return (
    <Paper p="sm" component="section" aria-label={title}>
      <Note>{title}</Note>
      <Text fz={18} fw={650}>
        {amount === null ? say('notKnown') : <Money amount={amount} />}
      </Text>
      {note && <Note>{note}</Note>}
    </Paper>
  )
}

export function BreakAmounts({ amounts }: Pick<Break, 'amounts'>) {
  const say = breakTexts.use()
  const { expected, reported, reported_by, booked, difference } = amounts
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Figure title={say('expected')} amount={expected} />
      <Figure title={say('reported')} amount={reported} note={reported_by === 'message' && say('byMessage')} />
      <Figure title={say('booked')} amount={booked} />
      <Figure
        title={say('difference')}
        amount={difference}
        note={difference !== null && difference !== 0 && say(difference > 0 ? 'reportedMore' : 'reportedLess')}
      />
    </SimpleGrid>
  )
}

/** What stands elsewhere on the screen, and the amounts that `BreakAmounts` shows. */
const shownElsewhere = new Set(
  'provider reference environment subject difference booked reported ordered our_amount amount_here fee quoted_fee expected_fee'.split(
    ' ',
  ),
)

/** Amounts that `BreakAmounts` shows if they are in TZS, each with its currency. */
const foreign: Record<string, string> = { amount: 'currency', amount_there: 'currency_there', message_amount: 'message_currency' }
const currencies = new Set(Object.values(foreign))

/** The other evidence, one line for each fact. What this version does not know is shown with its own name. */
export function BreakEvidence({ found: { evidence } }: { found: Break }) {
  const say = breakTexts.use()
  const statusOf = useProviderStatus()
  const language = useLanguage()
  const valueOf = (name: string, value: string | number | boolean): ReactNode => {
    if (name.startsWith('expected_')) return <Money amount={Number(value)} />
    if (name === 'sent_seconds') return ageText(Number(value), language)
    const network = networks.find((one) => name === 'network' && one === value)
    if (network) return say(`network.${network}`)
    if (name === 'state' && breakTexts.has(`sending.${value}`)) return say(`sending.${value as 'unknown'}`)
    if (name === 'reason' && breakTexts.has(`why.${value}`)) return say(`why.${value as 'restored_uncompared'}`)
    if (name === 'decided_before' || name === 'resolution') return say(`resolution.${value as Break['resolutions'][number]}`)
    if (name.endsWith('status') || name.startsWith('status')) return statusOf(String(value))
    if (name === 'returned_with') {
      return (
        <Link to="/breaks/$id" params={{ id: String(value) }}>
          {value}
        </Link>
      )
    }
    return String(value)
  }
  const facts = Object.entries(evidence).flatMap(([name, value]): Fact[] => {
    if (value === null || typeof value === 'object' || shownElsewhere.has(name) || currencies.has(name)) return []
    const currency = evidence[foreign[name] ?? '']
    if (name in foreign && (typeof currency !== 'string' || currency === 'TZS')) return []
    const label = `evidenceOf.${name}`
    const title = breakTexts.has(label) ? say(label as 'evidenceOf.state') : name
    const shown = name in foreign ? `${currency as string} ${value as string}` : valueOf(name, value as string)
    return [[title, shown]]
  })
  return facts.length === 0 ? null : <Facts facts={facts} label={say('evidence')} />
}
