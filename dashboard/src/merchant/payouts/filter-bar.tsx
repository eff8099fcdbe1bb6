/** The filters of the payouts. */
import type { Changes } from '../../ui/list-search.ts'
import { FilterFrame } from '../filter-frame.tsx'
import { payoutStatuses } from '../payout-statuses.ts'
import type { PayoutsFilter } from './filter.ts'
import { payoutsTexts } from './texts.ts'

type Props = { filter: PayoutsFilter; onChange(changes: Changes<PayoutsFilter>): void }

export function FilterBar(props: Props) {
  const say = payoutsTexts.use()
  return <FilterFrame {...props} list="payouts" label={say('filter')} hint={say('search')} statuses={payoutStatuses} />
}
