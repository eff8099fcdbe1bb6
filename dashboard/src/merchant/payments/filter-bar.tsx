/** The filters of the payments. Every change goes into the address at once, typing after a moment. */
import { Button, Collapse, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '../../ui/icons.ts'
import { useAnswer } from '../../api/queries.ts'
import { AmountInput } from '../../ui/amount-input.tsx'
import { today } from '../../ui/days.ts'
import { shared } from '../../ui/texts.ts'
import { useTyped } from '../../ui/typed.ts'
import { useAccount } from '../account.ts'
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
  // On a phone, open filters would push the results off the screen.
  const [isOpen, { toggle }] = useDisclosure(set > 0 && matchMedia('(min-width: 48em)').matches)
  const search = useTyped(q, (text) => onChange({ q: text || undefined }))
  const least = useTyped(filter.min, (min) => onChange({ min }))
  const most = useTyped(filter.max, (max) => onChange({ max }))
  return (
    <Stack gap="sm" role="search" aria-label={say('filter')}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          type="search"
          aria-label={say('search')}
          placeholder={say('search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search.value ?? ''}
          onChange={({ currentTarget }) => search.onChange(currentTarget.value)}
        />
        <Button
          variant="default"
          size="md"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {set === 0 ? say('filters') : say('filtersSet', { count: set })}
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" verticalSpacing="sm">
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
            onChange={({ currentTarget }) =>
              onChange({ network: (currentTarget.value || undefined) as PaymentsFilter['network'] })
            }
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
          {(set > 0 || q !== undefined) && (
            <Group align="end">
              <Button
                variant="subtle"
                color="gray"
                leftSection={<IconX size={16} aria-hidden />}
                onClick={() =>
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
                {say('clear')}
              </Button>
            </Group>
          )}
        </SimpleGrid>
      </Collapse>
    </Stack>
  )
}
