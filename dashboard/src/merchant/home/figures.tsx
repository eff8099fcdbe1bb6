/** The main figures: the balance, the volume today and in the chosen period, and the success rate. */
import { Group, Paper, Skeleton, Text } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight } from '../../ui/icons.ts'
import type { ReactNode } from 'react'
import type { MerchantSummary } from '../../api/operations.ts'
import { clockText, dayText, money, percent } from '../../ui/format.ts'
import { Money } from '../../ui/money.tsx'
import { dayOf } from '../../ui/days.ts'
import classes from './home.module.css'
import { homeTexts } from './texts.ts'

type Props = {
  /** Newer than the summary, which is read again when they change. */
  balance: { available: number; reserved: number } | undefined
  summary: MerchantSummary | undefined
  /** Undefined while they are current. */
  balanceOldSince: number | undefined
  summaryOldSince: number | undefined
  /** The figures of the period are read again for another one. */
  isChanging: boolean
}

const maxRatedDays = 92

export function Figures({ balance, summary, balanceOldSince, summaryOldSince, isChanging }: Props) {
  const say = homeTexts.use()
  const asOfText = (since: number | undefined) => since !== undefined && say('asOf', { time: clockText(since) })
  const dateText = (day: string): string => dayText(`${day}T12:00:00+03:00`)
  const { today } = summary ?? {}
  const { period, previous_period: before, days = [], as_of: asOf } = (isChanging ? undefined : summary) ?? {}
  // The day before today is in the answer unless the period ends earlier or is today.
  const lastDay = asOf && dayOf(asOf)
  const isToday = period?.from === lastDay && lastDay !== undefined
  const endsToday = period?.to === lastDay
  const yesterday = isToday ? before : endsToday ? days.at(-2) : undefined
  const title =
    period && !(endsToday && days.length === 30)
      ? say('days', { from: dateText(period.from), to: dateText(period.to) })
      : say('last30')
  const earlier = (figure: string) => say('before', { count: days.length, figure })
  return (
    <div className={classes['figures']}>
      <Figure
        title={say('available')}
        isMain
        figure={balance && <Money amount={balance.available} />}
        old={asOfText(balanceOldSince)}
        lines={[balance && balance.reserved > 0 && say('reserved', { amount: money(balance.reserved) })]}
      />
      <Figure
        title={say('today')}
        figure={today && <Money amount={today.volume} />}
        old={asOfText(summaryOldSince)}
        lines={[
          today && say('payments', { count: today.count }),
          yesterday && say('yesterday', { figure: money(yesterday.volume) }),
        ]}
      />
      {!isToday && (
        <Figure
          title={title}
          figure={period && <Money amount={period.volume} />}
          old={asOfText(summaryOldSince)}
          change={period && before && before.volume > 0 ? period.volume / before.volume - 1 : undefined}
          lines={[
            period && say('payments', { count: period.count }),
            before && before.volume > 0 && earlier(money(before.volume)),
          ]}
        />
      )}
      <Figure
        title={say('success')}
        figure={period && (period.success_rate === null ? '–' : percent(period.success_rate))}
        old={asOfText(summaryOldSince)}
        lines={[
          period?.success_rate === null && say(days.length > maxRatedDays ? 'notRated' : 'noneEnded'),
          typeof before?.success_rate === 'number' && earlier(percent(before.success_rate)),
        ]}
      />
    </div>
  )
}

type FigureProps = {
  title: string
  figure: ReactNode
  change?: number | undefined
  isMain?: boolean
  /** Of when the figure is, if it is old. */
  old: string | false
  /** An optional line below. */
  lines: readonly (string | false | undefined)[]
}

function Figure({ title, figure, change, isMain = false, old, lines }: FigureProps) {
  return (
    <Paper className={classes['figure']!} component="section" aria-label={title}>
      <Text c="dimmed">{title}</Text>
      {figure === undefined ? (
        <Skeleton h={30} w={150} my={6} />
      ) : (
        <Group gap="xs" align="center">
          <Text fw={650} lh={1.4} className={`figures ${classes[isMain ? 'main' : 'value']}`}>
            {figure}
          </Text>
          {change !== undefined && <Change by={change} />}
        </Group>
      )}
      {figure !== undefined && old !== false && (
        <Text size="sm" fw={600}>
          {old}
        </Text>
      )}
      {lines.filter(Boolean).map((line) => (
        <Text key={String(line)} size="sm" c="dimmed">
          {line}
        </Text>
      ))}
    </Paper>
  )
}

function Change({ by }: { by: number }) {
  const say = homeTexts.use()
  const isUp = by >= 0
  const Sign = isUp ? IconArrowUpRight : IconArrowDownRight
  const figure = percent(Math.abs(by))
  return (
    <Text
      span
      size="sm"
      fw={600}
      c={isUp ? 'var(--tint-green-text)' : 'dimmed'}
      role="img"
      aria-label={say(isUp ? 'up' : 'down', { percent: figure })}
    >
      <Sign size={15} aria-hidden style={{ verticalAlign: '-2px' }} /> {figure}
    </Text>
  )
}
