/** A dialog that ends with the value of a key, shown once. Invariant: the value exists only here, until the dialog closes. */
import { Modal, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { DocsWithKey } from '../docs-with-key.tsx'
import { appTexts } from './texts.ts'

type Props = {
  /** While the form is open. */
  title: string
  isOpen: boolean
  onClose(): void
  /** The form; it reports the created key. */
  form(parts: { onMade(value: string): void; onClose(): void }): ReactNode
}

export function KeyValueDialog({ title, isOpen, onClose, form }: Props) {
  const say = appTexts.use()
  const [isShown, setIsShown] = useState(false)
  const end = (): void => {
    setIsShown(false)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={end}
      title={isShown ? say('newKey') : title}
      // Only the person's confirmation closes it, because the value is shown only here.
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
    >
      {isOpen && <FormThenValue form={form} onShown={() => setIsShown(true)} onClose={end} />}
    </Modal>
  )
}

/** A separate component, so that the value is dropped with the content. */
function FormThenValue({ form, onShown, onClose }: Pick<Props, 'form' | 'onClose'> & { onShown(): void }) {
  const say = appTexts.use()
  const [value, setValue] = useState<string>()
  if (value !== undefined) {
    return (
      <Stack>
        <DocsWithKey value={value} />
        <ShownOnce value={value} label={say('key')} onDone={onClose} />
      </Stack>
    )
  }
  const onMade = (made: string): void => {
    setValue(made)
    onShown()
  }
  return form({ onMade, onClose })
}
