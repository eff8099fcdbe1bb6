/** Filters a list by environment: all, live or test. */
import { SegmentedControl } from '@mantine/core'
import { operatorTexts } from './operator-texts.ts'
import type { Environment } from './searches.ts'

export function EnvironmentFilter({
  value,
  onChange,
}: {
  value: Environment | undefined
  onChange(value: Environment | undefined): void
}) {
  const say = operatorTexts.use()
  return (
    <SegmentedControl
      aria-label={say('money')}
      value={value ?? 'all'}
      onChange={(chosen) => onChange(chosen === 'all' ? undefined : (chosen as Environment))}
      data={[
        { value: 'all', label: say('all') },
        { value: 'live', label: say('environment.live') },
        { value: 'test', label: say('environment.test') },
      ]}
    />
  )
}
