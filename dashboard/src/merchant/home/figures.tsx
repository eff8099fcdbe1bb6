/** The four main figures: the balance, the volume today and in 30 days, and the success rate. */
import { Group, Paper, Skeleton, Text } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight } from '../../ui/icons.ts'
import type { ReactNode } from 'react'
import type { MerchantSummary } from '../../api/operations.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { money, percent } from '../../ui/format.ts'
import { Money } from '../../ui/money.tsx'
import classes from './home.module.css'
import { homeTexts } from './texts.ts'

type Props = {
  /** Newer than the summary, which is read again when they change. */
  balance: { available: number; reserved: number } | undefined
  summary: MerchantSummary | undefined
}

export function Figures({ balance, summary }: Props) {
  const say = homeTexts.use()
  const language = useLanguage()
  const { today, last_30_days: recent, previous_30_days: before } = summary ?? {}
  const yesterday = summary?.days.at(-2)
  const tsh = (amount: number): string => money(amount, language)
  return (
    <div className={classes['figures']}>
      <Figure
        title={say('available')}
        isMain
        figure={balance && <Money amount={balance.available} />}
        lines={[balance && balance.reserved > 0 && say('reserved', { amount: tsh(balance.reserved) })]}
      />
      <Figure
        title={say('today')}
        figure={today && <Money amount={today.volume} />}
        lines={[
          today && say('payments', { count: today.count }),
          yesterday && say('yesterday', { figure: tsh(yesterday.volume) }),
        ]}
      />
      <Figure
        title={say('last30')}
        figure={recent && <Money amount={recent.volume} />}
        change={recent && before && before.volume > 0 ? recent.volume / before.volume - 1 : undefined}
        lines={[
          recent && say('payments', { count: recent.count }),
          before && before.volume > 0 && say('before', { figure: tsh(before.volume) }),
        ]}
      />
      <Figure
        title={say('success')}
        figure={recent && (recent.success_rate === null ? '–' : percent(recent.success_rate, language))}
        lines={[
          recent?.success_rate === null && say('noneEnded'),
          typeof before?.success_rate === 'number' && say('before', { figure: percent(before.success_rate, language) }),
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
  /** An optional line below. */
  lines: readonly (string | false | undefined)[]
}

function Figure({ title, figure, change, isMain = false, lines }: FigureProps) {
  return (
    <Paper p="lg" component="section" aria-label={title}>
      <Text c="dimmed">{title}</Text>
      {figure === undefined ? (
        <Skeleton h={30} w={150} my={6} />
      ) : (
        <Group gap="xs" align="center">
          <Text fz={isMain ? 32 : 24} fw={650} lh={1.4} className="figures">
            {figure}
          </Text>
          {change !== undefined && <Change by={change} />}
        </Group>
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
  const language = useLanguage()
  const isUp = by >= 0
  const Sign = isUp ? IconArrowUpRight : IconArrowDownRight
  const figure = percent(Math.abs(by), language)
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
