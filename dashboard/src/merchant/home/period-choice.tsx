/** The choice of the period of the start page. It is in the address, so that a link, a reload and going back show the same. */
import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { today } from '../../ui/days.ts'
import { periodNameTexts } from '../period-names.ts'
import { periodNames, usualPeriod, type PeriodName, type PeriodSearch } from './period.ts'
import { periodTexts } from './period-texts.ts'

type Days = { from: string; to: string }
type Props = {
  search: PeriodSearch
  /** The days that are on screen; undefined while loading. */
  shown: Days | undefined
}

export function PeriodChoice({ search, shown }: Props) {
  const say = periodTexts.use()
  const sayName = periodNameTexts.use()
  const navigate = useNavigate()
  const go = (to: PeriodSearch): void => void navigate({ from: '/$owner/$environment', to: '.', search: to, replace: true })
  const isCustom = 'from' in search
  const value = isCustom ? 'custom' : (search.period ?? usualPeriod)
  const choose = (chosen: string): void => {
    if (chosen === 'custom') go(shown ? { from: shown.from, to: shown.to } : { from: today(), to: today() })
    else go(chosen === usualPeriod ? {} : { period: chosen as PeriodName })
  }
  return (
    <Group gap="xs" align="start" role="group" aria-label={sayName('period')}>
      <NativeSelect
        aria-label={sayName('period')}
        value={value}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[...periodNames.map((name) => ({ value: name, label: sayName(name) })), { value: 'custom', label: say('custom') }]}
      />
      {isCustom && <DayFields days={search} onChange={go} />}
    </Group>
  )
}

const maxDays = 366
const dayMs = 86_400_000

/** Days go into the address when both are right. */
function DayFields({ days, onChange }: { days: Days; onChange(days: Days): void }) {
  const say = periodTexts.use()
  const [typed, setTyped] = useState(days)
  const count = (Date.parse(typed.to) - Date.parse(typed.from)) / dayMs + 1
  const problem = count < 1 ? say('backward') : count > maxDays ? say('tooLong') : undefined
  const change = (changes: Partial<Days>): void => {
    const next = { ...typed, ...changes }
    setTyped(next)
    const length = (Date.parse(next.to) - Date.parse(next.from)) / dayMs + 1
    if (length >= 1 && length <= maxDays) onChange(next)
  }
  return (
    <>
      <TextInput
        type="date"
        aria-label={say('from')}
        max={today()}
        value={typed.from}
        onChange={({ currentTarget }) => change({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        aria-label={say('to')}
        max={today()}
        value={typed.to}
        error={problem}
        onChange={({ currentTarget }) => change({ to: currentTarget.value })}
      />
    </>
  )
}
