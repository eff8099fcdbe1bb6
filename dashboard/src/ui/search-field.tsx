/** The field above a list that finds rows while one types. */
import { Group, TextInput } from '@mantine/core'
import { IconSearch } from './icons.ts'

export function SearchField({ label, value, onChange }: { label: string; value: string; onChange(text: string): void }) {
  return (
    <Group role="search" aria-label={label}>
      <TextInput
        flex={1}
        maw={420}
        type="search"
        aria-label={label}
        placeholder={label}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </Group>
  )
}
