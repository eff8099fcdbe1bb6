/** The buttons below a list: older entries, and back to the newest. */
import { Button, Group, Text } from '@mantine/core'
import { shared } from './texts.ts'

type Props = { onOlder?: (() => void) | undefined; onNewest?: (() => void) | undefined }

export function ListPages({ onOlder, onNewest }: Props) {
  const say = shared.use()
  if (!onOlder && !onNewest) return undefined
  return (
    <Group justify="space-between">
      {onNewest ? (
        <Button variant="default" onClick={onNewest}>
          {say('newest')}
        </Button>
      ) : (
        <Text />
      )}
      {onOlder && (
        <Button variant="default" onClick={onOlder}>
          {say('older')}
        </Button>
      )}
    </Group>
  )
}
