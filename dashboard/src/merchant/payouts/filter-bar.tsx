/** The filters of the payouts. Every change goes into the address at once, typing after a moment. */
import { NativeSelect, TextInput } from '@mantine/core'
import { today } from '../../ui/days.ts'
import { shared } from '../../ui/texts.ts'
import { FilterFrame } from '../filter-frame.tsx'
import { payoutStatuses } from '../payout-statuses.ts'
import type { PayoutsFilter } from './filter.ts'
import { payoutsTexts } from './texts.ts'

type Props = {
  filter: PayoutsFilter
  onChange(changes: { [Key in keyof PayoutsFilter]?: PayoutsFilter[Key] | undefined }): void
}

export function FilterBar({ filter, onChange }: Props) {
  const say = payoutsTexts.use()
  const sayShared = shared.use()
  const { q, ...others } = filter
  return (
    <FilterFrame
      label={say('filter')}
      hint={say('search')}
      q={q}
      onSearch={(typed) => onChange({ q: typed })}
      set={Object.values(others).length}
      onClear={() => onChange({ q: undefined, status: undefined, from: undefined, to: undefined })}
    >
      <NativeSelect
        label={say('status')}
        value={filter.status ?? ''}
        onChange={({ currentTarget }) => onChange({ status: payoutStatuses.find((status) => status === currentTarget.value) })}
        data={[
          { value: '', label: say('anyStatus') },
          ...payoutStatuses.map((status) => ({ value: status, label: sayShared(`status.${status}`) })),
        ]}
      />
      <TextInput
        type="date"
        label={say('from')}
        max={filter.to ?? today()}
        value={filter.from ?? ''}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label={say('to')}
        min={filter.from}
        max={today()}
        value={filter.to ?? ''}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value || undefined })}
      />
    </FilterFrame>
  )
}
