/** The filters of a list: the search is always shown, the other fields on a press, and open at once where they are set and there is space. */
import { Button, Collapse, Group, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '../ui/icons.ts'
import { useTyped } from '../ui/typed.ts'

const filterTexts = defineTexts('filters', {
  en: {
    filters: 'Filters',
    filtersSet_one: '{{count}} filter',
    filtersSet_other: '{{count}} filters',
    clear: 'Clear filters',
  },
  sw: {
    filters: 'Vichujio',
    filtersSet_one: 'Kichujio {{count}}',
    filtersSet_other: 'Vichujio {{count}}',
    clear: 'Ondoa vichujio',
  },
})

type Props = {
  label: string
  /** What can be searched for. */
  hint: string
  q: string | undefined
  onSearch(q: string | undefined): void
  /** How many other filters are set. */
  set: number
  onClear(): void
  children: ReactNode
}

export function FilterFrame({ label, hint, q, onSearch, set, onClear, children }: Props) {
  const say = filterTexts.use()
  // On a phone, open filters would push the results off the screen.
  const [isOpen, { toggle }] = useDisclosure(set > 0 && matchMedia('(min-width: 48em)').matches)
  const search = useTyped(q, (text) => onSearch(text || undefined))
  return (
    <Stack gap="sm" role="search" aria-label={label}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
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
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {set === 0 ? say('filters') : say('filtersSet', { count: set })}
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm" verticalSpacing="sm">
          {children}
          {(set > 0 || q !== undefined) && (
            <Group align="end">
              <Button variant="subtle" color="gray" leftSection={<IconX size={16} aria-hidden />} onClick={onClear}>
                {say('clear')}
              </Button>
            </Group>
          )}
        </SimpleGrid>
      </Collapse>
    </Stack>
  )
}
