/** The filters of the payments. */
import { Group, NativeSelect } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { shared } from '../../ui/texts.ts'
import { useTyped } from '../../ui/typed.ts'
import { useAccount } from '../account.ts'
import { FilterFrame, type Changes } from '../filter-frame.tsx'
import { networks } from '../../ui/networks.ts'
import { statuses, type PaymentsFilter } from './filter.ts'
import { paymentsTexts } from './texts.ts'

type Props = { filter: PaymentsFilter; onChange(changes: Changes<PaymentsFilter>): void }

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
  const least = useTyped(filter.min, (min) => onChange({ min }))
  const most = useTyped(filter.max, (max) => onChange({ max }))
  return (
    <FilterFrame
      list="payments"
      label={say('filter')}
      hint={say('search')}
      filter={filter}
      onChange={onChange}
      statuses={statuses}
    >
      <NativeSelect
        label={say('network')}
        value={filter.network ?? ''}
        onChange={({ currentTarget }) => onChange({ network: networks.find((one) => one === currentTarget.value) })}
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
    </FilterFrame>
  )
}
