/** The filters of the payments. */
import { Group } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import type { Changes } from '../../ui/list-search.ts'
import { useTyped } from '../../ui/typed.ts'
import { useAccount } from '../account.ts'
import { FilterFrame } from '../filter-frame.tsx'
import { networks } from '../../ui/networks.ts'
import { statuses, type PaymentsFilter } from './filter.ts'
import { paymentsTexts } from './texts.ts'

type Props = { filter: PaymentsFilter; onChange(changes: Changes<PaymentsFilter>): void }

function PageSelect({ filter, onChange }: Props) {
  const say = paymentsTexts.use()
  const { query } = useAccount()
  const pages = useAnswer('GET /v1/merchant/payment-pages', { query: { ...query, limit: 100 } }).data?.data ?? []
  return (
    <FilterSelect
      label={say('page')}
      any={say('anyPage')}
      options={pages.map(({ id, title }) => [id, title])}
      value={filter.page}
      onChoose={(page) => onChange({ page })}
    />
  )
}

export function FilterBar({ filter, onChange }: Props) {
  const say = paymentsTexts.use()
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
      <FilterSelect
        label={say('network')}
        any={say('anyNetwork')}
        options={networks.map((one) => [one, say(`network.${one}`)])}
        value={filter.network}
        onChoose={(network) => onChange({ network })}
      />
      <PageSelect filter={filter} onChange={onChange} />
      <Group gap="xs" wrap="nowrap" align="end">
        <AmountInput label={say('least')} flex={1} miw={0} {...least} />
        <AmountInput label={say('most')} flex={1} miw={0} {...most} />
      </Group>
    </FilterFrame>
  )
}
