/** Copies a text and confirms it: on the button, and for screen readers. */
import { ActionIcon, Button, Tooltip, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from './icons.ts'
import { shared } from './texts.ts'

/** `label` names the copied text for screen readers. `isWide` shows the label. */
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
