/** The logo and the name. */
import { Group, Text } from '@mantine/core'

export function Brand({ note }: { note?: string }) {
  return (
    <Group gap={10} wrap="nowrap">
      <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden>
        <rect width="32" height="32" rx="9" fill="var(--mantine-color-green-8)" />
        <path
          d="M8.5 22.5v-12l7.5 7.5 7.5-7.5v12"
          fill="none"
          stroke="#fff"
          strokeWidth="3"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <Text fw={650} size="lg" lh={1}>
        Malipo
      </Text>
      {note !== undefined && (
        <Text size="sm" c="dimmed" lh={1}>
          {note}
        </Text>
      )}
    </Group>
  )
}
