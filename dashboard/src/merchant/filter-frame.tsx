/**
 * The filters of a list of money: the search and the saved filters are always shown, the other fields on a press, and open at once where
 * they are set and there is space. Every change goes into the address at once, typing after a moment.
 */
import { Button, Collapse, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'
import { today } from '../ui/days.ts'
import { FilterSelect } from '../ui/filter-select.tsx'
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '../ui/icons.ts'
import type { Changes } from '../ui/list-search.ts'
import { ofPayments } from '../ui/payment-texts.ts'
import { shared } from '../ui/texts.ts'
import { useTyped } from '../ui/typed.ts'
import { daysOf, periods, type CommonFilter, type FilteredList, type Period } from './list-filter.ts'
import { periodNameTexts } from './period-names.ts'
import type { AnyFilter } from './saved-filters/saved-fields.ts'
import { SavedFilters } from './saved-filters/saved-filters.tsx'

const filterTexts = defineTexts('filters', [shared], {
  filters: ['Filters', 'Vichujio'],
  filtersSet_one: ['{{count}} filter', 'Kichujio {{count}}'],
  filtersSet_other: ['{{count}} filters', 'Vichujio {{count}}'],
  clear: ['Clear filters', 'Ondoa vichujio'],
  status: ['Status', 'Hali'],
  anyStatus: ['Any status', 'Hali yoyote'],
  anyPeriod: ['Any time', 'Wakati wowote'],
  days: ['Chosen days', 'Siku ulizochagua'],
  from: ['From day', 'Kuanzia siku'],
  to: ['To day', 'Hadi siku'],
})

type Props<Filter> = {
  list: FilteredList
  label: string
  /** What can be searched for. */
  hint: string
  filter: Filter
  onChange(changes: Changes<Filter>): void
  /** In the order of the choice. */
  statuses: readonly NonNullable<AnyFilter['status']>[]
  /** The fields that only this list has. */
  children?: ReactNode
}

export function FilterFrame<Filter extends AnyFilter>(props: Props<Filter>) {
  const { list, label, hint, filter, statuses, children } = props
  const say = filterTexts.use()
  const sayStatus = (list === 'payments' ? ofPayments : shared).use()
  const sayPeriod = periodNameTexts.use()
  // The fields here are those that both lists have.
  const change = props.onChange as (changes: Changes<CommonFilter & { status?: string }>) => void
  const { q, ...others } = filter
  const set = Object.keys(others).length
  // On a phone, open filters would push the results off the screen.
  const [isOpen, { toggle }] = useDisclosure(set > 0 && matchMedia('(min-width: 48em)').matches)
  const search = useTyped(q, (text) => change({ q: text || undefined }))
  const replace = (next: Partial<Filter>): void =>
    props.onChange({ ...Object.fromEntries(Object.keys(filter).map((name) => [name, undefined])), ...next } as Changes<Filter>)
  const days = daysOf(filter)
  // A day that is changed fixes the other one, too.
  const changeDays = (changed: Changes<Pick<CommonFilter, 'from' | 'to'>>): void =>
    change({ ...days, period: undefined, ...changed })
  const choosePeriod = (period: Period | 'days' | undefined): void =>
    period === 'days' ? changeDays({}) : change({ period, from: undefined, to: undefined })
  const hasDays = filter.from !== undefined || filter.to !== undefined
  return (
    <Stack gap="sm" role="search" aria-label={label}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          miw={0}
          type="search"
          aria-label={hint}
          placeholder={hint}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.value ?? ''}
          onChange={({ currentTarget }) => search.onChange(currentTarget.value)}
        />
        <Button
          variant="default"
          size="md"
          flex="none"
          px={{ base: 'sm', xs: 'md' }}
          aria-label={set === 0 ? say('filters') : say('filtersSet', { count: set })}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          <IconAdjustmentsHorizontal size={16} aria-hidden />
          {/* On a phone, the search needs the space. */}
          <Text inherit span ms={8} visibleFrom="xs">
            {set === 0 ? say('filters') : say('filtersSet', { count: set })}
          </Text>
          {set > 0 && (
            <Text inherit span ms={6} hiddenFrom="xs">
              {set}
            </Text>
          )}
        </Button>
        <SavedFilters list={list} filter={filter} onChoose={(chosen) => replace(chosen as Partial<Filter>)} />
      </Group>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" verticalSpacing="sm">
          <FilterSelect
            label={say('status')}
            any={say('anyStatus')}
            options={statuses.map((status) => [status, sayStatus(`status.${status}`)])}
            value={filter.status}
            onChoose={(status) => change({ status })}
          />
          {children}
          <FilterSelect
            label={sayPeriod('period')}
            any={say('anyPeriod')}
            options={[
              ...periods.map((period) => [period, sayPeriod(period)] as const),
              ...(hasDays || filter.period ? [['days', say('days')] as const] : []),
            ]}
            value={filter.period ?? (hasDays ? 'days' : undefined)}
            onChoose={choosePeriod}
          />
          <TextInput
            type="date"
            label={say('from')}
            max={days.to ?? today()}
            value={days.from ?? ''}
            onChange={({ currentTarget }) => changeDays({ from: currentTarget.value || undefined })}
          />
          <TextInput
            type="date"
            label={say('to')}
            min={days.from}
            max={today()}
            value={days.to ?? ''}
            onChange={({ currentTarget }) => changeDays({ to: currentTarget.value || undefined })}
          />
          {(set > 0 || q !== undefined) && (
            <Group align="end">
              <Button variant="subtle" color="gray" leftSection={<IconX size={16} aria-hidden />} onClick={() => replace({})}>
                {say('clear')}
              </Button>
            </Group>
          )}
        </SimpleGrid>
      </Collapse>
    </Stack>
  )
}
