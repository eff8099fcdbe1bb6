/** A small grey line: what explains or completes the text beside it. */
import { Text, type TextProps } from '@mantine/core'
import type { ReactNode } from 'react'

export function Note(props: TextProps & { children: ReactNode }) {
  return <Text size="sm" c="dimmed" {...props} />
}
