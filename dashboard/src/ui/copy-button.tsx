/** Copies a text, and says that it has: on the button, and to who cannot see it. */
import { ActionIcon, Button, Tooltip, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { shared } from './texts.ts'

/** `label` names what is copied, for who does not see beside what the button stands. `isWide` shows the label. */
export function CopyButton({ value, label, isWide = false }: { value: string; label: string; isWide?: boolean }) {
  const say = shared.use()
  const { copy, copied } = useClipboard({ timeout: 2000 })
  const Sign = copied ? IconCheck : IconCopy
  const spoken = <VisuallyHidden role="status">{copied ? say('copied') : ''}</VisuallyHidden>
  if (isWide) {
    return (
      <>
        <Button variant="default" leftSection={<Sign size={16} aria-hidden />} onClick={() => copy(value)}>
          {copied ? say('copied') : label}
        </Button>
        {spoken}
      </>
    )
  }
  return (
    <>
      <Tooltip label={copied ? say('copied') : say('copy')}>
        <ActionIcon aria-label={`${say('copy')}: ${label}`} onClick={() => copy(value)}>
          <Sign size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {spoken}
    </>
  )
}
