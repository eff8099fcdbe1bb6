/** The totals of a filtered list: one line above it, and the days that group it. Invariant: a figure is of all that it names, or is not shown. */
import { shared } from '../ui/texts.ts'
import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Input } from '../api/call.ts'
import type { ListTotals, Operations } from '../api/operations.ts'
import { useAnswer } from '../api/queries.ts'
import { defineTexts, useLanguage } from '../i18n/define-texts.ts'
import type { Language } from '../i18n/language.ts'
import { dayOf, dayFromToday, today } from '../ui/days.ts'
import { count, money, momentText, timeZone } from '../ui/format.ts'

const totalsTexts = defineTexts('list-totals', [shared], {
  yesterday: ['Yesterday', 'Jana'],
  payments: {
    entries_one: ['{{shown}} payment', 'Malipo {{shown}}'],
    entries_other: ['{{shown}} payments', 'Malipo {{shown}}'],
    completed: ['{{shown}} completed: {{amount}}', 'yaliyokamilika {{shown}}: {{amount}}'],
    ofDay: ['{{amount}} completed', 'yaliyokamilika {{amount}}'],
  },
  payouts: {
    entries_one: ['{{shown}} payout', 'Mara {{shown}}'],
    entries_other: ['{{shown}} payouts', 'Mara {{shown}}'],
    completed: ['{{shown}} completed: {{amount}}', 'zilizofika {{shown}}: {{amount}}'],
    ofDay: ['{{amount}} completed', 'zilizofika {{amount}}'],
  },
  after: ['Only since {{at}}: there are more.', 'Tangu {{at}} tu: kuna zaidi.'],
})

const weekdays = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone } as const

/** A calendar day, `2026-09-30`, as `Wed, 30 Sept 2026`. */
function weekdayText(day: string, language: Language): string {
  return new Intl.DateTimeFormat(`${language}-TZ`, weekdays).format(new Date(`${day}T12:00:00+03:00`))
}

/**
 * The totals of a filtered list. `first` is the first row of an older page: the days of that page are known with its rows. Undefined while
 * the figures are of another filter, or from before a change that could not be counted.
 */
export function useTotals<Key extends 'GET /v1/merchant/payments/totals' | 'GET /v1/merchant/payouts/totals'>(
  key: Key,
  asked: Operations[Key]['query'],
  first: { created_at: string } | undefined,
): ListTotals | undefined {
  const query = { ...asked, ...(first && { days_to: dayOf(first.created_at) }) }
  const { data, error, isPlaceholderData } = useAnswer(key, { query } as Input<Key>, { isLive: true })
  return isPlaceholderData || error ? undefined : (data as { data: ListTotals } | undefined)?.data
}

type Props = { of: 'payments' | 'payouts'; totals: ListTotals | undefined }

export function ListTotal({ of, totals }: Props) {
  const say = totalsTexts.use()
  if (!totals || totals.count === 0) return undefined
  const { count: all, completed_count: completed, completed_amount: amount, counted_after: after } = totals
  return (
    <Text size="sm" className="figures" aria-live="polite">
      {say(`${of}.entries`, { count: all, shown: count(all) })}
      {' · '}
      <span className="nowrap">{say(`${of}.completed`, { shown: count(completed), amount: money(amount) })}</span>
      {after !== null && ` · ${say('after', { at: momentText(after) })}`}
    </Text>
  )
}

/** Groups the rows of a list by day; each day with its totals, if they are known. */
export function useDays<Row extends { created_at: string }>({
  of,
  totals,
}: Props): { keyOf(row: Row): string; heading(day: string): ReactNode } {
  const say = totalsTexts.use()
  const language = useLanguage()
  return {
    keyOf: ({ created_at }) => dayOf(created_at),
    heading: (day) => {
      const known = totals?.days.find((one) => one.day === day)
      const relative = day === today() ? say('today') : day === dayFromToday(-1) ? say('yesterday') : undefined
      return (
        <Group justify="space-between" gap={8}>
          <Text span size="sm" fw={600}>
            {relative}
            <Text inherit span {...(relative !== undefined && { visibleFrom: 'sm' })}>
              {relative !== undefined && ' · '}
              {weekdayText(day, language)}
            </Text>
          </Text>
          {known && (
            <Text span size="xs" c="dimmed" className="figures">
              {say(`${of}.entries`, { count: known.count, shown: count(known.count, language) })}
              {' · '}
              <span className="nowrap">{say(`${of}.ofDay`, { amount: money(known.completed_amount, language) })}</span>
            </Text>
          )}
        </Group>
      )
    },
  }
}
