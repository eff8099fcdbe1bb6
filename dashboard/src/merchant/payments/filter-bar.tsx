/** The filters of the payments. Every change goes into the address at once, typing after a moment. */
import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { today } from '../../ui/days.ts'
import { shared } from '../../ui/texts.ts'
import { useTyped } from '../../ui/typed.ts'
import { useAccount } from '../account.ts'
import { FilterFrame } from '../filter-frame.tsx'
import { networks } from '../../ui/networks.ts'
import { statuses, type PaymentsFilter } from './filter.ts'
import { paymentsTexts } from './texts.ts'

type Changes = { [Key in keyof PaymentsFilter]?: PaymentsFilter[Key] | undefined }
type Props = { filter: PaymentsFilter; onChange(changes: Changes): void }

function PageSelect({ filter, onChange }: Props) {
  const say = paymentsTexts.use()
  const { query } = useAccount()
  const pages = useAnswer('GET /v1/merchant/payment-pages', { query: { ...query, limit: 100 } }).data?.data ?? []
  const isKnown = filter.page === undefined || pages.some(({ id }) => id === filter.page)
  return (
    <NativeSelect
      label={say('page')}
      value={filter.page ?? ''}
      onChange={({ currentTarget }) => onChange({ page: currentTarget.value || undefined })}
      data={[
        { value: '', label: say('anyPage') },
        ...pages.map(({ id, title }) => ({ value: id, label: title })),
        ...(isKnown ? [] : [{ value: filter.page!, label: filter.page! }]),
      ]}
    />
  )
}

export function FilterBar({ filter, onChange }: Props) {
  const say = paymentsTexts.use()
  const sayShared = shared.use()
  const { q, ...others } = filter
  const set = Object.values(others).filter((value) => value !== undefined).length
  const least = useTyped(filter.min, (min) => onChange({ min }))
  const most = useTyped(filter.max, (max) => onChange({ max }))
  return (
    <FilterFrame
      label={say('filter')}
      hint={say('search')}
      q={q}
      onSearch={(typed) => onChange({ q: typed })}
      set={set}
      onClear={() =>
        onChange({
          q: undefined,
          status: undefined,
          network: undefined,
          page: undefined,
          from: undefined,
          to: undefined,
          min: undefined,
          max: undefined,
        })
      }
    >
      <NativeSelect
        label={say('status')}
        value={filter.status ?? ''}
        onChange={({ currentTarget }) => onChange({ status: (currentTarget.value || undefined) as PaymentsFilter['status'] })}
        data={[
          { value: '', label: say('anyStatus') },
          ...statuses.map((value) => ({ value, label: sayShared(`status.${value}`) })),
        ]}
      />
      <NativeSelect
        label={say('network')}
        value={filter.network ?? ''}
        onChange={({ currentTarget }) => onChange({ network: (currentTarget.value || undefined) as PaymentsFilter['network'] })}
        data={[
          { value: '', label: say('anyNetwork') },
          ...networks.map((value) => ({ value, label: sayShared(`network.${value}`) })),
        ]}
      />
      <PageSelect filter={filter} onChange={onChange} />
      <Group gap="xs" wrap="nowrap" align="end">
        <AmountInput label={say('least')} flex={1} miw={0} {...least} />
        <AmountInput label={say('most')} flex={1} miw={0} {...most} />
      </Group>
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
